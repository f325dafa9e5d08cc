// Package index answers searches. It is a reading of the store and nothing else: it can
// be deleted at any time and is then built again. It says which items match, and which of them are the most
// relevant (rank.go); whether the caller may see them, and every other order, is the store's to say.
//
// Public items and those that only their owner may find are in different indexes, so
// that no search in public items can meet a word of a private one. Bleve (scorch) keeps
// them on disk:
//
//	DIR/index/public-000001/   public articles, collections and projects
//	DIR/index/private-000001/  working copies and projects, with the accounts that have them
//	    root.bolt              which segments there are, and the values below
//	    *.zap                  segments
//	DIR/index/dropped-…        an index that is being deleted
//
// A rebuild makes the next number beside the one in use. Inside an index, in the same
// batch as the documents they speak of:
//
//	fingerprint   what made it: kinds, fields, word splitting, vocabularies, versions of Bleve
//	position      the last change of the store's log that is in it
//	complete      present once every item was added
//
// An index with another fingerprint, of another log, unfinished, damaged, or that fails
// while it is used, is dropped and built from the store, while searches go on in the old
// one as long as it can be read. The other index does not notice. Open never fails
// because of what it finds.
package index

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
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
	public, private *subindex
	turns           chan struct{} // one for each search that may run
}

// Open opens the index of a data directory, or begins to build one in the background.
// It fails only when the directory cannot be made.
func Open(dir string, db *bucket.DB, o Options) (*Index, error) {
	return open(dir, db, o, time.Minute)
}

func open(dir string, db *bucket.DB, o Options, batchTimeout time.Duration) (*Index, error) {
	dir = filepath.Join(dir, "index")
	if err := prepare(dir); err != nil {
		return nil, err
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Index{
		public:  newSubindex("public", publicKinds, dir, db, o.Log, batchTimeout),
		private: newSubindex("private", privateKinds, dir, db, o.Log, batchTimeout),
		turns:   make(chan struct{}, max(4, 2*runtime.GOMAXPROCS(0))),
	}, nil
}

// prepare makes the directory, and puts aside a file that has its name.
func prepare(dir string) error {
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		if err := os.Rename(dir, fmt.Sprintf("%s.aside-%d", dir, time.Now().UnixNano())); err != nil {
			return fmt.Errorf("cannot put aside what has the name of the search index: %w", err)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot make the search index: %w", err)
	}
	return nil
}

func (ix *Index) subindexes() []*subindex { return []*subindex{ix.public, ix.private} }

// subindex is where the items of a scope are.
func (ix *Index) subindex(s Scope) *subindex {
	if s.private {
		return ix.private
	}
	return ix.public
}

// Close stops feeding, writes what the index has reached, and releases it. Searches that
// run may finish. It returns when that is done or ctx ends.
func (ix *Index) Close(ctx context.Context) error {
	for _, sd := range ix.subindexes() {
		sd.stop()
	}
	all := make(chan struct{})
	go func() { // ends with the tasks, which end by themselves
		defer close(all)
		for _, sd := range ix.subindexes() {
			<-sd.done
			sd.tasks.Wait()
		}
	}()
	select {
	case <-all:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cannot close the search index in time: %w", ctx.Err())
	}
}

// Wait returns when every change up to a sequence of the store can be found in a scope,
// so that Match sees what db.Update has just written. It fails when ctx ends, which the
// caller bounds, or at once with ErrUnavailable when that cannot be waited for: while
// the index is known not to follow the store, and after Close.
func (ix *Index) Wait(ctx context.Context, s Scope, seq uint64) error {
	return ix.subindex(s).wait(ctx, seq)
}

// Status is what an operator wants to know of the index.
type Status struct {
	Checkpoint uint64 // sequence of the store that all searches see
	Sequence   uint64 // sequence of the store now
	Documents  uint64 // items that can be found
	Healthy    bool   // complete, and it takes new changes
	Rebuilding bool
	Problem    string // the last failures, empty when there were none since the last rebuild
}

// Status says how the index is: what holds of both its halves, and what is wrong with
// either.
func (ix *Index) Status() Status {
	s, p := ix.public.status(), ix.private.status()
	s.Checkpoint = min(s.Checkpoint, p.Checkpoint)
	s.Documents += p.Documents
	s.Healthy = s.Healthy && p.Healthy
	s.Rebuilding = s.Rebuilding || p.Rebuilding
	if s.Problem != "" && p.Problem != "" {
		s.Problem += "; "
	}
	s.Problem += p.Problem
	s.Sequence = ix.public.db.Sequence()
	return s
}

// Rebuild builds the index again beside the one in use and returns when it has taken its
// place. When ctx ends first the building goes on. When one is under way it waits for
// that.
func (ix *Index) Rebuild(ctx context.Context) error {
	public, private := ix.public.rebuild(), ix.private.rebuild()
	if err := public(ctx); err != nil {
		return err
	}
	return private(ctx)
}
