package deposit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// embargo is what a line says of the embargo of its article.
type embargo struct {
	body    []byte // as it is sent
	kind    string
	until   time.Time // zero for never
	title   *string   // nil when the line does not say
	reason  *string
	options []int64
}

// hide reads the keys of an embargo and of the confidentiality. A doubtful embargo is refused,
// rather than publishing something.
func (it *item) hide(fields []member) error {
	var e embargo
	var on, confidential bool
	var why string
	var date *string
	said := map[string]bool{} // keys with a value that is not blank
	for _, f := range fields {
		said[f.name] = !blank(f.value) && string(f.value) != "false" && string(f.value) != "[]"
		if string(f.value) == "null" && f.name != "embargo_date" {
			continue
		}
		var err error
		switch f.name {
		case "is_embargoed":
			err = json.Unmarshal(f.value, &on)
		case "embargo_type":
			err = unquote(f.value, &e.kind)
		case "embargo_date":
			if date = new(string); string(f.value) != "null" {
				err = unquote(f.value, date)
			}
		case "embargo_title":
			e.title = new(string)
			err = unquote(f.value, e.title)
		case "embargo_reason":
			e.reason = new(string)
			err = unquote(f.value, e.reason)
		case "embargo_options":
			var list []struct{ ID int64 }
			err = json.Unmarshal(f.value, &list)
			for _, o := range list {
				e.options = append(e.options, o.ID)
			}
		case "is_confidential":
			err = json.Unmarshal(f.value, &confidential)
		case "confidential_reason":
			err = unquote(f.value, &why)
		}
		if err != nil {
			return fmt.Errorf("%q has a value of the wrong type: %s", f.name, clean(string(f.value)))
		}
	}
	if on {
		var err error
		if e.until, err = e.end(date); err != nil {
			return err
		}
		var sent []member
		for _, f := range fields {
			if f.name == "is_embargoed" || strings.HasPrefix(f.name, "embargo_") {
				sent = append(sent, f)
			}
		}
		e.body = joinObject(sent)
		it.embargo = &e
	} else {
		for _, name := range []string{"embargo_type", "embargo_date", "embargo_title", "embargo_reason", "embargo_options"} {
			if said[name] {
				return fmt.Errorf(`%q needs "is_embargoed": true`, name)
			}
		}
	}
	switch {
	case !confidential && said["confidential_reason"]:
		return errors.New(`"confidential_reason" needs "is_confidential": true`)
	case !confidential:
		return nil
	case on && (e.kind != "file" || !e.until.IsZero() || len(e.options) > 0):
		return errors.New(`"is_confidential" withholds the files for good: beside it the embargo can only be on files, without end and options`)
	case why == "":
		return errors.New(`"is_confidential" needs a "confidential_reason"`)
	}
	reason, err := json.Marshal(map[string]string{"reason": why})
	it.reason = reason
	return err
}

// end reads when the embargo ends, and refuses what no server takes.
func (e *embargo) end(date *string) (time.Time, error) {
	switch {
	case e.kind != "article" && e.kind != "file":
		return time.Time{}, errors.New(`"is_embargoed" needs an "embargo_type", which is "article" or "file"`)
	case date == nil:
		return time.Time{}, errors.New(`"is_embargoed" needs an "embargo_date"; null is for ever, on files`)
	}
	until, ok := moment(*date)
	switch {
	case !ok:
		return time.Time{}, fmt.Errorf(`"embargo_date" is not a date such as 2027-01-31: %s`, clean(*date))
	case until.IsZero() && e.kind == "article":
		return time.Time{}, errors.New(`"embargo_date" is missing: only files can be under an embargo for ever`)
	}
	return until, nil
}

// moment reads a date, or a time with or without a zone, in UTC; zero for "", and "0".
func moment(text string) (time.Time, bool) {
	if text == "" || text == "0" {
		return time.Time{}, true
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// differs names what a server shows of an embargo otherwise than it was sent; "" when it
// has all of it.
func (e *embargo) differs(raw json.RawMessage) string {
	var shown struct {
		On      bool                 `json:"is_embargoed"`
		Kind    string               `json:"embargo_type"`
		Date    string               `json:"embargo_date"`
		Title   string               `json:"embargo_title"`
		Reason  string               `json:"embargo_reason"`
		Options []struct{ ID int64 } `json:"embargo_options"`
	}
	if json.Unmarshal(raw, &shown) != nil {
		return "everything"
	}
	until, ok := moment(shown.Date)
	var options []int64
	for _, o := range shown.Options {
		options = append(options, o.ID)
	}
	same := func(sent *string, is string) bool {
		return sent == nil || strings.TrimSpace(*sent) == strings.TrimSpace(is)
	}
	switch {
	case !shown.On:
		return "is_embargoed"
	case shown.Kind != e.kind:
		return "embargo_type"
	case !ok || until.IsZero() != e.until.IsZero() || until.Before(e.until.Truncate(time.Second)) || until.Sub(e.until) > time.Second:
		return "embargo_date"
	case !same(e.title, shown.Title):
		return "embargo_title"
	case !same(e.reason, shown.Reason):
		return "embargo_reason"
	}
	for _, o := range options { // who is let in and should not be
		if !slices.Contains(e.options, o) {
			return "embargo_options"
		}
	}
	for _, o := range e.options {
		if !slices.Contains(options, o) {
			return "embargo_options"
		}
	}
	return ""
}
