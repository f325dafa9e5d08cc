package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// measure is one row of the table.
type measure struct {
	name string
	run  func(ctx context.Context, d time.Duration) (sample, error)
}

// serial makes every question of a run another one.
var serial atomic.Int64

// unseen narrows a list by a date that lets everything pass and was not asked for before:
// there are 360,000 of them.
func unseen() string {
	day := int(serial.Add(1)) % 360000
	return time.Date(1000, 1, 1+day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

const since = "&published_since="

// reads are the pages and records of one Alcove, with their names after a prefix.
func (a *alcove) reads(prefix string, clients int) []measure {
	ask := func(name string, want int, next requests) measure {
		t := trial{server: a.server, clients: clients, next: next, want: want}
		return measure{prefix + name, t.run}
	}
	var turn atomic.Int64
	return []measure{
		ask("list, never seen", 200, func() []byte { return get(pageTarget+since+unseen(), "") }),
		ask("list, filtered", 200, func() []byte {
			return get(fmt.Sprintf("%s&item_type=%d%s%s", pageTarget, datasets, since, unseen()), "")
		}),
		ask("own list", 200, always(get("/v2/account/articles?page_size=10", a.signed()))),
		ask("single article", 200, func() []byte {
			// 7919 is prime, so the articles come in no order.
			return get(fmt.Sprintf("/v2/articles/%d", a.ids[int(turn.Add(7919))%len(a.ids)]), "")
		}),
		ask("list, repeated", 200, always(get(pageTarget, ""))),
		ask("not modified", 304, always(get(fmt.Sprintf("/v2/articles/%d", a.ids[0]), "If-None-Match: "+a.tag+"\r\n"))),
		ask("list by cursor, deep", 200, always(get(pageTarget, "X-Cursor: "+a.deep+"\r\n"))),
	}
}

// growing are the reads that are also measured where there are few items.
const growing = 4

// fixed asks a server that is not ours for one thing.
func fixed(name string, s *server, clients int, target string, want int) measure {
	return measure{name, trial{server: s, clients: clients, next: always(get(target, "")), want: want}.run}
}
