package site

import (
	"errors"
	"strings"

	"alcove/record"
)

// The refusals of the API are in English, word for word as clients compare them. Forms say them in the language of the
// page: by the message where it is always the same, otherwise by the field that it is about.

// Refused says why something was refused.
func (w *Words) Refused(err error) string {
	var e *record.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if said, ok := w.Refusals[e.Message]; ok {
		return said
	}
	for message, said := range w.RefusalsOf {
		begins, ends, _ := strings.Cut(message, "%s")
		if name, is := strings.CutPrefix(e.Message, begins); is && strings.HasSuffix(name, ends) {
			return strings.Replace(said, "%s", strings.TrimSuffix(name, ends), 1)
		}
	}
	if said := w.Edit.Wrong[KeyOf(e)]; said != "" {
		return said
	}
	return e.Message
}

// KeyOf is the key of the body that a refusal is about, "" for none.
func KeyOf(e *record.Error) string {
	at, _ := e.Data["field"].(string)
	if i := strings.IndexAny(at, ".["); i >= 0 {
		at = at[:i]
	}
	return at
}
