package doi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/record"
)

const (
	lookEvery = 10 * time.Second // how often it is looked what is due, besides after each change
	lookLeast = time.Second      // between two looks
	firstWait = 30 * time.Second // after a try that failed; each further one waits twice as long
	mostWait  = 6 * time.Hour    // at most
	refusedAs = 15 * time.Minute // after the registrar has refused our account
)

// Run tells the registrar what waits until its context ends.
func (s *Service) Run(ctx context.Context) {
	said := "" // the last error in the log, which is not said again
	for {
		changed := s.DB.Changed()
		err := s.round(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && err.Error() != said {
			said = err.Error()
			s.Log.Error("cannot tell the registrar of DOIs what changed", "error", err)
		}
		if err == nil {
			said = ""
		}
		if !pause(ctx, lookLeast) {
			return
		}
		select {
		case <-changed:
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// round looks at what changed, and sends what is due.
func (s *Service) round(ctx context.Context) error {
	if err := cmp.Or(s.moved(ctx), s.follow(ctx)); err != nil {
		return err
	}
	var state record.RegistrarState
	err := s.DB.View(func(tx *bucket.Tx) (err error) {
		state, err = exchange.Registrar(tx)
		return err
	})
	if err != nil || s.DB.Time().Before(state.Resume) {
		return err
	}
	if state.Compare {
		err = s.compare(ctx)
	}
	if err == nil {
		err = s.drain(ctx)
	}
	return s.halt(ctx, state, err)
}

// drain sends what is due, in order, until nothing is or the registrar cannot be reached. Of an item nothing is sent
// while an earlier DOI of it waits for its time.
func (s *Service) drain(ctx context.Context) error {
	late := map[bucket.Pair]bool{}
	for after := int64(0); ctx.Err() == nil; {
		id, r, err := s.next(after, late)
		if err != nil || r == nil {
			return err
		}
		after = id
		err = s.send(ctx, id, r)
		var e *Refused
		var u undescribed
		switch {
		case err == nil:
		case errors.As(err, &u):
			s.Log.Error("cannot tell the registrar what a DOI leads to", "doi", r.DOI, "error", err)
			if err := s.later(ctx, id, r, err); err != nil {
				return err
			}
		case errors.As(err, &e) && !e.account() && !e.busy():
			if err := s.park(ctx, id, r, err); err != nil {
				return err
			}
		case errors.As(err, &e) && e.Status >= 500:
			// The registrar answers, but not to this: the others go on.
			if err := s.later(ctx, id, r, err); err != nil {
				return err
			}
			if s.failed.Add(1); len(late) >= lateMost {
				return err
			}
		default:
			s.failed.Add(1)
			return err
		}
		if err != nil {
			late[bucket.Pair{A: r.Kind, B: r.Item}] = true
		}
	}
	return ctx.Err()
}

// lateMost is how many items may fail before the registrar itself is taken to be ill.
const lateMost = 3

// next is the first registration behind an id that is due, nil for none.
func (s *Service) next(after int64, late map[bucket.Pair]bool) (id int64, r *record.Registration, err error) {
	err = s.DB.View(func(tx *bucket.Tx) error {
		for hit := range exchange.RegistrationsWaiting.Behind(tx, []byte{}, after) {
			one, err := exchange.Registrations.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			item := bucket.Pair{A: one.Kind, B: one.Item}
			if late[item] || one.Due.After(tx.Latest()) {
				late[item] = true
				continue
			}
			id, r = hit.Key, one
			return nil
		}
		return nil
	})
	return id, r, err
}

// undescribed says that an item cannot be read: the others are sent nevertheless.
type undescribed struct{ error }

// sendable are the DOIs that DataCite takes.
var sendable = regexp.MustCompile(`^10\.[0-9]{4,9}/[-._;()/:a-zA-Z0-9*~$=]+$`)

// send tells the registrar of one DOI what it is to be now.
func (s *Service) send(ctx context.Context, id int64, r *record.Registration) error {
	if !sendable.MatchString(r.DOI) {
		return &Refused{Cause: record.CauseForm, Message: "the registrar takes letters, digits and -._;()/:*~$= in DOIs"}
	}
	var metadata map[string]any
	address := r.URL
	err := s.DB.View(func(tx *bucket.Tx) (err error) {
		switch r.Wanted {
		case record.DOIFindable:
			metadata, address, err = s.Describe(tx, r.Kind, r.Item, r.Version)
		case record.DOIHidden:
			metadata, err = s.Gone(tx, r.Kind, r.Item)
			address = s.page(r, metadata != nil)
		}
		return err
	})
	if errors.Is(err, bucket.ErrNotFound) {
		return nil // it was withdrawn since the change log was read
	}
	if err != nil {
		return undescribed{err}
	}
	sum, err := sumOf(r.Wanted, address, metadata)
	if err != nil {
		return err
	}
	if r.Sent == r.Wanted && r.Sum == sum {
		return s.done(ctx, id, r, address, sum)
	}
	if r.Wanted == record.DOIHidden && !r.Registered() {
		if gone, err := s.drop(ctx, id, r); err != nil || gone {
			return err
		}
	} else if !r.Begun {
		if err := s.begin(ctx, id, r, address, metadata); err != nil {
			return err
		}
	}
	if r.Wanted == "" {
		err = s.Registrar.Delete(ctx, r.DOI)
	} else {
		err = s.Registrar.Put(ctx, r.DOI, r.Wanted, address, metadata)
	}
	if err != nil {
		return err
	}
	s.sent.Add(1)
	return s.done(ctx, id, r, address, sum)
}

// drop forgets a DOI whose item was withdrawn before the registrar had confirmed it, and reports false where it has been
// registered nevertheless.
func (s *Service) drop(ctx context.Context, id int64, r *record.Registration) (gone bool, err error) {
	if r.Begun {
		known, err := s.Registrar.Get(ctx, r.DOI)
		switch {
		case errors.Is(err, ErrUnknown):
		case err != nil:
			return false, err
		case known.State != record.DOIDraft:
			return false, nil
		default:
			if err := s.Registrar.Delete(ctx, r.DOI); err != nil {
				return false, err
			}
		}
	}
	return true, s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
		now, err := exchange.Registrations.Get(tx, id)
		if errors.Is(err, bucket.ErrNotFound) || err == nil && now.Turn != r.Turn {
			return nil
		}
		if err != nil {
			return err
		}
		return exchange.Registrations.Delete(tx, id)
	})
}

// page is the address that a DOI has led to, under that of the site as it is now: there it is said that the item was
// withdrawn. Without its title the address has none either; the page is found by the id.
func (s *Service) page(r *record.Registration, untitled bool) string {
	for _, of := range []struct {
		pages string
		title int // which part behind it has the title
	}{{"/articles/", 1}, {"/collections/", 0}} {
		_, path, ok := strings.Cut(r.URL, of.pages)
		if !ok {
			continue
		}
		if parts := strings.Split(path, "/"); untitled && of.title < len(parts) {
			parts[of.title] = "_"
			path = strings.Join(parts, "/")
		}
		return s.SiteURL + of.pages + path
	}
	return s.SiteURL
}

// sumOf tells whether something has to be sent again.
func sumOf(state, address string, metadata map[string]any) (string, error) {
	b, err := json.Marshal([]any{state, address, metadata})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}

// begin stores that the registrar is about to be told of a DOI for the first time. One that it has already is another's,
// as after a restore of an older state in which the same id was given again, unless address and title are the same.
func (s *Service) begin(ctx context.Context, id int64, r *record.Registration, address string, metadata map[string]any) error {
	known, err := s.Registrar.Get(ctx, r.DOI)
	if err == nil && (known.URL != address || known.Title != titleOf(metadata)) {
		return &Refused{Cause: record.CauseTaken, Message: fmt.Sprintf("the registrar has this DOI already, for %q at %s; alcove doi retry --take-over --doi %s gives it to the item here", known.Title, cmp.Or(known.URL, "no address"), r.DOI)}
	}
	if err != nil && !errors.Is(err, ErrUnknown) {
		return err
	}
	return change(ctx, s.DB, []int64{id}, func(_ *bucket.Tx, r *record.Registration) error {
		r.Begun = true
		return nil
	})
}

func titleOf(metadata map[string]any) string {
	titles, _ := metadata["titles"].([]any)
	if len(titles) == 0 {
		return ""
	}
	first, _ := titles[0].(map[string]any)
	title, _ := first["title"].(string)
	return title
}
