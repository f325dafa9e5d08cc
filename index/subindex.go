package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"alcove/bucket"
	"alcove/index/segments"
)

// subindex is one of the two indexes, with the goroutine that feeds it.
type subindex struct {
	name         string // public or private: in front of the names of its directories
	kinds        []*kind
	dir          string
	db           *bucket.DB
	log          *slog.Logger
	fingerprint  string
	batchTimeout time.Duration
	tags         *segments.Columns

	wake  chan struct{} // wakes the feeding goroutine besides the store
	ctx   context.Context
	stop  context.CancelFunc
	done  chan struct{} // closed when the feeding goroutine has ended
	tasks sync.WaitGroup

	next   *generation   // being built beside live; the feeding goroutine's own, as what follows
	number int           // of the last directory made
	pause  time.Duration // after the last failure to build next
	putOff time.Time     // when it is tried again; zero when none has failed

	mu       sync.Mutex
	live     *generation   // what searches read; nil until one could be made
	ready    bool          // live has all items up to applied
	applied  uint64        // the sequence that searches see
	building bool          // a rebuild is under way
	wanted   bool          // a rebuild was asked for
	built    int           // how many were finished
	failures int           // how often one was of no use
	problem  error         // the last failure, nil after a rebuild
	stuck    error         // why nothing follows the store now, nil while something does
	closed   bool          // no progress will come
	added    int           // of the items of the index that is being built
	adding   int           // how many these are
	moved    chan struct{} // closed at the next progress
	began    time.Time     // when it was begun
}

// newSubindex takes up the index that the last run has left, if it can be used, and follows
// the store from there.
func newSubindex(name string, kinds []*kind, dir string, db *bucket.DB, log *slog.Logger, batchTimeout time.Duration) *subindex {
	sd := &subindex{
		name: name, kinds: kinds, dir: dir, db: db, log: log.With("index", name),
		fingerprint: fingerprint(kinds), batchTimeout: batchTimeout, tags: segments.NewColumns(fTag),
		wake: make(chan struct{}, 1), done: make(chan struct{}), moved: make(chan struct{}),
	}
	sd.ctx, sd.stop = context.WithCancel(context.Background())
	sd.adopt()
	go sd.feed()
	return sd
}

// wait returns when every change up to a sequence of the store can be found. It lets the
// feeding goroutine not wait for more. It fails at once, with ErrUnavailable, while nothing
// follows the store.
func (sd *subindex) wait(ctx context.Context, seq uint64) error {
	var stuck error
	err := sd.until(ctx, func() bool {
		there := sd.ready && sd.applied >= seq
		if stuck = nil; !there {
			stuck = sd.stuck
			sd.kick()
		}
		return there || stuck != nil
	})
	if err == nil && stuck != nil {
		err = fmt.Errorf("%w: the index does not follow the store: %w", ErrUnavailable, stuck)
	}
	return err
}

// until returns when a condition holds, which is asked under sd.mu at every progress. It
// fails when ctx ends, and with ErrUnavailable when no progress will come.
func (sd *subindex) until(ctx context.Context, holds func() bool) error {
	for {
		sd.mu.Lock()
		there, closed, moved := holds(), sd.closed, sd.moved
		sd.mu.Unlock()
		switch {
		case there:
			return nil
		case closed:
			return ErrUnavailable
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("cannot wait for the search index: %w", ctx.Err())
		}
	}
}

// rebuild asks for a rebuild and gives what waits for its end.
func (sd *subindex) rebuild() func(context.Context) error {
	sd.mu.Lock()
	before := sd.built
	sd.wanted = true
	sd.mu.Unlock()
	sd.kick()
	return func(ctx context.Context) error {
		return sd.until(ctx, func() bool { return sd.built > before })
	}
}

func (sd *subindex) status() Status {
	sd.mu.Lock()
	s := Status{Checkpoint: sd.applied, Rebuilding: sd.building}
	g := sd.live
	s.Healthy = sd.ready && g != nil && g.failed() == nil && !sd.closed
	if sd.problem != nil {
		s.Problem = sd.problem.Error()
	}
	sd.mu.Unlock()
	if g != nil {
		s.Documents = g.documents()
	}
	return s
}

func (sd *subindex) kick() {
	select {
	case sd.wake <- struct{}{}:
	default:
	}
}

// failing is called, from any goroutine, when an index has failed.
func (sd *subindex) failing(err error) {
	sd.log.Error("the search index failed and is built again", "error", err)
	sd.mu.Lock()
	sd.problem = err
	sd.failures++
	sd.mu.Unlock()
	sd.kick()
}

// verifyLater checks the files of an index in the background. The caller holds sd.mu or
// is the feeding goroutine's start.
func (sd *subindex) verifyLater(g *generation) {
	paths, err := g.segments()
	if err != nil {
		return
	}
	sd.tasks.Go(func() {
		if err := segments.VerifyAll(sd.ctx, paths); err != nil && !errors.Is(err, context.Canceled) {
			sd.foundDamaged(g, err)
		}
	})
}
