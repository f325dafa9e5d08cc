package handlers

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"alcove/bucket"
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
	damage *bucket.DamagedError
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
	var d *bucket.DamagedError
	if !errors.As(err, &d) || !d.Repairable() {
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

// again runs something that reads the store, and once more after each damaged record that it met
// and that could be repaired. A record that is still being repaired after a while is told as unavailable.
func (c *Call) again(run func() (Reply, error)) (Reply, error) {
	ctx, cancel := context.Background(), context.CancelFunc(nil)
	for {
		reply, err := run()
		p := c.API.repairs.ask(err)
		if p == nil {
			return reply, err
		}
		if cancel == nil {
			ctx, cancel = context.WithTimeout(c.Context, repairPatience)
			defer cancel()
		}
		select {
		case <-p.ended:
			if !p.ok {
				return reply, err
			}
		case <-ctx.Done():
			return reply, record.ErrUnavailable
		}
	}
}

// repairRecords repairs what was asked for until its context ends.
func (a *API) repairRecords(ctx context.Context) {
	for {
		select {
		case p := <-a.repairs.queue:
			a.repairNext(ctx, p)
		case <-ctx.Done():
			return
		}
	}
}

// repairNext ends a repair whatever happens, so that no request waits for it in vain.
func (a *API) repairNext(ctx context.Context, p *repair) {
	ok := false
	defer func() { a.repairs.end(p, ok) }()
	ok = a.Repair(ctx, p.damage)
}

// Repair repairs a damaged record or document, and tells the log.
func (a *API) Repair(ctx context.Context, d *bucket.DamagedError) bool {
	where, err := a.Items.Repair(ctx, d, a.FromBackups)
	var record *bucket.DamagedError
	if errors.As(err, &record) && a.Items.IsDocument(d) && !a.Items.IsDocument(record) && a.Repair(ctx, record) {
		where, err = a.Items.Repair(ctx, d, a.FromBackups)
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		a.repairs.failed.Add(1)
		a.Log.Error("cannot repair what is damaged", "table", d.Table(), "key", d.KeyText(), "error", err)
	case where != "":
		a.repairs.done.Add(1)
		a.Log.Warn("repaired what was damaged", "table", d.Table(), "key", d.KeyText(), "from", where)
	}
	return err == nil
}

// Repairs are how many records and documents were repaired since the start, and how often one
// could not be.
func (a *API) Repairs() (done, failed uint64) { return a.repairs.done.Load(), a.repairs.failed.Load() }
