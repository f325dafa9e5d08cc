package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"alcove/index/segments"
	"github.com/blevesearch/bleve/v2/index/scorch"
	api "github.com/blevesearch/bleve_index_api"
)

// Values kept inside an index, in the same batch as the documents they speak of.
var (
	keyFingerprint = []byte("fingerprint") // of the program that made it
	keyPosition    = []byte("position")    // sequence and mark of the last change applied
	keyComplete    = []byte("complete")    // present once every item was added
)

// position is a place in the change log: a sequence, and the mark of the change there,
// which tells a log from another one that has a change of that number too.
type position struct {
	seq  uint64
	mark [32]byte
}

func (p position) encode() []byte {
	return append(binary.BigEndian.AppendUint64(nil, p.seq), p.mark[:]...)
}

func decodePosition(b []byte) (position, bool) {
	if len(b) != 40 {
		return position{}, false
	}
	return position{binary.BigEndian.Uint64(b), [32]byte(b[8:])}, true
}

// generation is one Bleve index in its own directory. The feeding goroutine alone calls
// its methods, except reader, fail and failed.
type generation struct {
	dir     string
	timeout time.Duration // of one batch
	scorch  api.Index
	queue   *api.AnalysisQueue

	at         position   // what was applied, at least
	saved      uint64     // the sequence that the index itself knows
	durable    uint64     // the sequence that it knows on the disk
	complete   bool       // every item was added
	todo       []key      // items still to add before it is complete
	counted    bool       // its number of documents was compared with the store's
	unsynced   chan error // of a large batch that need not be on the disk yet; nil for none
	unsyncedAt uint64     // the sequence that is in it

	mu      sync.RWMutex
	closed  bool
	stopped bool            // the Bleve index was closed
	frozen  api.IndexReader // what searches read after a failure
	err     error           // the first failure
	broken  chan struct{}   // closed at it
	onFail  func(error)

	rejects  bool       // it failed to take a batch; the feeding goroutine's own, as is pending
	damaged  bool       // its files cannot be read
	checking sync.Mutex // held while its files are read for that
	checked  time.Time  // when they were
	pending  chan error // of a batch that was not waited for

}

// asyncErrors hands errors of Bleve's own goroutines to the generation of a directory.
// After one the index may never persist or merge again, except when it only could not
// remove old files, which it tries again by itself.
var asyncErrors sync.Map // directory → *generation

func init() {
	scorch.RegistryAsyncErrorCallbacks["alcove"] = func(err error, dir string) {
		if g, ok := asyncErrors.Load(dir); ok && !errors.Is(err, scorch.ErrCleanup) {
			g.(*generation).fail(fmt.Errorf("cannot keep the search index: %w", err))
			<-time.After(persistPause)
		}
	}
}

// openGeneration opens the index in a directory, an empty one when there is none. Damage
// is an error, whatever Bleve makes of it.
func openGeneration(dir string, timeout time.Duration, onFail func(error)) (*generation, error) {
	return openAs(dir, timeout, onFail, false)
}

// openAs is openGeneration, and with readOnly it changes nothing on the disk.
func openAs(dir string, timeout time.Duration, onFail func(error), readOnly bool) (_ *generation, err error) {
	g := &generation{dir: dir, timeout: timeout, broken: make(chan struct{}), onFail: onFail}
	g.queue = api.NewAnalysisQueue(min(runtime.GOMAXPROCS(0), 4))
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot open the search index: panic: %v", p)
		}
		if err != nil {
			g.close()
		}
	}()
	g.scorch, err = scorch.NewScorch(scorch.Name, map[string]any{
		"path":                   dir,
		"read_only":              readOnly,
		"bolt_timeout":           "1s",
		"asyncErrorCallbackName": "alcove",
		"eventCallbackName":      "alcove",
		// A batch can be searched before it is on the disk. After a crash the index
		// is at an earlier position and reads the log from there.
		"unsafe_batch": true,
	}, g.queue)
	if err != nil {
		return nil, fmt.Errorf("cannot open the search index: %w", err)
	}
	asyncErrors.Store(dir, g)
	if err := g.scorch.Open(); err != nil {
		g.stopped = true // it has closed itself
		return nil, fmt.Errorf("cannot open the search index: %w", err)
	}
	return g, nil
}

