package jobs

import (
	"encoding/binary"
	"hash/maphash"
	"time"

	"alcove/record"
)

// clickWithin is how long after a use the same one of the same visitor is a double click, and clicksMost how many
// uses are remembered at least half.
const (
	clickWithin = 30 * time.Second
	clicksMost  = 500_000
)

// clicks are the uses of the last hour or two, by which COUNTER's metrics are counted (Code of Practice for
// Research Data, release 1): of the same uses that follow each other within 30 seconds one counts, and a visitor
// is unique once an hour of the clock for an item. The visitor is the account, where it is known, or the address
// and the program; it is known by a hash alone. The zero value has none. The uses of before are forgotten first.
type clicks struct {
	hour       int64 // since 1970, UTC
	young, old map[uint64]int64
}

// note adds a use to the metrics of its item.
func (c *clicks) note(seed maphash.Seed, at time.Time, who Visitor, u Use, to *record.Metrics) {
	now := at.Unix()
	if hour := now / (60 * 60); hour > c.hour || c.young == nil || len(c.young) >= clicksMost/2 {
		if hour > c.hour+1 {
			c.young = nil
		}
		c.hour, c.young, c.old = max(c.hour, hour), map[uint64]int64{}, c.young
	}
	key := func(what byte, number, hour int64) uint64 {
		var h maphash.Hash
		h.SetSeed(seed)
		var b [41]byte
		b[0] = what
		for i, n := range []int64{u.Item.A, u.Item.B, number, hour, who.Account} {
			binary.BigEndian.PutUint64(b[1+8*i:], uint64(n))
		}
		h.Write(b[:])
		if who.Account == 0 {
			h.WriteString(who.Address)
			h.WriteByte(0)
			h.WriteString(who.Agent)
		}
		return h.Sum64()
	}
	same := byte(0)
	if u.Download {
		same = 1
	}
	if !c.seen(key(same, u.File, 0), now, clickWithin) {
		to.TotalInvestigations++
		if u.Download {
			to.TotalRequests++
		}
	}
	if !c.seen(key(2, 0, c.hour), now, 2*time.Hour) {
		to.UniqueInvestigations++
	}
	if u.Download && !c.seen(key(3, 0, c.hour), now, 2*time.Hour) {
		to.UniqueRequests++
	}
}

// seen notes when something was done, and reports whether it was done not longer ago than within.
func (c *clicks) seen(sum uint64, now int64, within time.Duration) bool {
	last, ok := c.young[sum]
	if !ok {
		last, ok = c.old[sum]
	}
	c.young[sum] = max(last, now)
	return ok && now-last <= int64(within/time.Second)
}
