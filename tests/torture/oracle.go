package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// tally is what a run has counted.
type tally struct {
	Cycles   int
	Acked    int           // writes that were acknowledged
	Doubt    int           // writes without an answer
	Done     int           // of those, how many were found to be done
	Refused  int           // writes that were refused with a status that the mode allows
	Verified int           // items that were read again and are as they must be
	Lost     int           // acknowledged, and not there
	Half     int           // in doubt, and there in part
	Wrong    int           // other answers that are not true
	Slowest  time.Duration // from the start of the server until it was ready
}

// bad is how many things were not as they must be.
func (t tally) bad() int { return t.Lost + t.Half + t.Wrong }

// oracle knows what the server has promised. It writes by several accounts at once, each with
// items of its own, and notes of every write whether it was acknowledged. Its knowledge goes on
// over restarts: what was in doubt is known once it was read.
//
//	o := newOracle(seed, tokens, dataDir)  // tokens of fresh accounts, one for each writer
//	o.load(ctx, base)                      // until ctx ends or the server is gone
//	o.verify(base, whole)                  // after the restart, with no other writer
//	o.tally, o.wrongs                      // what came of it
//
// load and verify must not run at the same time. The answers of a fault besides success are in
// o.allowed (by status) before the fault, and in o.broken from the fault on.
type oracle struct {
	seed    uint64
	dir     string // the data directory: what is staged is looked at there
	writers []*writer
	cycle   int

	// broken is set when the server may answer any write with 5xx, which leaves it in doubt.
	broken atomic.Bool
	// shared is set when the store has other items, so that public lists are not judged.
	shared bool
	// allowed are statuses that a write may be refused with: nothing of it was done then.
	allowed map[int]bool

	mu     sync.Mutex
	tally  tally
	wrongs []string // with the history of the item
	done   []*item  // whose last write was in doubt and is done
	began  time.Time
}

// writer is one person. Only one goroutine has it, so the writes to an item follow one
// another; a file is the exception, whose parts are sent together.
type writer struct {
	o     *oracle
	no    int
	token string
	items []*item
	made  int // items that were ever begun
	r     *rand.Rand
	c     *client
	down  bool // no answer came: the server is gone
}

// item is an article or a collection and what is known of it.
type item struct {
	kind    string
	mark    string // a word of its own, in its title
	id      int64  // 0 until the server has told it
	now     state
	doubt   *state   // what it is if the write without an answer was done
	past    []string // texts of earlier states
	history []string
	dirty   bool // touched since it was last verified
	serial  int  // counts what was made in it, for names that differ
	veiled  bool // some version was under an embargo
	unclear bool // whether a version waits for the end of an embargo: nothing shows it
}

// newOracle is an oracle for a server with fresh accounts.
func newOracle(seed uint64, tokens []string, dir string) *oracle {
	o := &oracle{seed: seed, dir: dir, allowed: map[int]bool{}, began: time.Now()}
	for i, t := range tokens {
		o.writers = append(o.writers, &writer{o: o, no: i, token: t, r: rand.New(rand.NewPCG(seed, uint64(i)))})
	}
	return o
}

// load lets all accounts write until the context ends, what is under way is answered, or the
// server is gone.
func (o *oracle) load(ctx context.Context, base string) {
	transport := newTransport()
	defer transport.CloseIdleConnections()
	o.cycle++
	var all sync.WaitGroup
	for _, w := range o.writers {
		w.r = rand.New(rand.NewPCG(o.seed, uint64(o.cycle)<<8|uint64(w.no)))
		w.c = &client{base, w.token, transport}
		w.down = false
		all.Go(func() {
			for ctx.Err() == nil && !w.down {
				w.step()
			}
		})
	}
	all.Go(func() { o.look(ctx, &client{base: base, http: transport}) })
	all.Wait()
}

