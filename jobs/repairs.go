package jobs

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/record"
)

const (
	// repairPatience is how long a request waits for what it has met to be repaired.
	repairPatience = 2 * time.Second
	// repairAgain is after how long it is tried again where it failed: a backup may be there by then.
	repairAgain = 10 * time.Minute
	// mostRepairs bounds how many are known at a time.
	mostRepairs = 1000
)

// repairs are damaged records and documents that readers have met. A reader cannot write, so they
// wait for a goroutine that repairs one after another through the store's writer.
type repairs struct {
	queue        chan *repair
	done, failed atomic.Uint64

	mu    sync.Mutex
	known map[string]*repair // by bucket and key: those under way, and those that failed
}

// repair is one that was asked for.
type repair struct {
	damage *damage.Error
	ended  chan struct{}
	at     time.Time // of its end
	ok     bool      // set before ended is closed
}

func newRepairs() *repairs {
	return &repairs{queue: make(chan *repair, mostRepairs), known: map[string]*repair{}}
}

// ask begins the repair of what an error names, if that can be repaired, and does not wait. It is
// nil where there is nothing to wait for.
func (r *repairs) ask(err error) *repair {
	if err == nil {
		return nil
	}
	var d *damage.Error
	if !errors.As(err, &d) || !bucket.Repairable(d) {
		return nil
	}
	name := d.Bucket + "\x00" + string(d.Key)
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.known[name]; p != nil && (p.at.IsZero() || time.Since(p.at) < repairAgain) {
		return p
	}
	if len(r.known) >= mostRepairs {
		for n, p := range r.known {
			if !p.at.IsZero() {
				delete(r.known, n)
			}
		}
	}
	p := &repair{damage: d, ended: make(chan struct{})}
	select {
	case r.queue <- p:
		r.known[name] = p
		return p
	default:
		return nil // so much is damaged that it takes a while
	}
}

// end tells those who wait what came of a repair.
func (r *repairs) end(p *repair, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.ok, p.at = ok, time.Now(); ok {
		delete(r.known, p.damage.Bucket+"\x00"+string(p.damage.Key))
	}
	close(p.ended)
}

// RepairSoon has repaired what an error names, if that can be repaired, and does not wait.
func (j *Jobs) RepairSoon(err error) { j.repairs.ask(err) }

// Again runs something that reads the store, and once more after each damaged record that it met
// and that could be repaired. A record that is still being repaired after a while is told as
// unavailable.
func (j *Jobs) Again(ctx context.Context, run func() error) error {
	var cancel context.CancelFunc
	for {
		err := run()
		p := j.repairs.ask(err)
		if p == nil {
			return err
		}
		if cancel == nil {
			ctx, cancel = context.WithTimeout(ctx, repairPatience)
			defer cancel()
		}
		select {
		case <-p.ended:
			if !p.ok {
				return err
			}
		case <-ctx.Done():
			return record.ErrUnavailable
		}
	}
}

// repairRecords repairs what was asked for until its context ends.
func (j *Jobs) repairRecords(ctx context.Context) {
	for {
		select {
		case p := <-j.repairs.queue:
			j.repairNext(ctx, p)
		case <-ctx.Done():
			return
		}
	}
}

// repairNext ends a repair whatever happens, so that no request waits for it in vain.
func (j *Jobs) repairNext(ctx context.Context, p *repair) {
	ok := false
	defer func() { j.repairs.end(p, ok) }()
	ok = j.Repair(ctx, p.damage)
}

// Repair repairs a damaged record or document, and tells the log.
func (j *Jobs) Repair(ctx context.Context, d *damage.Error) bool {
	where, err := j.Items.Repair(ctx, d, j.FromBackups)
	var record *damage.Error
	if errors.As(err, &record) && j.Items.IsDocument(d) && !j.Items.IsDocument(record) && j.Repair(ctx, record) {
		where, err = j.Items.Repair(ctx, d, j.FromBackups)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		j.Log.Error("cannot repair what is damaged", "table", d.Table(), "key", d.KeyText(), "error", err)
		j.repairs.failed.Add(1)
	case where != "":
		j.Log.Warn("repaired what was damaged", "table", d.Table(), "key", d.KeyText(), "from", where)
		j.repairs.done.Add(1)
	}
	return err == nil
}

// Repairs are how many records and documents were repaired since the start, and how often one
// could not be.
func (j *Jobs) Repairs() (done, failed uint64) { return j.repairs.done.Load(), j.repairs.failed.Load() }
