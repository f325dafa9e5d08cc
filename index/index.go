// Package index answers searches in public articles. It is a reading of the store and
// nothing else: it can be deleted at any time and is then built again. It says which
// articles match; whether somebody may see them, and in what order, is not its business.
//
// Bleve (scorch) keeps it on disk:
//
//	DIR/index/public-000001/   one index; a rebuild makes the next number beside it
//	    root.bolt              which segments there are, and the values below
//	    *.zap                  segments
//	DIR/index/dropped-…        an index that is being deleted
//
// Inside an index, in the same batch as the documents they speak of:
//
//	fingerprint   what made it: fields, word splitting, vocabularies, versions of Bleve
//	position      the last change of the store's log that is in it
//	complete      present once every public article was added
//
// An index with another fingerprint, of another log, unfinished, damaged, or that fails
// while it is used, is dropped and built from the store, while searches go on in the old
// one as long as it can be read. Open never fails because of what it finds.
package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"alcove/bucket"
)

// Options are the choices of Open; the zero value is right.
type Options struct {
	// Log is told of rebuilds and their reasons; nil means slog.Default.
	Log *slog.Logger
}

// Index is the search index of a store. Its methods are safe for concurrent use.
type Index struct {
	dir          string
	db           *bucket.DB
	log          *slog.Logger
	fingerprint  string
	batchTimeout time.Duration

	turns chan struct{} // one for each search that may run
	wake  chan struct{} // wakes the feeding goroutine besides the store
	ctx   context.Context
	stop  context.CancelFunc
	done  chan struct{} // closed when the feeding goroutine has ended
	tasks sync.WaitGroup

	next   *generation // being built beside live; the feeding goroutine's own
	number int         // of the last directory made

	mu       sync.Mutex
	live     *generation   // what searches read; nil until one could be made
	ready    bool          // live has all articles up to applied
	applied  uint64        // the sequence that searches see
	building bool          // a rebuild is under way
	wanted   bool          // a rebuild was asked for
	built    int           // how many were finished
	problem  error         // the last failure, nil after a rebuild
	closed   bool          // no progress will come
	moved    chan struct{} // closed at the next progress
	checked  time.Time     // when a failed search last made us check the files
}

// Open opens the index of a data directory, or begins to build one in the background.
// It fails only when the directory cannot be made.
func Open(dir string, db *bucket.DB, o Options) (*Index, error) {
	return open(dir, db, o, time.Minute)
}

func open(dir string, db *bucket.DB, o Options, batchTimeout time.Duration) (*Index, error) {
	ix := &Index{
		dir: filepath.Join(dir, "index"), db: db, log: o.Log, fingerprint: fingerprint(), batchTimeout: batchTimeout,
		turns: make(chan struct{}, max(4, 2*runtime.GOMAXPROCS(0))),
		wake:  make(chan struct{}, 1), done: make(chan struct{}), moved: make(chan struct{}),
	}
	if ix.log == nil {
		ix.log = slog.Default()
	}
	ix.ctx, ix.stop = context.WithCancel(context.Background())
	if err := ix.prepare(); err != nil {
		ix.stop()
		return nil, err
	}
	ix.adopt()
	go ix.feed()
	return ix, nil
}

// prepare makes the directory, and puts aside a file that has its name.
func (ix *Index) prepare() error {
	if info, err := os.Lstat(ix.dir); err == nil && !info.IsDir() {
		if err := os.Rename(ix.dir, fmt.Sprintf("%s.aside-%d", ix.dir, time.Now().UnixNano())); err != nil {
			return fmt.Errorf("cannot put aside what has the name of the search index: %w", err)
		}
	}
	if err := os.MkdirAll(ix.dir, 0o700); err != nil {
		return fmt.Errorf("cannot make the search index: %w", err)
	}
	return nil
}

// Close stops feeding, writes what the index has reached, and releases it. Searches that
// run may finish. It returns when that is done or ctx ends.
func (ix *Index) Close(ctx context.Context) error {
	ix.stop()
	all := make(chan struct{})
	go func() { // ends with the tasks, which end by themselves
		defer close(all)
		<-ix.done
		ix.tasks.Wait()
	}()
	select {
	case <-all:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cannot close the search index in time: %w", ctx.Err())
	}
}

// Wait returns when every change up to a sequence of the store can be found, so that
// Match sees what db.Update has just written. It fails when ctx ends, which the caller
// bounds, or with ErrUnavailable after Close.
func (ix *Index) Wait(ctx context.Context, seq uint64) error {
	for {
		ix.mu.Lock()
		there, closed, moved := ix.ready && ix.applied >= seq, ix.closed, ix.moved
		ix.mu.Unlock()
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

// Status is what an operator wants to know of the index.
type Status struct {
	Checkpoint uint64 // sequence of the store that searches see
	Sequence   uint64 // sequence of the store now
	Documents  uint64 // articles that can be found
	Healthy    bool   // complete, and it takes new changes
	Rebuilding bool
	Problem    string // the last failure, empty when there was none since the last rebuild
}

// Status says how the index is.
func (ix *Index) Status() Status {
	ix.mu.Lock()
	s := Status{Checkpoint: ix.applied, Rebuilding: ix.building, Sequence: ix.db.Sequence()}
	g := ix.live
	s.Healthy = ix.ready && g != nil && g.failed() == nil && !ix.closed
	if ix.problem != nil {
		s.Problem = ix.problem.Error()
	}
	ix.mu.Unlock()
	if g != nil {
		s.Documents = g.documents()
	}
	return s
}

// Rebuild builds the index anew beside the one in use and returns when it has taken its
// place. When ctx ends first the building goes on. When one is under way it waits for
// that.
func (ix *Index) Rebuild(ctx context.Context) error {
	ix.mu.Lock()
	before := ix.built
	ix.wanted = true
	ix.mu.Unlock()
	ix.kick()
	for {
		ix.mu.Lock()
		done, closed, moved := ix.built > before, ix.closed, ix.moved
		ix.mu.Unlock()
		switch {
		case done:
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

func (ix *Index) kick() {
	select {
	case ix.wake <- struct{}{}:
	default:
	}
}

// failing is called, from any goroutine, when an index has failed.
func (ix *Index) failing(err error) {
	ix.log.Error("the search index failed and is built again", "error", err)
	ix.mu.Lock()
	ix.problem = err
	ix.mu.Unlock()
	ix.kick()
}

// suspect is called when a search fails. If the files are damaged the index is built
// again; if not, the fault is in the query or in us, and building would not help. The
// files are read at most once a minute.
func (ix *Index) suspect(g *generation, cause error) {
	ix.log.Error("a search failed", "error", cause)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.closed || time.Since(ix.checked) < time.Minute {
		return
	}
	ix.checked = time.Now()
	ix.verifyLater(g)
}

// verifyLater checks the files of an index in the background. The caller holds ix.mu or
// is the feeding goroutine's start.
func (ix *Index) verifyLater(g *generation) {
	paths, _, err := g.segments()
	if err != nil {
		return
	}
	ix.tasks.Go(func() {
		if err := verify(ix.ctx, paths); err != nil && !errors.Is(err, context.Canceled) {
			g.fail(err)
		}
	})
}