// look searches all the time, which makes the index follow the store at once, until the
// context ends or no answer comes.
func (o *oracle) look(ctx context.Context, stranger *client) {
	body := encode(map[string]any{"search_for": "torture"})
	for ctx.Err() == nil {
		a, err := stranger.call("POST", "/articles/search", body)
		if err != nil {
			return
		}
		if a.status != http.StatusOK && !o.broken.Load() && !o.allowed[a.status] {
			o.found(wrong, nil, "a search answered %d: %.300s", a.status, a.body)
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// count changes the tally.
func (o *oracle) count(change func(*tally)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(&o.tally)
}

// isDone counts a write to an item that was in doubt and is done.
func (o *oracle) isDone(it *item) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tally.Done++
	o.done = append(o.done, it)
}

// fault is the kind of a thing that is not as it must be.
type fault int

const (
	lost fault = iota
	half
	wrong
)

// found notes what is not as it must be, with the history of the item if there is one.
func (o *oracle) found(f fault, it *item, format string, args ...any) {
	text := fmt.Sprintf("cycle %d: %s: ", o.cycle, [...]string{"lost", "half done", "wrong"}[f]) + fmt.Sprintf(format, args...)
	if it != nil {
		text += it.story()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wrongs = append(o.wrongs, text)
	switch f {
	case lost:
		o.tally.Lost++
	case half:
		o.tally.Half++
	case wrong:
		o.tally.Wrong++
	}
}

// story is what was done to the item.
func (it *item) story() string {
	text := fmt.Sprintf("\n  %s %d, %s", it.kind, it.id, it.mark)
	for _, line := range it.history {
		text += "\n    " + line
	}
	return text
}

// maxHistory is how many writes to an item are kept to be told.
const maxHistory = 60

func (it *item) note(o *oracle, format string, args ...any) {
	line := fmt.Sprintf("%9.4f s, cycle %d: ", time.Since(o.began).Seconds(), o.cycle) + fmt.Sprintf(format, args...)
	if it.history = append(it.history, line); len(it.history) > maxHistory {
		it.history = slices.Delete(it.history, 1, 2)
	}
}

// outcome is what became of a write.
type outcome int

const (
	acknowledged outcome = iota
	refused              // nothing was done
	inDoubt
)

// write sends a write that makes the item what next says, and notes what came of it. An
// acknowledged one may still tell something that belongs into the state (ids).
func (w *writer) write(it *item, method, path string, body []byte, want int, next state) (answer, outcome) {
	it.dirty = true
	a, out := w.send(it, method, path, body, want)
	switch out {
	case acknowledged:
		it.past = append(it.past, it.now.text())
		if len(it.past) > maxHistory {
			it.past = it.past[1:]
		}
		it.now = next
	case inDoubt:
		it.doubt = &next
	}
	return a, out
}

// send sends a write and judges its answer.
func (w *writer) send(it *item, method, path string, body []byte, want int) (answer, outcome) {
	it.note(w.o, "%s %s %.300s", method, path, printable(body))
	line := len(it.history) - 1
	a, err := w.c.call(method, path, body)
	switch {
	case err != nil:
		it.history[line] += fmt.Sprintf(" → no answer: %v", err)
		w.down = true
		w.o.count(func(t *tally) { t.Doubt++ })
		return a, inDoubt
	case a.status == want:
		it.history[line] += fmt.Sprintf(" → %d at %.4f s", a.status, time.Since(w.o.began).Seconds())
		w.o.count(func(t *tally) { t.Acked++ })
		return a, acknowledged
	}
	it.history[line] += fmt.Sprintf(" → %d %.200s", a.status, a.body)
	switch {
	case w.o.allowed[a.status]:
		w.o.count(func(t *tally) { t.Refused++ })
		return a, refused
	case a.status >= http.StatusInternalServerError:
		if !w.o.broken.Load() {
			w.o.found(wrong, it, "%s %s answered %d: %.300s", method, path, a.status, a.body)
		}
		w.down = true
		w.o.count(func(t *tally) { t.Doubt++ })
		return a, inDoubt
	}
	w.o.found(wrong, it, "%s %s answered %d, want %d: %.300s", method, path, a.status, want, a.body)
	return a, refused
}

// printable is a body as it stands in a history.
func printable(b []byte) string {
	if len(b) > 0 && b[0] == '{' {
		return string(b)
	}
	return fmt.Sprintf("%d bytes", len(b))
}
