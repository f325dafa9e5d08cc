package deposit

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// inDoubt leaves a state in which every line of the input was announced and
// nothing more is known.
func inDoubt(b *bench, o Options) {
	b.t.Helper()
	in, err := openInput(o.Items, false)
	if err != nil {
		b.t.Fatal(err)
	}
	defer in.close()
	st, err := openState(o.Items+".deposit-state", b.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	defer st.close()
	for _, ln := range in.lines {
		it, err := in.load(ln)
		if err != nil {
			b.t.Fatal(err)
		}
		at := b.time.now()
		if err := st.append(record{Op: opCreate, Line: ln.id, Hash: ln.hash, Title: titleHash(it.title), At: at, Since: at}); err != nil {
			b.t.Fatal(err)
		}
	}
}

// add puts an article on the server past the depositor.
func (b *bench) add(body string, age time.Duration, version int) *article {
	b.t.Helper()
	fields, err := members([]byte(body))
	if err != nil {
		b.t.Fatal(err)
	}
	b.nextID++
	a := &article{id: b.nextID, created: b.now().Add(-age), body: map[string]jsonRaw{}, version: version}
	for _, f := range fields {
		a.body[f.name] = f.value
	}
	b.articles[a.id] = a
	return a
}

func TestLinesInDoubt(t *testing.T) {
	t.Parallel()
	const one = `{"title":"Doubt","description":"one","tags":["a","b"]}`
	const two = `{"title":"Doubt","description":"two","tags":["a","b"]}`
	tests := []struct {
		name  string
		lines []string
		there func(*bench)
		total int    // articles in the end
		fails string // reason of the only failure
	}{
		{"nothing there", []string{one}, func(*bench) {}, 1, ""},
		{"it is there", []string{one}, func(b *bench) { b.add(one, 0, 0) }, 1, ""},
		{"it is older", []string{one}, func(b *bench) { b.add(one, time.Minute, 0) }, 2, ""},
		{"it is published", []string{one}, func(b *bench) { b.add(one, 0, 1) }, 2, ""},
		{"it has a file", []string{one}, func(b *bench) { b.add(one, 0, 0).files = []*file{{id: 1}} }, 2, ""},
		{"the other of the title is there", []string{one, two}, func(b *bench) { b.add(two, 0, 0) }, 2, ""},
		{"both are there", []string{one, two}, func(b *bench) { b.add(two, 0, 0); b.add(one, 0, 0) }, 2, ""},
		{"equal lines, one there", []string{one, one}, func(b *bench) { b.add(one, 0, 0) }, 2, ""},
		{"equal lines, both there", []string{one, one}, func(b *bench) { b.add(one, 0, 0); b.add(one, 0, 0) }, 2, ""},
		{"something alike is there", []string{one},
			func(b *bench) { b.add(`{"title":"Doubt","description":"other","tags":["b"]}`, 0, 0) }, 1,
			"article 101 has the same title and was created since, but is not what is said here in description, tags"},
		{"behind the last page", []string{one}, func(b *bench) {
			b.add(one, 0, 0)
			for range retrievable {
				b.add(`{"title":"Later"}`, 0, 0)
			}
		}, retrievable + 1, "shows only 9000"},
		{"many, but all older", []string{one}, func(b *bench) {
			for range retrievable + 500 {
				b.add(`{"title":"Doubt"}`, time.Hour, 0)
			}
		}, retrievable + 501, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, tt.lines...)
			b.t = t
			inDoubt(b, b.options())
			tt.there(b)
			sum, err := b.run(b.options())
			switch {
			case tt.fails == "" && err != nil:
				t.Errorf("%v %v", err, sum.Failures)
			case tt.fails != "" && (len(sum.Failures) != 1 || !strings.Contains(sum.Failures[0].Reason, tt.fails)):
				t.Errorf("%v %v", err, sum.Failures)
			}
			if len(b.articles) != tt.total {
				t.Errorf("%d articles, want %d", len(b.articles), tt.total)
			}
		})
	}
}

