package jobs

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// Visits and downloads are counted once for each visitor, thing and day. Which
// visitor it is, an address and a program, is known by a hash alone, whose key is random,
// new each day and nowhere but in memory: the store cannot tell who looked at what.
// Counts gather in memory and reach the store about once a second, so a crash loses a
// second of them, and a restart may count a visitor of that day again.

const (
	countEvery = time.Second
	countBatch = 1000      // items of one commit
	countMost  = 100_000   // items that wait; what comes to more is not counted
	visitsMost = 1_000_000 // visits of a day that are known at least half
	agentMost  = 512       // bytes of a User-Agent that are looked at
)

// Use is what is counted: a view of a public item, a download of one of its files or of all of
// them, or that its address was asked for to be shared. The zero use is not.
type Use struct {
	Item     bucket.Pair // kind and id
	Download bool
	Share    bool
	File     int64 // of a download, 0 for an archive
}

// View is that the page or the record of an item was shown.
func View(kind, id int64) Use { return Use{Item: bucket.Pair{A: kind, B: id}} }

// usageCounter knows which visitors have been there today, and what was counted since it was last stored.
// Its methods are safe for concurrent use.
type usageCounter struct {
	mu         sync.Mutex
	day        int64 // since 1970, UTC
	seed       maphash.Seed
	young, old map[uint64]struct{} // hashes of visitor and use; old ones go when young are many
	most       int                 // hashes in both
	waiting    map[bucket.Pair]record.Counts
}

func newUsageCounter() *usageCounter {
	return &usageCounter{seed: maphash.MakeSeed(), young: map[uint64]struct{}{}, most: visitsMost, waiting: map[bucket.Pair]record.Counts{}}
}

// note counts a use, unless the visitor's of that day was counted before, or the visitor
// is a robot.
func (v *usageCounter) note(at time.Time, address, agent string, u Use) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if day := at.Unix() / (24 * 60 * 60); day > v.day {
		v.day, v.seed, v.young, v.old = day, maphash.MakeSeed(), map[uint64]struct{}{}, nil
	}
	sum := v.hash(address, agent, u)
	if _, ok := v.young[sum]; ok {
		return
	}
	if _, ok := v.old[sum]; ok {
		return
	}
	if robot(agent) {
		return
	}
	counts, ok := v.waiting[u.Item]
	if !ok && len(v.waiting) >= countMost {
		return
	}
	if len(v.young) >= v.most/2 {
		v.young, v.old = map[uint64]struct{}{}, v.young
	}
	v.young[sum] = struct{}{}
	switch {
	case u.Download:
		counts.Downloads++
	case u.Share:
		counts.Shares++
	default:
		counts.Views++
	}
	v.waiting[u.Item] = counts
}

func (v *usageCounter) hash(address, agent string, u Use) uint64 {
	var h maphash.Hash
	h.SetSeed(v.seed)
	what := uint64(u.Item.A) << 2
	if u.Download {
		what |= 1
	}
	if u.Share {
		what |= 2
	}
	var b [24]byte
	binary.BigEndian.PutUint64(b[:], what)
	binary.BigEndian.PutUint64(b[8:], uint64(u.Item.B))
	binary.BigEndian.PutUint64(b[16:], uint64(u.File))
	h.Write(b[:])
	h.WriteString(address)
	h.WriteByte(0)
	h.WriteString(agent)
	return h.Sum64()
}

// take takes what waits for up to n items.
func (v *usageCounter) take(n int) map[bucket.Pair]record.Counts {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.waiting) <= n {
		all := v.waiting
		v.waiting = map[bucket.Pair]record.Counts{}
		return all
	}
	some := map[bucket.Pair]record.Counts{}
	for key, counts := range v.waiting {
		if len(some) == n {
			break
		}
		some[key] = counts
		delete(v.waiting, key)
	}
	return some
}

// robots are words in the names of programs that read by themselves.
// Programs that people run, as curl is, are none.
var robots = strings.Fields(`bot crawl spider slurp archiver harvest scraper feedfetcher externalhit monitor uptime lighthouse validator linkcheck`)

// robot reports whether a User-Agent is that of a robot.
func robot(agent string) bool {
	agent = strings.ReplaceAll(strings.ToLower(agent), "cubot", "") // makes telephones
	for _, word := range robots {
		if strings.Contains(agent, word) {
			return true
		}
	}
	return false
}

// CountUse counts a use by a visitor, an address and a program, unless it was counted that day.
func (j *Jobs) CountUse(at time.Time, address, agent string, u Use) {
	if u.Item.A != 0 {
		j.uses.note(at, address, agent[:min(len(agent), agentMost)], u)
	}
}

// storeCounts stores counts about once a second until its context ends, and what is left
// then.
func (j *Jobs) storeCounts(ctx context.Context) {
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
			j.flushCounts()
		case <-ctx.Done():
		}
	}
	j.flushCounts()
}

// flushCounts stores all counts that wait, in a few commits. A count that cannot be stored is
// lost.
func (j *Jobs) flushCounts() {
	for {
		batch := j.uses.take(countBatch)
		if len(batch) == 0 {
			return
		}
		var damaged error
		err := j.DB.Update(bucket.Frees(context.Background()), 0, func(tx *bucket.Tx) error {
			damaged = nil
			for key, counts := range batch {
				err := bucket.AddUse(tx, key, tx.Now(), counts)
				if bad := new(bucket.DamagedError); errors.As(err, &bad) { // the others count
					damaged = err
				} else if err != nil {
					return err
				}
			}
			return nil
		})
		if joined := errors.Join(err, damaged); joined != nil {
			j.Log.Error("cannot store counts", "error", joined)
		}
		if err != nil { // the store may have stopped
			return
		}
	}
}
