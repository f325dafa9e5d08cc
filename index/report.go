package index

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"alcove/bucket"
	"alcove/index/segments"
)

// The states of one of the two indexes.
const (
	Live     = "live"     // it answers searches and follows the store
	Building = "building" // the next one is being built; the one in use, if there is one, answers meanwhile
	Failing  = "failing"  // it goes on in memory, or does not follow the store at all; it tries again by itself
	Stopped  = "stopped"  // no server runs; the next start goes on from its position
	Missing  = "missing"  // there is none that can be used; the next start builds one
)

// Report is what an operator wants to know of one of the two indexes.
type Report struct {
	Name      string  `json:"index"` // public or private
	State     string  `json:"state"`
	Documents uint64  `json:"documents"`   // items that can be found
	Position  uint64  `json:"position"`    // the last change of the log that is in it
	Lag       uint64  `json:"lag"`         // changes of the log that are not
	Seconds   float64 `json:"lag_seconds"` // since the oldest of these
	Built     int     `json:"built"`       // times that it was built since the start
	Failed    int     `json:"failed"`      // times that it was found damaged, failing or of no use since the start
	Bytes     int64   `json:"bytes"`       // on the disk, with what is being built or removed
	Added     int     `json:"added"`       // while it is being built: items so far
	Adding    int     `json:"adding"`      // of so many, without what was changed meanwhile
	Problem   string  `json:"problem"`     // the last failure since the last rebuild
}

// Reports says how each of the two indexes is, the public one first.
func (ix *Index) Reports() []Report {
	var list []Report
	for _, sd := range ix.subindexes() {
		seq := sd.db.Sequence()
		s := sd.status()
		r := Report{Name: sd.name, State: Live, Documents: s.Documents, Position: s.Checkpoint, Problem: s.Problem}
		sd.mu.Lock()
		wanted, stuck := sd.building || sd.wanted || !sd.ready, sd.stuck != nil
		r.Added, r.Adding, r.Built, r.Failed = sd.added, sd.adding, sd.built, sd.failures
		sd.mu.Unlock()
		switch {
		case wanted && !stuck:
			r.State = Building
		case stuck, !s.Healthy:
			r.State = Failing
		}
		if r.State != Building {
			r.Added, r.Adding = 0, 0
		}
		if seq > r.Position { // it may have gone on since
			r.Lag, r.Seconds = seq-r.Position, waiting(sd.db, r.Position)
		}
		r.Bytes = size(sd.dir, sd.name)
		list = append(list, r)
	}
	return list
}

// StartRebuild begins to build both indexes again, beside those in use, and does not wait.
// Where a rebuild is under way it begins none.
func (ix *Index) StartRebuild() {
	for _, sd := range ix.subindexes() {
		sd.rebuild()
	}
}

// Inspect is Reports of a data directory whose store is open and whose index is not. It
// changes nothing, and reads every byte of the index once.
func Inspect(ctx context.Context, dir string, db *bucket.DB) []Report {
	dir = filepath.Join(dir, "index")
	return []Report{
		inspect(ctx, dir, "public", publicKinds, db),
		inspect(ctx, dir, "private", privateKinds, db),
	}
}

func inspect(ctx context.Context, dir, name string, kinds []*kind, db *bucket.DB) Report {
	r := Report{Name: name, State: Missing, Lag: db.Sequence(), Seconds: waiting(db, 0), Bytes: size(dir, name)}
	sd := &subindex{name: name, dir: dir, db: db, fingerprint: fingerprint(kinds), ctx: ctx}
	number := sd.newest()
	if number == 0 {
		return r
	}
	g, err := sd.peek(sd.path(number))
	if err != nil {
		r.Problem = err.Error()
		return r
	}
	defer g.close()
	r.State, r.Documents, r.Position = Stopped, g.documents(), g.at.seq
	r.Lag, r.Seconds = db.Sequence()-g.at.seq, waiting(db, g.at.seq)
	return r
}

// waiting is for how many seconds the first change after a place in the log has been there.
func waiting(db *bucket.DB, position uint64) (seconds float64) {
	// An entry of the log that cannot be read is told by what follows it.
	_ = db.View(func(tx *bucket.Tx) error {
		for c, err := range tx.Changes(position) {
			if err == nil {
				seconds = max(0, tx.Now().Sub(c.Time).Seconds())
			}
			break
		}
		return nil
	})
	return seconds
}

// newest is the highest number of an index in the directory, 0 when there is none.
func (sd *subindex) newest() (number int) {
	entries, _ := os.ReadDir(sd.dir) // not there is empty
	for _, e := range entries {
		var n int
		if _, err := fmt.Sscanf(e.Name(), sd.name+"-%d", &n); err == nil && filepath.Base(sd.path(n)) == e.Name() {
			number = max(number, n)
		}
	}
	return number
}

// peek opens an index that could be used, to look at it. A damaged segment is an error,
// though the next start may find that it can do without.
func (sd *subindex) peek(dir string) (*generation, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.zap"))
	if err == nil {
		err = segments.VerifyAll(sd.ctx, paths)
	}
	if err != nil {
		return nil, err
	}
	g, err := openAs(dir, peekTimeout, func(error) {}, true)
	if err != nil {
		return nil, err
	}
	if err := sd.usable(g); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// peekTimeout bounds how long an index may take to close.
const peekTimeout = 5 * time.Second

// size is how many bytes the directories of an index have on the disk.
func size(dir, name string) (bytes int64) {
	for _, pattern := range []string{name + "-*", "dropped-" + name + "-*"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is a good one
		for _, top := range found {
			filepath.WalkDir(top, func(_ string, e fs.DirEntry, err error) error {
				if err != nil {
					return nil // removed meanwhile
				}
				if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
					bytes += info.Size()
				}
				return nil
			})
		}
	}
	return bytes
}

// lag tells the log when an index is far behind the store, and when it has caught up.
type lag struct{ since time.Time }

// farBehind is how many changes that is.
const farBehind = 20000

// note is called by the feeding goroutine after each step.
func (l *lag) note(sd *subindex, idle bool) {
	sd.mu.Lock()
	applied, ready := sd.applied, sd.ready
	sd.mu.Unlock()
	seq := sd.db.Sequence()
	switch {
	case l.since.IsZero() && ready && seq > applied+farBehind:
		l.since = time.Now()
		sd.log.Info("the search index is behind the store", "lag", seq-applied, "position", applied)
	case !l.since.IsZero() && idle:
		sd.log.Info("the search index has caught up", "position", applied, "ms", time.Since(l.since).Milliseconds())
		l.since = time.Time{}
	}
}
