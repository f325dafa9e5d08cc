package deposit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// retrievable is how many entries of a list can be read (docs/reference/api.md#lists).
const retrievable = 9000

// candidate is an article of the depositor's that a line in doubt may own.
type candidate struct {
	id      int64
	created time.Time // zero if the server does not say
	detail  map[string]json.RawMessage
	taken   bool
}

// resolveCreates finds out which lines of this title, whose creation was
// announced and not confirmed, have an article on the server. Such an article
// has everything that the line sends, was created at or after the announcement,
// has no file, is not public, and belongs to no other line. Of equal lines each
// gets one. The error is about the line named own. The caller holds the lock of
// the title.
func (d *depositor) resolveCreates(ctx context.Context, title, own string) error {
	doubts := d.state.doubts(title)
	if len(doubts) == 0 {
		return nil
	}
	since, last := doubts[0].since, doubts[0].at
	for _, e := range doubts {
		if e.since.Before(since) {
			since = e.since
		}
		if e.at.After(last) {
			last = e.at
		}
	}
	if err := d.waitUntilListed(ctx, last); err != nil {
		return err
	}
	found, whole, err := d.candidates(ctx, title, since)
	if err != nil {
		return fmt.Errorf("cannot find out whether the article exists already: %w", err)
	}

	differ := map[int64][]string{} // candidate → fields that own sent otherwise
	var left []entry
	for _, e := range doubts {
		ln, ok := d.input.find(e.line, e.hash)
		if !ok {
			left = append(left, e)
			continue
		}
		it, err := d.input.load(ln)
		if err != nil {
			return err
		}
		match := -1
		for i, c := range found {
			if c.taken || !c.since(e.since) {
				continue
			}
			fields := differences(it.body, c.detail)
			if len(fields) == 0 {
				match = i
				break
			}
			if e.line == own {
				differ[c.id] = fields
			}
		}
		if match < 0 {
			left = append(left, e)
			continue
		}
		found[match].taken = true
		if err := d.state.append(record{Op: opCreated, Line: e.line, Article: found[match].id}); err != nil {
			return err
		}
	}

	for _, e := range left {
		why := unclear(e, found, differ, whole)
		if why == nil {
			if err := d.state.append(record{Op: opNotCreated, Line: e.line}); err != nil {
				return err
			}
		} else if e.line == own {
			return why
		}
	}
	return nil
}

// since tells whether the candidate can have been made at or after t.
func (c candidate) since(t time.Time) bool { return c.created.IsZero() || !c.created.Before(t) }

// unclear says why the absence of a line's article is not certain, or nil.
func unclear(e entry, found []candidate, differ map[int64][]string, whole bool) error {
	for _, c := range found {
		if c.taken || !c.since(e.since) {
			continue
		}
		text := "article %d has the same title and was created since, but is not what is said here"
		if fields := differ[c.id]; len(fields) > 0 {
			text += " in " + strings.Join(fields, ", ")
		}
		return fmt.Errorf("it is not certain whether this was deposited before the interruption: "+text+
			"; delete that article, if it is not wanted, and run again", c.id)
	}
	if !whole {
		return fmt.Errorf("it is not certain whether this was deposited before the interruption: "+
			"the server shows only %d of the account's articles", retrievable)
	}
	return nil
}

// candidates returns the own articles of a title that were made at or after
// since. whole is false when the list could not be read far enough.
func (d *depositor) candidates(ctx context.Context, title string, since time.Time) (found []candidate, whole bool, err error) {
	ids, whole, err := d.listed(ctx, title, since)
	if err != nil {
		return nil, false, err
	}
	for _, id := range ids {
		if d.state.claimed(id) {
			continue
		}
		c := candidate{id: id}
		if err := d.api.get(ctx, fmt.Sprintf("/account/articles/%d", id), &c.detail); err != nil {
			if notFound(err) {
				continue
			}
			return nil, false, err
		}
		c.created = date(c.detail["created_date"])
		var files []json.RawMessage
		if json.Unmarshal(c.detail["files"], &files) == nil && len(files) > 0 || isPublic(c.detail) || !c.since(since) {
			continue
		}
		found = append(found, c)
	}
	return found, whole, nil
}

// listed walks the own list for articles of a title. It stops early where the
// list turns out to be in the order of creation, the newest first, and has
// passed since.
func (d *depositor) listed(ctx context.Context, title string, since time.Time) (ids []int64, whole bool, err error) {
	const pageSize = 1000
	seen := map[int64]bool{}
	newestFirst := true
	var before time.Time // of the entry before
	first := 0           // length of the first page: a server may give less than asked
	for page := 1; len(seen) < retrievable; page++ {
		var list []struct {
			ID      int64           `json:"id"`
			Title   string          `json:"title"`
			Created json.RawMessage `json:"created_date"`
		}
		err := d.api.get(ctx, fmt.Sprintf("/account/articles?page=%d&page_size=%d", page, pageSize), &list)
		var reply *replyError
		if page > 1 && errors.As(err, &reply) && (reply.Status == http.StatusBadRequest || reply.Status == http.StatusUnprocessableEntity) {
			return ids, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		fresh := 0
		for _, a := range list {
			created := date(a.Created)
			newestFirst = newestFirst && !created.IsZero() && (before.IsZero() || !created.After(before))
			before = created
			if seen[a.ID] {
				continue
			}
			seen[a.ID] = true
			fresh++
			if titleHash(a.Title) == title && (created.IsZero() || !created.Before(since)) {
				ids = append(ids, a.ID)
			}
		}
		if page == 1 {
			first = len(list)
		}
		if fresh == 0 || len(list) < first || newestFirst && before.Before(since) {
			return ids, true, nil
		}
	}
	return ids, false, nil
}

// date reads a time of the API, with or without a zone; zero if there is none.
func date(raw json.RawMessage) time.Time {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return time.Time{}
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}

func notFound(err error) bool {
	var reply *replyError
	return errors.As(err, &reply) && reply.Status == http.StatusNotFound
}