// A field as it was sent and as a detail shows it.
func TestDifferences(t *testing.T) {
	tests := []struct{ body, detail, want string }{
		{`{"title":" Abc ","description":"x"}`, `{"title":"Abc","description":"x"}`, ""},
		{`{"description":""}`, `{"description":null}`, ""},
		{`{"description":"x"}`, `{"description":null}`, "description"},
		{`{"tags":["b","a","b"]}`, `{"tags":["a","b"]}`, ""},
		{`{"keywords":["a"]}`, `{"tags":["a","b"]}`, "keywords"},
		{`{"categories":[3,1]}`, `{"categories":[{"id":1,"title":"x"},{"id":3}]}`, ""},
		{`{"license":7}`, `{"license":{"value":7,"name":"x"}}`, ""},
		{`{"license":"2"}`, `{"license":{"value":7}}`, "license"},
		{`{"defined_type":"code"}`, `{"defined_type":9,"defined_type_name":"software"}`, ""},
		{`{"defined_type":"figure"}`, `{"defined_type":3,"defined_type_name":"dataset"}`, "defined_type"},
		{`{"authors":[{"name":"B  C"},{"id":4}]}`, `{"authors":[{"id":1,"full_name":"Owner"},{"id":9,"full_name":"B C"},{"id":4,"full_name":"D"}]}`, ""},
		{`{"authors":[{"name":"B"}]}`, `{"authors":[]}`, "authors"},
		{`{"custom_fields":{"a":"1","b":["x"]}}`, `{"custom_fields":[{"name":"b","value":["x"]},{"name":"a","value":"1"}]}`, ""},
		{`{"custom_fields":{"a":"1"}}`, `{"custom_fields":[]}`, "custom_fields"},
		{`{"unknown":5,"is_metadata_record":true}`, `{"is_metadata_record":false}`, "is_metadata_record"},
	}
	for _, tt := range tests {
		var detail map[string]jsonRaw
		if err := (reply{text: []byte(tt.detail)}).decode(&detail); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(differences([]byte(tt.body), detail), " "); got != tt.want {
			t.Errorf("%s against %s: %q", tt.body, tt.detail, got)
		}
	}
}

func FuzzParseItem(f *testing.F) {
	f.Add([]byte(`{"title":"x","files":["a"],"key":"k","publish":true,"authors":[]}`))
	f.Add([]byte(`{"title":"x","title":"y"}`))
	f.Add([]byte("[1]"))
	dir, err := OpenFolder(f.TempDir(), false)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		it, err := parseItem(text, dir)
		if err != nil {
			return
		}
		again, err := parseItem(it.body, dir)
		if err != nil || again.title != it.title {
			t.Fatalf("%s became %s: %v", text, it.body, err)
		}
		if fmt.Sprint(members(it.body)) == "" {
			t.Fatal("no members")
		}
	})
}

// Two equal lines at the same time: the first request to create is lost, and only after the
// second line's article exists, whose reply is held back until it is published. The first line
// must not take that article for its own.
func TestEqualLinesAtTheSameTime(t *testing.T) {
	for range 5 { // either line may come first
		equalLines(t)
	}
}

func equalLines(t *testing.T) {
	const equal = `{"title":"Equal","authors":[{"name":"A"}],"publish":true}`
	b := newBench(t, equal, equal)
	second := make(chan struct{})    // the second request to create has been served
	published := make(chan struct{}) // the first request to publish has come
	var creations, looks, publishes atomic.Int32
	inner := b.Config.Handler
	b.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/publish"):
			if publishes.Add(1) == 1 {
				close(published)
			}
		case r.FormValue("page_size") == "1000":
			looks.Add(1)
		case r.Method == http.MethodPost && creations.Add(1) == 1:
			select {
			case <-second:
			case <-time.After(50 * time.Millisecond): // as it should be: they take turns
			}
			panic(http.ErrAbortHandler)
		case r.Method == http.MethodPost && creations.Load() == 2:
			inner.ServeHTTP(w, r)
			close(second)
			if looks.Load() == 0 {
				<-published
			}
			return
		}
		inner.ServeHTTP(w, r)
	})
	o := b.options()
	o.Parallel = 2
	b.must(o)
	if len(b.articles) != 2 {
		t.Errorf("%d articles", len(b.articles))
	}
}
