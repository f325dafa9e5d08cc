package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// judged is what the oracle says of an item that is read as got, when it must be now or,
// with a write in doubt, may be doubt.
func judged(now state, doubt *state, past []string, got state) *oracle {
	o := newOracle(1, []string{"t"}, "")
	o.writers[0].resolve(&item{kind: articles, now: now, doubt: doubt, past: past}, got)
	return o
}

// An acknowledged write must be there; one in doubt is there wholly or not at all.
func TestSettle(t *testing.T) {
	titled := func(title string, files ...string) state {
		s := state{content: content{Title: title, Authors: []string{"A"}}}
		for _, f := range files {
			s.Files = append(s.Files, file{Name: f, Status: "available"})
		}
		return s
	}
	one, two, both := titled("one"), titled("two"), titled("two", "f")
	for _, c := range []struct {
		name  string
		now   state
		doubt *state
		past  []string
		got   state
		want  tally
	}{
		{"as it must be", two, nil, nil, two, tally{}},
		{"in doubt and not done", one, &two, nil, one, tally{}},
		{"in doubt and done", one, &two, nil, two, tally{Done: 1}},
		{"as it was before", two, nil, []string{one.text()}, one, tally{Lost: 1}},
		{"gone", two, nil, nil, state{Gone: true}, tally{Lost: 1}},
		{"back again", state{Gone: true}, nil, []string{two.text()}, two, tally{Lost: 1}},
		{"half of what was in doubt", one, &both, nil, two, tally{Half: 1}},
	} {
		if got := judged(c.now, c.doubt, c.past, c.got).tally; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// An answer decides what a write was: acknowledged, refused, or in doubt; one that nothing
// allows is wrong.
func TestWriteJudgesAnswers(t *testing.T) {
	for _, c := range []struct {
		status  int
		broken  bool
		allowed bool
		want    outcome
		tally   tally
	}{
		{201, false, false, acknowledged, tally{Acked: 1}},
		{204, false, false, refused, tally{Wrong: 1}},
		{404, false, false, refused, tally{Wrong: 1}},
		{507, false, true, refused, tally{Refused: 1}},
		{507, false, false, inDoubt, tally{Doubt: 1, Wrong: 1}},
		{503, true, false, inDoubt, tally{Doubt: 1}},
		{500, false, false, inDoubt, tally{Doubt: 1, Wrong: 1}},
		{0, false, false, inDoubt, tally{Doubt: 1}},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c.status == 0 {
				panic(http.ErrAbortHandler)
			}
			w.WriteHeader(c.status)
		}))
		o := newOracle(1, []string{"t"}, "")
		o.broken.Store(c.broken)
		o.allowed[507] = c.allowed
		w := o.writers[0]
		w.c = &client{base: srv.URL, token: "t", http: newTransport()}
		it := &item{kind: articles, id: 1, now: state{content: content{Title: "one"}}}
		next := state{content: content{Title: "two"}}
		_, got := w.write(it, "POST", "/account/articles", []byte("{}"), 201, next)
		if got != c.want || o.tally != c.tally {
			t.Errorf("%d (broken %v, allowed %v) is %d, %+v; want %d, %+v", c.status, c.broken, c.allowed, got, o.tally, c.want, c.tally)
		}
		if done := it.now.Title == "two"; done != (got == acknowledged) || (it.doubt != nil) != (got == inDoubt) {
			t.Errorf("%d leaves %q, in doubt %v", c.status, it.now.Title, it.doubt)
		}
		if c.tally.Wrong > 0 && !strings.Contains(strings.Join(o.wrongs, ""), "POST /account/articles {}") {
			t.Errorf("%d is told without the history: %q", c.status, o.wrongs)
		}
		w.c.http.CloseIdleConnections()
		srv.Close()
	}
}
