package jobs

import (
	"fmt"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// A use counts once for each visitor and day of UTC; a visitor is an address and a program.
func TestVisits(t *testing.T) {
	evening := time.Date(2026, 3, 1, 23, 59, 59, 0, time.UTC)
	key := bucket.Pair{A: bucket.KindArticle, B: 1}
	one := Use{Item: key}
	for _, tt := range []struct {
		name string
		more func(note func(time.Time, string, string, Use))
		want record.Counts
	}{
		{"again", func(note func(time.Time, string, string, Use)) { note(evening, "a", "p", one) }, record.Counts{Views: 1}},
		{"another address", func(note func(time.Time, string, string, Use)) { note(evening, "b", "p", one) }, record.Counts{Views: 2}},
		{"another program", func(note func(time.Time, string, string, Use)) { note(evening, "a", "q", one) }, record.Counts{Views: 2}},
		{"the next day", func(note func(time.Time, string, string, Use)) { note(evening.Add(time.Second), "a", "p", one) }, record.Counts{Views: 2}},
		{"a clock that is put back", func(note func(time.Time, string, string, Use)) {
			note(evening.Add(time.Second), "a", "p", one)
			note(evening, "a", "p", one)
		}, record.Counts{Views: 2}},
		{"files and archives", func(note func(time.Time, string, string, Use)) {
			for _, file := range []int64{1, 2, 0, 1, 0} {
				note(evening, "a", "p", Use{Item: key, Download: true, File: file})
			}
		}, record.Counts{Views: 1, Downloads: 3}},
	} {
		v := newUsageCounter()
		v.note(evening, "a", "p", one)
		tt.more(v.note)
		if got := v.take(10)[key]; got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	// Items of the same number are not the same, and are taken in parts.
	v := newUsageCounter()
	for kind := bucket.KindArticle; kind <= bucket.KindProject; kind++ {
		v.note(evening, "a", "p", View(kind, 1))
	}
	if a, b, c := len(v.take(2)), len(v.take(2)), len(v.take(2)); a != 2 || b != 1 || c != 0 {
		t.Errorf("taken are %d, %d, %d", a, b, c)
	}
}

// The memory is bounded: the oldest visits are forgotten first, by halves.
func TestVisitsAreBounded(t *testing.T) {
	v := newUsageCounter()
	v.most = 100
	at, key := time.Unix(1e9, 0), bucket.Pair{A: bucket.KindArticle, B: 1}
	for n := range 1000 {
		v.note(at, fmt.Sprint(n), "p", Use{Item: key})
		if known := len(v.young) + len(v.old); known > v.most {
			t.Fatalf("%d visits are known", known)
		}
	}
	for n := 950; n < 1000; n++ {
		v.note(at, fmt.Sprint(n), "p", Use{Item: key})
	}
	if got := v.take(1)[key].Views; got != 1000 {
		t.Errorf("%d views, want 1000", got)
	}
	for n := range countMost + 10 {
		v.note(at, "a", "p", View(bucket.KindArticle, int64(n)))
	}
	if len(v.waiting) != countMost {
		t.Errorf("%d items wait", len(v.waiting))
	}
}

// Robots are known by their names; programs that people run are none.
func TestRobots(t *testing.T) {
	for agent, want := range map[string]bool{
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": true,
		"Mozilla/5.0 (compatible; Yahoo! Slurp)":                                   true,
		"SomeSpider/1":                                                             true,
		"facebookexternalhit/1.1":                                                  true,
		"CUBOT_X18 Build":                                                          false,
		"CUBOT; examplebot":                                                        true,
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0": false,
		"curl/8.5.0": false, "Wget/1.21": false, "python-requests/2.32": false, "Go-http-client/1.1": false, "": false,
	} {
		if robot(agent) != want {
			t.Errorf("%q is a robot: %v", agent, !want)
		}
	}
}
