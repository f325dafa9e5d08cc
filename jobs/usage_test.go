package jobs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// A use counts once for each visitor and day of UTC; a visitor is an address and a program.
func TestVisits(t *testing.T) {
	evening := time.Date(2026, 3, 1, 23, 59, 59, 0, time.UTC)
	key := bucket.Pair{A: record.KindArticle, B: 1}
	one := Use{Item: key}
	for _, tt := range []struct {
		name string
		more func(note func(time.Time, Visitor, Use))
		want record.Counts
	}{
		{"again", func(note func(time.Time, Visitor, Use)) { note(evening, Visitor{Address: "a", Agent: "p"}, one) }, record.Counts{Views: 1}},
		{"another address", func(note func(time.Time, Visitor, Use)) { note(evening, Visitor{Address: "b", Agent: "p"}, one) }, record.Counts{Views: 2}},
		{"another program", func(note func(time.Time, Visitor, Use)) { note(evening, Visitor{Address: "a", Agent: "q"}, one) }, record.Counts{Views: 2}},
		{"the next day", func(note func(time.Time, Visitor, Use)) {
			note(evening.Add(time.Second), Visitor{Address: "a", Agent: "p"}, one)
		}, record.Counts{Views: 2}},
		{"a clock that is put back", func(note func(time.Time, Visitor, Use)) {
			note(evening.Add(time.Second), Visitor{Address: "a", Agent: "p"}, one)
			note(evening, Visitor{Address: "a", Agent: "p"}, one)
		}, record.Counts{Views: 2}},
		{"files and archives", func(note func(time.Time, Visitor, Use)) {
			for _, file := range []int64{1, 2, 0, 1, 0} {
				note(evening, Visitor{Address: "a", Agent: "p"}, Use{Item: key, Download: true, File: file})
			}
		}, record.Counts{Views: 1, Downloads: 3}},
	} {
		v := newUsageCounter(nil)
		v.note(evening, Visitor{Address: "a", Agent: "p"}, one)
		tt.more(v.note)
		if got := v.take([]placed{{item: key}})[0].Counts; got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	// Items of the same number are not the same. They are stored in their order, and what comes meanwhile waits.
	v := newUsageCounter(nil)
	for kind := record.KindProject; kind >= record.KindArticle; kind-- {
		for _, id := range []int64{7, 1, 300} {
			v.note(evening, Visitor{Address: "a", Agent: "p"}, View(kind, id))
		}
	}
	items := v.items()
	var got []bucket.Pair
	for _, i := range items {
		got = append(got, i.item)
	}
	if want := []bucket.Pair{{A: 1, B: 1}, {A: 1, B: 7}, {A: 1, B: 300}, {A: 2, B: 1}, {A: 2, B: 7}, {A: 2, B: 300}, {A: 3, B: 1}, {A: 3, B: 7}, {A: 3, B: 300}}; !slices.Equal(got, want) {
		t.Errorf("waiting are %v", got)
	}
	v.note(evening, Visitor{Address: "b", Agent: "p"}, View(1, 7))
	v.note(evening, Visitor{Address: "b", Agent: "p"}, View(1, 8))
	taken := v.take(items[:2])
	v.note(evening, Visitor{Address: "c", Agent: "p"}, View(1, 7))
	if taken[0].Views != 1 || taken[1].Views != 2 || len(v.items()) != len(items)+1-1 || v.take(items[1:2])[0].Views != 1 {
		t.Errorf("taken are %v; then wait %v", taken, v.items())
	}
}

// The memory is bounded: the oldest visits are forgotten first, by halves.
func TestVisitsAreBounded(t *testing.T) {
	v := newUsageCounter(nil)
	v.most = 100
	at, key := time.Unix(1e9, 0), bucket.Pair{A: record.KindArticle, B: 1}
	for n := range 1000 {
		v.note(at, Visitor{Address: fmt.Sprint(n), Agent: "p"}, Use{Item: key})
		if known := len(v.young) + len(v.old); known > v.most {
			t.Fatalf("%d visits are known", known)
		}
	}
	for n := 950; n < 1000; n++ {
		v.note(at, Visitor{Address: fmt.Sprint(n), Agent: "p"}, Use{Item: key})
	}
	if got := v.take([]placed{{item: key}})[0].Views; got != 1000 {
		t.Errorf("%d views, want 1000", got)
	}
	for n := range countMost + 10 {
		v.note(at, Visitor{Address: "a", Agent: "p"}, View(record.KindArticle, int64(n)))
	}
	if len(v.waiting) != countMost {
		t.Errorf("%d items wait", len(v.waiting))
	}
}

// Robots are known by their names; programs that people run are machines, and so is one without a name.
func TestAgents(t *testing.T) {
	for agent, want := range map[string]class{
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": robot,
		"Mozilla/5.0 (compatible; Yahoo! Slurp)":                                   robot,
		"SomeSpider/1":                                                             robot,
		"facebookexternalhit/1.1":                                                  robot,
		"Mozilla/5.0":                                                              robot,
		"Scrapy/2.11":                                                              robot,
		"CUBOT; examplebot":                                                        robot,
		"CUBOT_X18 Build":                                                          browser,
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                           browser,
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36":                  browser,
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile Safari/604.1": browser,
		"curl/8.5.0": machine, "Wget/1.21": machine, "python-requests/2.32": machine, "Python-urllib/3.12": machine, "Go-http-client/1.1": machine,
		"pooch/1.8": machine, "libcurl/8 r-curl/5": machine, "Java/17.0.1": machine, "": machine,
	} {
		var known agents
		for range 2 { // the second answer is remembered
			if got := known.classOf(agent); got != want {
				t.Errorf("%q is %d, want %d", agent, got, want)
			}
		}
	}
	var known agents
	for n := range 3 * knownAgents {
		known.classOf(fmt.Sprint("curl/", n))
		if len(known.known) > knownAgents {
			t.Fatalf("%d agents are remembered", len(known.known))
		}
	}
}

// COUNTER's rules: double clicks within 30 seconds, a unique visitor once an hour of the clock, machines apart, and no
// robots.
func TestMetrics(t *testing.T) {
	begin := time.Date(2026, 3, 1, 10, 58, 0, 0, time.UTC)
	item := bucket.Pair{A: record.KindArticle, B: 1}
	view, archive := Use{Item: item}, Use{Item: item, Download: true}
	file := Use{Item: item, Download: true, File: 5}
	person := Visitor{Address: "192.0.2.1", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
	script := Visitor{Address: "192.0.2.1", Agent: "curl/8.5.0"}
	type step struct {
		after int // seconds
		who   Visitor
		use   Use
	}
	for _, tt := range []struct {
		name  string
		steps []step
		want  record.Used
	}{
		{"a view", []step{{0, person, view}}, record.Used{Counts: record.Counts{Views: 1}, Regular: record.Metrics{TotalInvestigations: 1, UniqueInvestigations: 1}}},
		{"double click", []step{{0, person, view}, {30, person, view}}, record.Used{Counts: record.Counts{Views: 1}, Regular: record.Metrics{TotalInvestigations: 1, UniqueInvestigations: 1}}},
		{"a row of them", []step{{0, person, view}, {20, person, view}, {40, person, view}}, record.Used{Counts: record.Counts{Views: 1}, Regular: record.Metrics{TotalInvestigations: 1, UniqueInvestigations: 1}}},
		{"31 seconds", []step{{0, person, view}, {31, person, view}}, record.Used{Counts: record.Counts{Views: 1}, Regular: record.Metrics{TotalInvestigations: 2, UniqueInvestigations: 1}}},
		{"the next hour", []step{{0, person, view}, {119, person, view}, {121, person, view}}, record.Used{Counts: record.Counts{Views: 1}, Regular: record.Metrics{TotalInvestigations: 2, UniqueInvestigations: 2}}},
		{"double click over the hour", []step{{110, person, view}, {125, person, view}}, record.Used{Counts: record.Counts{Views: 1}, Regular: record.Metrics{TotalInvestigations: 1, UniqueInvestigations: 2}}},
		{"hours later", []step{{0, person, view}, {9000, person, view}}, record.Used{Counts: record.Counts{Views: 1}, Regular: record.Metrics{TotalInvestigations: 2, UniqueInvestigations: 2}}},
		{"files", []step{{0, person, view}, {1, person, file}, {2, person, archive}, {3, person, file}}, record.Used{Counts: record.Counts{Views: 1, Downloads: 2},
			Regular: record.Metrics{TotalInvestigations: 3, UniqueInvestigations: 1, TotalRequests: 2, UniqueRequests: 1}}},
		{"a machine", []step{{0, script, file}, {0, person, file}}, record.Used{Counts: record.Counts{Downloads: 2},
			Regular: record.Metrics{TotalInvestigations: 1, UniqueInvestigations: 1, TotalRequests: 1, UniqueRequests: 1},
			Machine: record.Metrics{TotalInvestigations: 1, UniqueInvestigations: 1, TotalRequests: 1, UniqueRequests: 1}}},
		{"a robot", []step{{0, Visitor{Agent: "examplebot"}, file}}, record.Used{}},
		{"aside", []step{{0, person, view.Described()}}, record.Used{Regular: record.Metrics{TotalInvestigations: 1, UniqueInvestigations: 1}}},
		{"an account from two places", []step{{0, Visitor{7, "a", "Opera/9.80"}, view}, {1, Visitor{7, "b", "Opera/9.81"}, view}},
			record.Used{Counts: record.Counts{Views: 2}, Regular: record.Metrics{TotalInvestigations: 1, UniqueInvestigations: 1}}},
		{"a share", []step{{0, person, Use{Item: item, Share: true}}}, record.Used{Counts: record.Counts{Shares: 1}}},
	} {
		v := newUsageCounter(nil)
		for _, s := range tt.steps {
			v.note(begin.Add(time.Duration(s.after)*time.Second), s.who, s.use)
		}
		if got := v.take([]placed{{item: item}})[0]; got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// The memory of clicks is bounded.
func TestClicksAreBounded(t *testing.T) {
	v := newUsageCounter(nil)
	at := time.Unix(1e9, 0)
	for n := range clicksMost + 10 {
		v.note(at, Visitor{Address: fmt.Sprint(n % 1000), Agent: "p"}, View(record.KindArticle, int64(n)))
		if known := len(v.clicks.young) + len(v.clicks.old); known > clicksMost+4 {
			t.Fatalf("%d clicks are known", known)
		}
	}
}

func BenchmarkAgents(b *testing.B) {
	for b.Loop() {
		classOf("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36")
	}
}
