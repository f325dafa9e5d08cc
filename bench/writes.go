package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	rawWrite    = "write and fdatasync of 4 KiB"
	bareDurable = "bare durable POST, "

	publishWatched = "publish, 32 clients, while one more publishes and searches"
)

// writing is what the measures of writing hand on to each other within a round.
type writing struct {
	server  *alcove
	scratch string // a file on the disk of the data directory
	store   *oneKey
	bare    *server // answers a POST of /durable as Alcove answers a create
	texts   drafts

	lock   sync.Mutex
	drafts []int64 // made in this round, to be published
	found  []time.Duration
}

// measures are to be run in their order.
func (w *writing) measures() []measure {
	list := []measure{}
	for _, clients := range []int{1, 32, 128} {
		t := trial{server: w.server.server, clients: clients, want: 201, next: w.create, tail: true}
		if clients > 1 {
			t.seen = w.keep
		}
		if clients == 32 {
			// Right before the creates that it is compared with most.
			list = append(list, measure{rawWrite, w.raw}, measure{oneCommit, w.store.run})
		}
		list = append(list, measure{fmt.Sprintf("create, %d clients", clients), t.run})
		least := trial{server: w.bare, clients: clients, want: 201, next: func() []byte { return post("/durable", "", w.draft("")) }}
		list = append(list, measure{fmt.Sprintf("%s%d clients", bareDurable, clients), least.run})
	}
	return append(list, measure{"publish, 32 clients", w.publish}, measure{publishWatched, w.watched}, measure{"from publish to found, meanwhile", w.delays})
}

// raw writes and syncs, one after the other, what a commit writes at least.
func (w *writing) raw(_ context.Context, d time.Duration) (sample, error) {
	f, err := os.OpenFile(w.scratch, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return sample{}, fmt.Errorf("cannot write: %w", err)
	}
	defer f.Close()
	var took []time.Duration
	page := make([]byte, 4096)
	begin := time.Now()
	for now := begin; now.Sub(begin) < d; {
		if _, err := f.Write(page); err != nil {
			return sample{}, fmt.Errorf("cannot write: %w", err)
		}
		if err := syscall.Fdatasync(int(f.Fd())); err != nil {
			return sample{}, fmt.Errorf("cannot sync: %w", err)
		}
		after := time.Now()
		took, now = append(took, after.Sub(now)), after
	}
	return newSample(took, time.Since(begin), -1), nil
}

// create makes a draft that can be published.
func (w *writing) create() []byte {
	return post("/v2/account/articles", w.server.signed(), w.draft(""))
}

// draft is an article of the corpus again, with a word before its title. New items are like those
// that are there, so that searches cost as much afterwards.
func (w *writing) draft(word string) string { return w.texts.text(serial.Add(1), word) }

func (w *writing) keep(a answer) {
	if id, err := created(a); err == nil {
		w.lock.Lock()
		defer w.lock.Unlock()
		w.drafts = append(w.drafts, id)
	}
}

// created is the id in the answer to a create.
func created(a answer) (int64, error) {
	at := a.header.Get("Location")
	var id int64
	if _, err := fmt.Sscanf(at[strings.LastIndexByte(at, '/')+1:], "%d", &id); err != nil {
		return 0, fmt.Errorf("cannot tell what was created from %q: %w", at, err)
	}
	return id, nil
}

// publish publishes drafts of this round, with as little beside it as creates have.
func (w *writing) publish(ctx context.Context, d time.Duration) (sample, error) {
	return w.publications(nil).run(ctx, d)
}

// publications are of 32 clients, for as long as there are drafts. then may be nil, see trial.
func (w *writing) publications(then func()) trial {
	return trial{server: w.server.server, clients: 32, want: 201, tail: true, then: then, next: func() []byte {
		w.lock.Lock()
		defer w.lock.Unlock()
		if len(w.drafts) == 0 {
			return nil
		}
		id := w.drafts[0]
		w.drafts = w.drafts[1:]
		return post(fmt.Sprintf("/v2/account/articles/%d/publish", id), w.server.signed(), "")
	}}
}

// watched publishes the drafts that are left, and looks meanwhile how soon what one more client
// publishes is found. Its searches let no change wait for more to go into the index with.
func (w *writing) watched(ctx context.Context, d time.Duration) (sample, error) {
	w.found = nil
	over, stop := context.WithCancel(ctx)
	defer stop()
	var looked error
	looking := make(chan struct{})
	go func() { // ends with stop, after the search under way
		defer close(looking)
		looked = w.look(over)
	}()
	s, err := w.publications(func() { stop(); <-looking }).run(ctx, d)
	stop()
	<-looking
	w.drafts = nil
	return s, errors.Join(err, looked)
}

// look publishes articles with a word that no other has, and searches for it from the
// moment at which the publication is acknowledged.
func (w *writing) look(ctx context.Context) error {
	c, err := w.server.dial()
	if err != nil {
		return err
	}
	defer c.Close()
	for ctx.Err() == nil {
		unique := fmt.Sprintf("zq%dqz", serial.Add(1))
		a, err := c.do(post("/v2/account/articles", w.server.signed(), w.draft(unique)), false)
		if err != nil {
			return err
		}
		id, err := created(a)
		if err != nil {
			return err
		}
		if a, err = c.do(post(fmt.Sprintf("/v2/account/articles/%d/publish", id), w.server.signed(), ""), true); err != nil || a.status != 201 {
			return fmt.Errorf("cannot publish: %d %w: %s", a.status, err, a.body)
		}
		begin := time.Now()
		for {
			a, err := c.do(post("/v2/articles/search", "", `{"search_for": "`+unique+`"}`), true)
			if err != nil {
				return err
			}
			if a.status == 200 && len(a.body) > len("[]\n") {
				break
			}
			if time.Since(begin) > time.Minute {
				return fmt.Errorf("what was published is not found after a minute: %d %s", a.status, a.body)
			}
		}
		w.found = append(w.found, time.Since(begin))
	}
	return nil
}

// delays hands out what look has seen.
func (w *writing) delays(context.Context, time.Duration) (sample, error) {
	slices.Sort(w.found)
	return sample{rps: math.NaN(), cpu: math.NaN(), p50: percentile(w.found, 0.5), p99: percentile(w.found, 0.99)}, nil
}
