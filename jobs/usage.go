package jobs

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"time"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/damage"
	"alcove/record"
)

// Visits and downloads are counted once for each visitor, thing and day. Which
// visitor it is, an address and a program, is known by a hash alone, whose key is random,
// new each day and nowhere but in memory: the store cannot tell who looked at what.
// COUNTER's metrics are counted beside them, by its rules (clicks.go).
// Counts gather in memory and reach the store about once a second, so a crash loses a
// second of them, and a restart may count a visitor of that day again.

const (
	countEvery = time.Second
	countBatch = 200       // items of one commit
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
	// Aside is a use that COUNTER counts and that is neither a view nor a download of ours: of a description in
	// another form, or of something that the client has already (304).
	Aside bool
}

// Described is that another form of the item's description was shown.
func (u Use) Described() Use {
	u.Aside = true
	return u
}

// Visitor is who uses something: the account where it is known, and otherwise an address and a program.
type Visitor struct {
	Account        int64 // 0 for none
	Address, Agent string
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
	clicks     clicks
	agents     agents     // with a lock of its own
	countries  *Countries // nil where none are known
	waiting    map[placed]record.Used
}

// placed is an item, and the country that it is used from, "" for an unknown one.
type placed struct {
	item    bucket.Pair
	country string
}

func newUsageCounter(c *Countries) *usageCounter {
	return &usageCounter{countries: c, seed: maphash.MakeSeed(), young: map[uint64]struct{}{}, most: visitsMost, waiting: map[placed]record.Used{}}
}

// note counts a use, unless the visitor is a robot: as a view or a download unless the visitor's of that day
// was counted before, and by the rules of COUNTER.
func (v *usageCounter) note(at time.Time, who Visitor, u Use) {
	is := v.agents.classOf(who.Agent)
	if is == robot {
		return
	}
	key := placed{u.Item, v.countries.Of(who.Address)}
	v.mu.Lock()
	defer v.mu.Unlock()
	if day := at.Unix() / (24 * 60 * 60); day > v.day {
		v.day, v.seed, v.young, v.old = day, maphash.MakeSeed(), map[uint64]struct{}{}, nil
	}
	used, ok := v.waiting[key]
	if !ok && len(v.waiting) >= countMost {
		return
	}
	metrics := &used.Regular
	if is == machine {
		metrics = &used.Machine
	}
	if !u.Share {
		v.clicks.note(v.seed, at, who, u, metrics)
	}
	if !u.Aside && v.first(v.hash(who.Address, who.Agent, u)) {
		switch {
		case u.Download:
			used.Downloads++
		case u.Share:
			used.Shares++
		default:
			used.Views++
		}
	}
	if used != (record.Used{}) {
		v.waiting[key] = used
	}
}

// first notes a visit, and reports whether it is the first of its day.
func (v *usageCounter) first(sum uint64) bool {
	if _, ok := v.young[sum]; ok {
		return false
	}
	if _, ok := v.old[sum]; ok {
		return false
	}
	if len(v.young) >= v.most/2 {
		v.young, v.old = map[uint64]struct{}{}, v.young
	}
	v.young[sum] = struct{}{}
	return true
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

// items are those that wait, in their order: what is counted of neighbours lies on the same pages of the store.
func (v *usageCounter) items() []placed {
	v.mu.Lock()
	items := slices.AppendSeq(make([]placed, 0, len(v.waiting)), maps.Keys(v.waiting))
	v.mu.Unlock()
	slices.SortFunc(items, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.item.A, b.item.A), cmp.Compare(a.item.B, b.item.B), cmp.Compare(a.country, b.country))
	})
	return items
}

// take takes what waits for some items.
func (v *usageCounter) take(items []placed) []record.Used {
	v.mu.Lock()
	defer v.mu.Unlock()
	taken := make([]record.Used, len(items))
	for i, key := range items {
		taken[i] = v.waiting[key]
		delete(v.waiting, key)
	}
	return taken
}

// CountUse counts a use by a visitor: of views and downloads those of one visitor and day once, in the metrics of COUNTER by its own rules.
func (j *Jobs) CountUse(at time.Time, who Visitor, u Use) {
	if u.Item.A != 0 {
		who.Agent = who.Agent[:min(len(who.Agent), agentMost)]
		j.uses.note(at, who, u)
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

// flushCounts stores all counts that wait, in commits of a few items. A count that cannot be stored is
// lost.
func (j *Jobs) flushCounts() {
	for items := range slices.Chunk(j.uses.items(), countBatch) {
		batch := j.uses.take(items)
		var damaged error
		err := j.DB.Update(bucket.Frees(context.Background()), 0, func(tx *bucket.Tx) error {
			damaged = nil
			for i, key := range items {
				err := counting.AddUse(tx, key.item, tx.Now(), key.country, batch[i])
				if bad := new(damage.Error); errors.As(err, &bad) { // the others count
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
