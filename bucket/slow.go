package bucket

import (
	"time"

	"alcove/latency"
)

// slowWrites is how long one commit may hold the writer before it is told.
const slowWrites = 100 * time.Millisecond

// Slow is a commit that held up all other writes, with the longest of its writes.
type Slow struct {
	Took    time.Duration // all of its writes, before it went to the disk
	Writes  int           // how many
	Longest time.Duration // the longest one
	Account int64         // whose that was, 0 for the server's own
	Stored  int           // how often it stored something
}

// commitTimer measures what a commit does before it goes to the disk.
type commitTimer struct {
	began time.Time
	told  Slow
}

func (h *commitTimer) op(o *op, tx *Tx, took time.Duration) {
	h.told.Writes++
	if took > h.told.Longest {
		h.told.Longest, h.told.Account, h.told.Stored = took, o.by.Account, tx.writes
	}
}

// reportSlow counts and tells a commit that took long.
func (db *DB) reportSlow(h *commitTimer) {
	if h.told.Took = time.Since(h.began); h.told.Took < db.slow {
		return
	}
	db.slowCommits.Add(1)
	if db.onSlow != nil {
		db.onSlow(h.told)
	}
}

// SlowCommits counts the commits since the store was opened that held the writer for long.
func (db *DB) SlowCommits() uint64 { return db.slowCommits.Load() }

// Decoded counts the records since the store was opened that transactions which write had to
// decode, while all others who write waited.
func (db *DB) Decoded() uint64 { return db.decoded.Load() }

// latencies are how long commits take.
type latencies struct{ commits, written latency.Histogram }

// committed counts a commit that is on the disk: all of it, and what of it was the disk's.
func (l *latencies) committed(h *commitTimer, disk time.Duration) {
	l.commits.Since(h.began)
	l.written.Observe(disk)
}

// Latencies are how long commits took since the store was opened, from the first of their writes
// until they were on the disk, and how long it took of that to write and sync their pages.
func (db *DB) Latencies() (commits, written *latency.Histogram) {
	return &db.latencies.commits, &db.latencies.written
}
