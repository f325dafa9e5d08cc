package deposit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	api "alcove/record"
)

// create returns the article of a line, making it if that was not done yet.
func (d *depositor) create(ctx context.Context, ln line, it item) (int64, error) {
	title := titleHash(it.title)
	path := "/account/articles"
	if it.project != 0 {
		path = fmt.Sprintf("/account/projects/%d/articles", it.project)
	}
	defer d.lockTitle(title)()
	err := d.once(ctx, step{
		where: func() (bool, bool) {
			e := d.state.entry(ln.id)
			return e.creating, e.article != 0
		},
		announce: func() record {
			return record{Op: opCreate, Line: ln.id, Hash: ln.hash, Title: title, At: d.clock.now().UTC(), Since: d.api.serverTime()}
		},
		do: func(ctx context.Context) (record, error) {
			rec := record{Op: opCreated, Line: ln.id}
			err := d.api.onceOnly(ctx, func() error {
				r, err := d.api.call(ctx, http.MethodPost, path, it.body)
				if err != nil {
					return err
				}
				if warnings, ok := r.warnings(); ok {
					rec.Step, rec.Warnings = stepHeard, warnings
				}
				rec.Article, err = r.created()
				return err
			})
			return rec, err
		},
		refused: record{Op: opNotCreated, Line: ln.id},
		resolve: func(ctx context.Context) error { return d.resolveCreates(ctx, title, ln.id) },
	})
	return d.state.entry(ln.id).article, err
}

// titleHash is what the state file keeps of a title.
func titleHash(title string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(title)))
	return hex.EncodeToString(sum[:8])
}

// lockTitle lets only one line of a title be created at a time, so that an
// article of this title is either claimed or in doubt, never about to be
// claimed. Some titles share a lock. The caller runs the returned function.
func (d *depositor) lockTitle(title string) func() {
	raw, err := hex.DecodeString(title)
	if err != nil || len(raw) == 0 {
		raw = []byte{0}
	}
	l := &d.titles[int(raw[0])%len(d.titles)]
	l.Lock()
	return l.Unlock
}

// addAuthors adds the authors that the article body could not hold, ten at a
// time. Before each request it reads the list, so that none is added twice.
func (d *depositor) addAuthors(ctx context.Context, article int64, all []json.RawMessage) error {
	path := fmt.Sprintf("/account/articles/%d/authors", article)
	var last error
	for try := 0; len(all) > 0; {
		var there []serverAuthor
		if err := d.api.get(ctx, path, &there); err != nil {
			return fmt.Errorf("cannot read its authors: %w", err)
		}
		have := authorsThere(there, all)
		switch {
		case have == len(all):
			return nil
		case have < bodyAuthors:
			return errors.New("cannot tell which of the authors the article has already")
		case try == 3:
			return last
		}
		body := joinObject([]member{{quote: []byte(`"authors"`), value: joinArray(all[have:min(have+bodyAuthors, len(all))])}})
		err := d.api.onceOnly(ctx, func() error {
			_, err := d.api.call(ctx, http.MethodPost, path, body)
			return err
		})
		switch {
		case err == nil:
			try = 0
		case refused(err):
			return fmt.Errorf("cannot add its authors: %w", err)
		default:
			last = fmt.Errorf("cannot add its authors: %w", err)
			try++
			if err := d.waitUntilListed(ctx, d.clock.now()); err != nil {
				return err
			}
		}
	}
	return nil
}

// serverAuthor is an author as the server lists it.
type serverAuthor struct {
	ID       int64  `json:"id"`
	FullName string `json:"full_name"`
}

// is tells whether the server's author is the one that was sent.
func (a serverAuthor) is(sent json.RawMessage) bool {
	var s api.AuthorRef
	if json.NewDecoder(bytes.NewReader(sent)).Decode(&s) != nil {
		return false
	}
	if s.ID != nil && *s.ID != 0 {
		return *s.ID == a.ID
	}
	names := []string{s.NewPerson(0).FullName} // as this server has it, and as others do
	if s.Name != nil {
		names = append(names, *s.Name)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.Join(strings.Fields(name), " ") == strings.Join(strings.Fields(a.FullName), " ")
	})
}

// authorsThere returns how many of all, from the first, end the server's list. A
// server may have put the owner in front of them.
func authorsThere(there []serverAuthor, all []json.RawMessage) int {
next:
	for n := min(len(there), len(all)); n > 0; n-- {
		for i := range n {
			if !there[len(there)-n+i].is(all[i]) {
				continue next
			}
		}
		return n
	}
	return 0
}
