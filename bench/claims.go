package main

import (
	"fmt"
	"math"
)

// claim is a ratio, or a value by itself, with what is promised of it.
type claim struct {
	text   string
	of     func(sample) float64
	over   string
	under  string // empty for a value by itself
	limit  float64
	atMost bool
}

// claims are the promises that this run can show. Lines that were not measured are left out.
func claims(s []searching) []claim {
	list := []claim{
		{"list page never seen / bare handler, same bytes, CPU", cpu, "list, never seen", bareSame + "list", 2, true},
		{"— / bare handler, body alone", cpu, "list, never seen", bareBody + "list", 0, true},
		{"— / bare handler, same bytes and a log line", cpu, "list, never seen", bareLog + "list", 0, true},
		{"list page repeated / bare handler, same bytes, CPU", cpu, "list, repeated", bareSame + "list", 1.5, true},
		{"— / bare handler, body alone", cpu, "list, repeated", bareBody + "list", 0, true},
		{"— / bare handler, same bytes and a log line", cpu, "list, repeated", bareLog + "list", 0, true},
		{"single article never seen / bare handler, same bytes, CPU", cpu, "single article, never seen", bareSame + "article", 2, true},
		{"— / bare handler, body alone", cpu, "single article, never seen", bareBody + "article", 0, true},
		{"— / bare handler, same bytes and a log line", cpu, "single article, never seen", bareLog + "article", 0, true},
		{"single article never seen and counted as visited / bare handler, same bytes, CPU", cpu, "single article, never seen, counted as visited", bareSame + "article", 3, true},
		{"not modified / bare 304, same bytes, CPU", cpu, "not modified", bareSame + "304", 2, true},
		{"— / bare 304, status alone", cpu, "not modified", bareBody + "304", 0, true},
		{"— / bare 304, same bytes and a log line", cpu, "not modified", bareLog + "304", 0, true},
		{"list page never seen / PocketBase's fast mode, rps", rps, "list, never seen", "pocketbase: list, fast mode", 10, false},
		{"— bare handler, same bytes / PocketBase's fast mode, rps: what the client leaves room for", rps, bareSame + "list", "pocketbase: list, fast mode", 0, false},
		{"— PocketBase's fast mode / list page never seen, CPU", cpu, "pocketbase: list, fast mode", "list, never seen", 0, false},
		{"list page never seen / PocketBase with its count, rps", rps, "list, never seen", "pocketbase: list", 0, false},
		{"list page never seen / nginx, static file, CPU", cpu, "list, never seen", "nginx: list", 0, true},
		{"deep page by cursor, never seen / first page, rps", rps, "list by cursor, deep, never seen", "list, never seen", 0.6, false},
	}
	for _, g := range []struct {
		name  string
		limit float64
	}{
		{"list, never seen", 1.3}, {"list, filtered", 1.3}, {"own list", 1.3}, {"single article, never seen", 1.3}, {"single article, repeated", 0}, {"list, repeated", 0},
		{"not modified", 0}, {"list by cursor, deep, never seen", 0},
	} {
		list = append(list, claim{"growth, " + g.name + ", CPU", cpu, g.name, small + g.name, g.limit, true})
	}
	for _, q := range s {
		list = append(list, claim{"growth, search, " + q.kind() + ", CPU", cpu, ours + q.kind(), small + q.kind(), 0, true})
	}
	goals := map[string]float64{"rare word": 5, "medium word": 8, "common word": 5} // ms; 15 for the others
	for _, q := range s {
		limit := 15.0
		if l, ok := goals[q.kind()]; ok {
			limit = l
		}
		list = append(list,
			claim{"search, " + q.name + ", p50 ms", p50, ours + q.kind(), "", limit, true},
			claim{"search, " + q.name + ", p99 ms", p99, ours + q.kind(), "", 50, true})
	}
	for _, q := range s {
		list = append(list,
			claim{"Bleve's field sort / search, " + q.kind() + ", p50", p50, bleveSort + q.kind(), ours + q.kind(), 0, false},
			claim{"SQLite FTS5 / search, " + q.kind() + ", p50", p50, sqliteFTS + q.kind(), ours + q.kind(), 0, false})
	}
	return append(list, writeClaims...)
}

var writeClaims = []claim{
	{"durable creates at 1 client / raw fdatasync, rps", rps, "create, 1 clients", rawWrite, 0, false},
	{"durable creates at 32 clients / raw fdatasync, rps", rps, "create, 32 clients", rawWrite, 0.22, false},
	{"durable creates at 128 clients / raw fdatasync, rps", rps, "create, 128 clients", rawWrite, 0.32, false},
	{"durable creates at 1 client / bare durable POST, rps", rps, "create, 1 clients", bareDurable + "1 clients", 0, false},
	{"durable creates at 32 clients / bare durable POST, rps", rps, "create, 32 clients", bareDurable + "32 clients", 0, false},
	{"durable creates at 128 clients / bare durable POST, rps", rps, "create, 128 clients", bareDurable + "128 clients", 0, false},
	{"bare durable POST at 32 clients / raw fdatasync, rps", rps, bareDurable + "32 clients", rawWrite, 0, false},
	{"bare durable POST at 128 clients / raw fdatasync, rps", rps, bareDurable + "128 clients", rawWrite, 0, false},
	{"durable creates at 1 client / bbolt's commits of one key, rps", rps, "create, 1 clients", oneCommit, 0, false},
	{"durable creates at 32 clients / bbolt's commits of one key, rps", rps, "create, 32 clients", oneCommit, 0, false},
	{"durable creates at 128 clients / bbolt's commits of one key, rps", rps, "create, 128 clients", oneCommit, 0, false},
	{"bbolt's commits of one key / raw fdatasync, rps", rps, oneCommit, rawWrite, 0, false},
	{"publish / create at 32 clients, rps", rps, "publish, 32 clients", "create, 32 clients", 0.4, false},
	{"publish while one more publishes and searches / create at 32 clients, rps", rps, publishWatched, "create, 32 clients", 0, false},
	{"found by search after publish, p99 ms", p99, "from publish to found, meanwhile", "", 200, true},
	{"import / bbolt alone with the same keys and values, items a second", rps, bulkImport, bulkRaw, 0.35, false},
	{"index rebuilt / Bleve alone with the same documents, items a second", rps, bulkIndex, bulkBleve, 0.9, false},
	{"index rebuilt / Bleve alone, CPU", cpu, bulkIndex, bulkBleve, 0, true},
}

// row is the claim held against the results; empty when they do not speak of it.
func (c claim) row(r *results) string {
	values := r.values(c.over, c.of)
	if c.under != "" {
		values = ratios(values, r.values(c.under, c.of))
	}
	s := summarise(values)
	if math.IsNaN(s.median) {
		return ""
	}
	goal, met := "–", ""
	switch {
	case c.limit == 0: // nothing was promised
	case c.atMost:
		goal, met = "≤ "+number(c.limit), said(s.median <= c.limit)
	default:
		goal, met = "≥ "+number(c.limit), said(s.median >= c.limit)
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", c.text, s, goal, met)
}

func said(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
