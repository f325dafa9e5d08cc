package deposit

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// present looks at the server for the article of a line that an earlier run has begun, and
// reports whether all of the line is there. Steps in the state file that the server does not have
// are forgotten, so that they are done again.
func (d *depositor) present(ctx context.Context, ln line) (complete bool, err error) {
	e := d.state.entry(ln.id)
	if e.article == 0 {
		return false, nil
	}
	it, err := d.input.load(ln)
	if err != nil {
		return false, err
	}
	var detail map[string]json.RawMessage
	err = d.api.get(ctx, fmt.Sprintf("/account/articles/%d", e.article), &detail)
	if notFound(err) || err == nil && e.foreign(detail) {
		return false, d.state.append(record{Op: opGone, Line: ln.id})
	}
	switch {
	case err != nil:
		return false, fmt.Errorf("cannot look at article %d: %w", e.article, err)
	case isPublic(detail):
		// Later changes are its owner's affair.
	case e.published && !decided(detail) && waits(detail, 0) == public || e.lacksFile(detail):
		return false, d.state.append(record{Op: opAgain, Line: ln.id})
	}
	return e.done && it.publish == e.published, nil
}

// decided tells that an article was handed in for review, whatever came of it: what was
// rejected is not handed in again by itself.
func decided(detail map[string]json.RawMessage) bool { return !blank(detail["curation_status"]) }

// nearby is how long after its announcement an article may have been created.
const nearby = time.Hour

// foreign tells that an article under the number of the line's is another one: of another
// title, and not made when the line's was. An owner may have changed the title since.
func (e entry) foreign(detail map[string]json.RawMessage) bool {
	var title string
	if json.Unmarshal(detail["title"], &title) == nil && titleHash(title) == e.title {
		return false
	}
	made := date(detail["created_date"])
	return made.IsZero() || e.since.IsZero() || made.Before(e.since) || made.After(e.since.Add(nearby))
}

// lacksFile tells that a file which was uploaded is not among those of a draft. The detail
// of an article with very many does not show all, and then tells nothing.
func (e entry) lacksFile(detail map[string]json.RawMessage) bool {
	const most = 100 // of a detail; servers show at least as many
	var list []struct {
		ID int64 `json:"id"`
	}
	if json.Unmarshal(detail["files"], &list) != nil || len(e.files) > most {
		return false
	}
	there := map[int64]bool{}
	for _, f := range list {
		there[f.ID] = true
	}
	for _, f := range e.files {
		if f.done && !there[f.id] {
			return true
		}
	}
	return false
}