// read takes the values that the index keeps of itself, and fails when another program,
// other settings or another log made it, or when it was never finished.
func (g *generation) read(fingerprint string) error {
	r, err := g.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	made, err := r.GetInternal(keyFingerprint)
	if err != nil {
		return fmt.Errorf("cannot read the search index: %w", err)
	}
	if string(made) != fingerprint {
		return errors.New("cannot use the search index: another version made it")
	}
	complete, err := r.GetInternal(keyComplete)
	if err != nil {
		return fmt.Errorf("cannot read the search index: %w", err)
	}
	at, err := r.GetInternal(keyPosition)
	if err != nil {
		return fmt.Errorf("cannot read the search index: %w", err)
	}
	var ok bool
	if g.at, ok = decodePosition(at); !ok || len(complete) == 0 {
		return errors.New("cannot use the search index: it was not finished")
	}
	g.saved, g.durable, g.complete = g.at.seq, g.at.seq, true
	return nil
}

// reader gives a view of the index as it is now, which the caller closes.
func (g *generation) reader() (api.IndexReader, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.closed {
		return nil, ErrUnavailable
	}
	if g.frozen != nil {
		segments.Share(g.frozen)
		return g.frozen, nil
	}
	if g.stopped {
		return nil, ErrUnavailable
	}
	return g.scorch.Reader()
}

func (g *generation) documents() uint64 {
	r, err := g.reader()
	if err != nil {
		return 0
	}
	defer r.Close()
	n, _ := r.DocCount()
	return n
}

// fail notes the first failure and tells the feeding goroutine.
func (g *generation) fail(err error) {
	g.mu.Lock()
	first := g.err == nil && !g.closed
	if first {
		g.err = err
		close(g.broken)
	}
	g.mu.Unlock()
	if first {
		g.onFail(err)
	}
}

func (g *generation) failed() error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.err
}

// apply writes a batch. The position is in it, so documents and position cannot
// disagree. It returns when the batch can be searched, and with durable when it is on
// the disk. On an error, or when Bleve does not answer in time, the index has failed. One
// that had failed before takes the batch in memory, or is rejects.
func (g *generation) apply(b *api.Batch, at position, durable bool) error {
	timeout, broken := g.timeout, g.broken
	if g.failed() != nil {
		timeout, broken, durable = min(timeout, inMemoryTimeout), nil, false
	}
	b.SetInternal(keyPosition, at.encode())
	persisted := make(chan error, 1)
	if durable {
		b.SetPersistedCallback(func(err error) { persisted <- err })
	}
	late := time.NewTimer(timeout)
	defer late.Stop()
	wait := func(c <-chan error) error {
		select {
		case err := <-c:
			return err
		case <-broken: // what cannot be persisted is tried again for ever
			return g.failed()
		case <-late.C:
			return context.DeadlineExceeded
		}
	}
	var err error
	if g.pending != nil { // what is older must not come last
		err = wait(g.pending)
	}
	if err == nil {
		g.pending = make(chan error, 1)
		go g.batch(b, g.pending)
		err = wait(g.pending)
	}
	if err == nil {
		g.pending = nil
	}
	if err == nil && durable {
		err = wait(persisted)
	}
	if err != nil {
		err = fmt.Errorf("cannot write to the search index: %w", err)
		if g.failed() == nil || broken == nil { // it is this batch that fails
			g.rejects = true
		}
		g.fail(err)
		return err
	}
	g.at, g.saved = at, at.seq
	if durable {
		g.durable = at.seq
	}
	return nil
}

// batch hands a batch to Bleve. It ends with the batch; one that hangs is Bleve's and is
// left behind.
func (g *generation) batch(b *api.Batch, done chan<- error) {
	debug.SetPanicOnFault(true)
	defer func() {
		if p := recover(); p != nil {
			done <- fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	done <- g.scorch.Batch(b)
}

// freeze stops a failed index and keeps its last state for searches. It does not wait.
func (g *generation) freeze(tasks *sync.WaitGroup) {
	g.mu.Lock()
	if g.closed || g.frozen != nil || g.stopped {
		g.mu.Unlock()
		return
	}
	if r, err := g.scorch.Reader(); err == nil && segments.Readable(r) {
		g.frozen = r
	}
	g.mu.Unlock()
	tasks.Go(g.stop)
}

// stop closes the Bleve index and waits for that, but not forever: an index whose
// goroutines have died may not end.
func (g *generation) stop() {
	g.mu.Lock()
	again := g.stopped
	g.stopped = true
	g.mu.Unlock()
	asyncErrors.CompareAndDelete(g.dir, g)
	if !again && g.scorch != nil {
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() { recover() }() // it may have failed half-way through Open
			debug.SetPanicOnFault(true)
			g.scorch.Close()
		}()
		late := time.NewTimer(min(g.timeout, 5*time.Second))
		defer late.Stop()
		select {
		case <-done:
		case <-late.C:
		}
	}
}

// close gives everything back. Searches that have a reader may finish.
func (g *generation) close() {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return
	}
	g.closed = true
	frozen := g.frozen
	g.mu.Unlock()
	g.stop()
	g.queue.Close()
	if frozen != nil {
		frozen.Close()
	}
}
