package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
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

// robot is a reader whose visits do not count.
const robot = "User-Agent: bot\r\n"

// another is an article in no order, asked for as it was not before. 7919 is prime.
func (a *alcove) another() string {
	n := serial.Add(1)
	return fmt.Sprintf("/v2/articles/%d?bench=%d", a.ids[int(n*7919)%len(a.ids)], n)
}

// small begins the names of what is measured where there are few items.
const small = "small: "

const since = "&published_since="

// reads are the pages and records of one Alcove, with their names after a prefix.
func (a *alcove) reads(prefix string, clients int) []measure {
	ask := func(name string, want int, next requests) measure {
		t := trial{server: a.server, clients: clients, next: next, want: want}
		return measure{prefix + name, t.run}
	}
	// The first visit of a day is counted and stored, about a second after it was answered.
	visits := trial{server: a.server, clients: clients, want: 200, tail: true, later: 1500 * time.Millisecond, next: func() []byte { return get(a.another(), "") }}
	counted := measure{prefix + "single article, never seen, counted as visited", visits.run}
	return []measure{
		ask("list, never seen", 200, func() []byte { return get(pageTarget+since+unseen(), "") }),
		ask("list, filtered", 200, func() []byte {
			return get(fmt.Sprintf("%s&item_type=%d%s%s", pageTarget, datasets, since, unseen()), "")
		}),
		ask("own list", 200, always(get("/v2/account/articles?page_size=10", a.signed()))),
		ask("single article, never seen", 200, func() []byte { return get(a.another(), robot) }),
		counted,
		ask("single article, repeated", 200, always(get(fmt.Sprintf("/v2/articles/%d", a.ids[0]), ""))),
		ask("list, repeated", 200, always(get(pageTarget, ""))),
		ask("not modified", 304, always(get(fmt.Sprintf("/v2/articles/%d", a.ids[0]), a.known()))),
		ask("list by cursor, deep, never seen", 200, func() []byte {
			// A cursor belongs to its query, in which an unknown name means nothing.
			return get(fmt.Sprintf("%s&bench=%d", pageTarget, serial.Add(1)), "X-Cursor: "+a.deep+"\r\n")
		}),
		ask("list by cursor, deep, repeated", 200, always(get(pageTarget, "X-Cursor: "+a.deep+"\r\n"))),
	}
}

// floor are the bare answers: the very bytes of Alcove's, the same and a line in a log,
// and the body alone.
func floor(s *server, clients int) (list []measure) {
	for _, kind := range []struct{ name, path string }{{bareSame, "/"}, {bareLog, "/log/"}, {bareBody, "/body/"}} {
		for name, status := range map[string]int{"list": 200, "article": 200, "304": 304} {
			list = append(list, fixed(kind.name+name, s, clients, kind.path+name, status))
		}
	}
	slices.SortFunc(list, func(a, b measure) int { return strings.Compare(a.name, b.name) })
	return list
}

// besides puts next to each other what is compared, so that what disturbs the machine for a
// second or two disturbs both. Requests that are counted, and so written, come last.
func besides(list []measure) {
	order := []string{"counted", "own list", "filtered", "304", "not modified", "article", ""}
	group := func(m measure) int {
		return slices.IndexFunc(order, func(part string) bool { return strings.Contains(m.name, part) })
	}
	slices.SortStableFunc(list, func(a, b measure) int { return cmp.Compare(group(b), group(a)) })
}

const (
	bareSame = "bare, same bytes: "
	bareLog  = "bare, same bytes and a log line: "
	bareBody = "bare, body alone: "
)

// fixed asks a server that is not ours for one thing.
func fixed(name string, s *server, clients int, target string, want int) measure {
	return measure{name, trial{server: s, clients: clients, next: always(get(target, "")), want: want}.run}
}
