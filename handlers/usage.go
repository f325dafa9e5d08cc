package handlers

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"net/http"
	"strings"
	"sync"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// Visits and downloads are counted once for each visitor, thing and day. Which
// visitor is, an address and a program, is known by a hash alone, whose key is random,
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

// usage is what is counted: a view of a public item, or a download of one of its files, or
// of all of them. The zero use is not.
type usage struct {
	item     bucket.Pair // kind and id
	download bool
	file     int64 // of a download, 0 for an archive
}

func view(kind, id int64) usage { return usage{item: bucket.Pair{A: kind, B: id}} }

// visits know who has been there today, and what was counted since it was last stored.
// Their methods are safe for concurrent use.
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
func (v *usageCounter) note(at time.Time, address, agent string, u usage) {
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
	counts, ok := v.waiting[u.item]
	if !ok && len(v.waiting) >= countMost {
		return
	}
	if len(v.young) >= v.most/2 {
		v.young, v.old = map[uint64]struct{}{}, v.young
	}
	v.young[sum] = struct{}{}
	if u.download {
		counts.Downloads++
	} else {
		counts.Views++
	}
	v.waiting[u.item] = counts
}

func (v *usageCounter) hash(address, agent string, u usage) uint64 {
	var h maphash.Hash
	h.SetSeed(v.seed)
	what := uint64(u.item.A) << 1
	if u.download {
		what |= 1
	}
	var b [24]byte
	binary.BigEndian.PutUint64(b[:], what)
	binary.BigEndian.PutUint64(b[8:], uint64(u.item.B))
	binary.BigEndian.PutUint64(b[16:], uint64(u.file))
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

// count counts what the caller is about to get.
func (c *Call) count(u usage) {
	if u.item.A == 0 || c.Method != http.MethodGet {
		return
	}
	agent := c.Header.Get("User-Agent")
	c.API.usageCounter.note(c.start, c.API.remote(c.request), agent[:min(len(agent), agentMost)], u)
}

// storeCounts stores counts about once a second until its context ends, and what is left
// then.
func (a *API) storeCounts(ctx context.Context) {
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
			a.flushCounts()
		case <-ctx.Done():
		}
	}
	a.flushCounts()
}

// flushCounts stores all counts that wait, in a few commits. A count that cannot be stored is
// lost.
func (a *API) flushCounts() {
	for {
		batch := a.usageCounter.take(countBatch)
		if len(batch) == 0 {
			return
		}
		var damaged error
		err := a.DB.Update(bucket.Frees(context.Background()), 0, func(tx *bucket.Tx) error {
			damaged = nil
			for key, counts := range batch {
				err := bucket.AddCounts(tx, key, counts)
				if bad := new(bucket.DamagedError); errors.As(err, &bad) { // the others count
					damaged = err
				} else if err != nil {
					return err
				}
			}
			return nil
		})
		if joined := errors.Join(err, damaged); joined != nil {
			a.Log.Error("cannot store counts", "error", joined)
		}
		if err != nil { // the store may have stopped
			return
		}
	}
}
