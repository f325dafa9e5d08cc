package deposit

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	api "alcove/record"
)

// Every key that bodies of articles and collections have here is one of a line.
func TestKeysAreThoseOfTheAPI(t *testing.T) {
	for _, body := range []any{api.ArticleBody{}, api.EmbargoBody{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(body)) {
			if name := f.Tag.Get("json"); name != "" && !f.Anonymous {
				if _, ok := keys[name]; !ok {
					t.Errorf("%T has the key %q, a line has not", body, name)
				}
			}
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[api.CollectionBody]()) {
		if name := f.Tag.Get("json"); name != "" && !f.Anonymous {
			if _, ok := collectionKeys[name]; !ok {
				t.Errorf("bodies of collections have the key %q, a line has not", name)
			}
		}
	}
	for key, body := range map[string]any{
		"authors": api.AuthorRef{}, "related_materials": api.MaterialRef{}, "funding_list": api.FundingRef{},
		"resource": api.ResourceBody{}, "private_links": api.LinkBody{},
	} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(body)) {
			if name := f.Tag.Get("json"); !slices.Contains(inner[key], name) {
				t.Errorf("%s has the key %q, a line has not", key, name)
			}
		}
	}
}

// Keys that a server would leave out, or leave open, are refused before anything is sent.
func TestNothingIsSentOfALineThatIsNotUnderstood(t *testing.T) {
	t.Parallel()
	const good = `"title":"Abc","authors":[{"name":"A"}],"publish":true`
	tests := []struct{ more, why string }{
		{`"licence":2`, `there is no key "licence"; the nearest is "license"`},
		{`"Title":"x"`, `there is no key "Title"; the nearest is "title"`},
		{`"embargo":true`, `the nearest is "embargo_date"`},
		{`"collection":[1]`, `the nearest is "collections"`},
		{`"` + strings.Repeat("licence", 9000) + `":1`, `there is no key "licence`},
		{`"authors":[{"nmae":"B"}]`, `there is no key "nmae" in "authors"; the nearest is "name"`},
		{`"private_links":[{"expires":"2030-01-01"}]`, `there is no key "expires" in "private_links"; the nearest is "expires_date"`},
		{`"is_embargoed":true`, `"is_embargoed" needs an "embargo_type"`},
		{`"is_embargoed":true,"embargo_type":"files","embargo_date":"2027-01-01"`, `"article" or "file"`},
		{`"is_embargoed":true,"embargo_type":"file"`, `needs an "embargo_date"`},
		{`"is_embargoed":true,"embargo_type":"file","embargo_date":"1 May"`, `"embargo_date" is not a date`},
		{`"is_embargoed":true,"embargo_type":"file","embargo_date":"2020-01-01"`, `"embargo_date" has passed`},
		{`"is_embargoed":true,"embargo_type":"article","embargo_date":null`, `only files can be under an embargo for ever`},
		{`"is_embargoed":"yes","embargo_type":"file","embargo_date":"2027-01-01"`, `"is_embargoed" has a value of the wrong type`},
		{`"embargo_date":"2027-01-01"`, `"embargo_date" needs "is_embargoed": true`},
		{`"is_embargoed":false,"embargo_type":"file"`, `"embargo_type" needs "is_embargoed": true`},
		{`"is_confidential":true`, `needs a "confidential_reason"`},
		{`"confidential_reason":"x"`, `needs "is_confidential": true`},
		{`"is_confidential":true,"confidential_reason":"x","is_embargoed":true,"embargo_type":"article","embargo_date":"2027-01-01"`, `withholds the files for good`},
		{`"private_links":3`, `"private_links" is not a list`},
		{`"collections":["x"]`, `"collections" is not a list of ids`},
		{`"project_id":-1`, `"project_id" is not the id`},
		{`"publish":null`, `"publish" is not true or false`},
		{`"files":["a/run.csv","b/../a/run.csv"]`, `two files would be "run.csv" in the folder "a"`},
		{`"files":["a/run.csv",{"path":"b/run.csv","folder_path":"/a/"}]`, `two files would be "run.csv" in the folder "a"`},
		{`"files":["../outside.txt"]`, "file \"../outside.txt\": it is outside the folder of the items, where nothing is read without --follow-outside"},
		{`"files":["/etc/hostname"]`, "--follow-outside"},
		{`"files":["link.txt"]`, "--follow-outside"},
		{`"files":["away/outside.txt"]`, "--follow-outside"},
		{`"files":["pipe"]`, "not a regular file"},
	}
	for _, tt := range tests {
		line := "{" + good + "," + tt.more + "}"
		for _, key := range []string{"title", "authors", "publish"} { // the last one counts
			if strings.Contains(tt.more, `"`+key+`"`) {
				line = strings.Replace(line, map[string]string{"title": `"title":"Abc",`, "authors": `"authors":[{"name":"A"}],`, "publish": `,"publish":true`}[key], "", 1)
			}
		}
		b := newBench(t, line)
		b.outside()
		sum, err := b.run(b.options())
		if err == nil || len(sum.Failures) != 1 || !strings.Contains(sum.Failures[0].Reason, tt.why) {
			t.Errorf("%.200s: %v %.300v", tt.more, err, sum.Failures)
		}
		if len(b.articles) != 0 {
			t.Errorf("%.200s: an article was made", tt.more)
		}
		b.Close()
	}
}

// outside puts files beside the items, and links out of their folder.
func (b *bench) outside() {
	b.t.Helper()
	b.write("a/run.csv", "1")
	b.write("b/run.csv", "2")
	away := b.t.TempDir()
	err := os.WriteFile(filepath.Join(away, "outside.txt"), []byte("secret"), 0o600)
	for _, err := range []error{
		err, os.Symlink(filepath.Join(away, "outside.txt"), filepath.Join(b.dir, "link.txt")),
		os.Symlink(away, filepath.Join(b.dir, "away")), os.Symlink("a/run.csv", filepath.Join(b.dir, "near.csv")),
		mkfifo(filepath.Join(b.dir, "pipe")),
	} {
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

// Folders stay what they are; a link inside the folder is a file like any other; a file outside
// is read only when allowed.
func TestFilesKeepTheirFolders(t *testing.T) {
	b := newBench(t, `{"title":"Abc","files":["a/run.csv","./b//run.csv","near.csv",{"path":"a/run.csv","folder_path":""}]}`)
	b.outside()
	b.must(b.options())
	var got []string
	for _, f := range b.articles[101].files {
		got = append(got, f.folder+":"+f.name+":"+string(f.content))
	}
	if want := "[a:run.csv:1 b:run.csv:2 :near.csv:1 :run.csv:1]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	b.write("items.jsonl", `{"title":"Abd","files":["link.txt","away/outside.txt"]}`)
	o := b.options()
	o.FollowOutside = true
	b.must(o)
	last := b.articles[b.nextID-2]
	if len(last.files) != 2 || string(last.files[0].content) != "secret" || last.files[1].folder != "away" {
		t.Errorf("%+v", last)
	}
}

// A file that is replaced by a link out of the folder while the deposit runs is not sent.
func TestALinkThatComesLaterIsNotFollowed(t *testing.T) {
	b := newBench(t, `{"title":"Abc","files":["a/run.csv"]}`)
	b.outside()
	b.set(func(n int, r *http.Request) fault {
		if r.Method == http.MethodPut {
			t.Error("a part was sent")
		}
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/files") {
			if err := os.Rename(filepath.Join(b.dir, "link.txt"), filepath.Join(b.dir, "a/run.csv")); err != nil {
				t.Error(err)
			}
		}
		return none
	})
	sum, err := b.run(b.options())
	if err == nil || !strings.Contains(fmt.Sprint(sum.Failures), "--follow-outside") {
		t.Error(err, sum.Failures)
	}
}

// An item with a warning is not published, also by a later run that has not got the warning
// itself, until the operator allows it.
func TestWarningsStopBeforePublishing(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		b := newBench(t, `{"key":"x","title":"A doubtful one","authors":[{"name":"A"}],"publish":true}`,
			`{"title":"A doubtful draft"}`)
		b.set(func(n int, r *http.Request) fault {
			if lost && r.Method == http.MethodPost && r.URL.Path == "/v2/account/articles" {
				return dropAfter
			}
			return none
		})
		for range 2 {
			sum, err := b.run(b.options())
			if err == nil || len(sum.Failures) != 1 || !strings.Contains(sum.Failures[0].Reason, "not published: the server warns: that is doubtful; with --accept-warnings") {
				t.Errorf("%v %+v\n%s", err, sum, b.out.String())
			}
			b.set(nil)
		}
		if b.articles[101].version+b.articles[102].version != 0 {
			t.Error("it was published")
		}
		o := b.options()
		o.AcceptWarnings = true
		if sum := b.must(o); sum.Published != 1 || len(b.articles) != 2 {
			t.Errorf("%+v", sum)
		}
		if !strings.Contains(b.out.String(), `line 1 (key "x"): warning: that is doubtful`) && !lost {
			t.Error(b.out.String())
		}
	}
}

// A server that takes an embargo and does not keep it gets nothing to publish.
func TestAnEmbargoThatIsNotKeptStopsBeforePublishing(t *testing.T) {
	b := newBench(t, `{"title":"An embargo","authors":[{"name":"A"}],"is_embargoed":true,"embargo_type":"file","embargo_date":"2027-01-01","embargo_options":[{"id":2}],"publish":true}`)
	forgets := ""
	inner := b.Config.Handler
	b.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		if a := b.articles[101]; a != nil && a.embargo != nil && r.Method == http.MethodGet {
			delete(a.embargo, forgets)
		}
		b.mu.Unlock()
		inner.ServeHTTP(w, r)
	})
	for _, forgets = range []string{"is_embargoed", "embargo_type", "embargo_date", "embargo_options"} {
		sum, err := b.run(b.options())
		if err == nil || !strings.Contains(fmt.Sprint(sum.Failures), "the server shows another "+forgets) || b.articles[101].version != 0 {
			t.Errorf("%s: %v %v", forgets, err, sum.Failures)
		}
		b.articles[101].embargo = map[string]any{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2027-01-01T00:00:00", "embargo_options": []any{map[string]any{"id": 2, "type": "administrator"}}}
	}
	forgets = ""
	b.must(b.options())
}

// The state file is not believed about what the server does not have: another server at the same
// address, deleted items, files that are gone. Changes by its owner stay.
func TestTheServerIsLookedAt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                       string
		change                     func(*bench)
		already, deposited, public int
	}{
		{"as it was", func(*bench) {}, 7, 0, 0},
		{"everything is gone", func(b *bench) { b.articles = map[int64]*article{} }, 0, 7, 6},
		{"others have their numbers", func(b *bench) {
			b.skew = 48 * time.Hour
			for id, a := range b.articles {
				b.articles[id] = &article{id: a.id, created: a.created.Add(-time.Hour), body: map[string]jsonRaw{"title": jsonRaw(`"Foreign"`)}}
			}
		}, 0, 7, 6},
		{"one was deleted", func(b *bench) { delete(b.articles, b.byKey("c")[0].id) }, 6, 1, 1},
		{"one is not published", func(b *bench) { b.byKey("f")[0].version, b.byKey("f")[0].embargo = 0, nil }, 6, 1, 1},
		{"a draft lacks its file", func(b *bench) { b.byKey("a")[0].version, b.byKey("a")[0].files = 0, nil }, 6, 1, 1},
		{"a title was changed", func(b *bench) { b.byKey("b")[0].body["title"] = jsonRaw(`"Better"`) }, 7, 0, 0},
	}
	for _, tt := range tests {
		b := standard(t)
		b.must(b.options())
		tt.change(b)
		sum := b.must(b.options())
		if sum.Already != tt.already || sum.Deposited != tt.deposited || sum.Published != tt.public {
			t.Errorf("%s: %+v\n%s", tt.name, sum, b.out.String())
		}
		for id, a := range b.articles {
			if string(a.body["title"]) == `"Foreign"` {
				delete(b.articles, id)
			}
		}
		if err := checkStandard(b); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if sum := b.must(b.options()); sum.Already != 7 {
			t.Errorf("%s, and once more: %+v", tt.name, sum)
		}
		b.Close()
	}
}

// A state file is for one server, and says which.
func TestTheStateFileNamesItsServer(t *testing.T) {
	b := newBench(t, `{"title":"Abc"}`)
	b.must(b.options())
	other := newServer(t)
	o := b.options()
	o.To = other.URL
	if _, err := b.run(o); err == nil || !strings.Contains(err.Error(), "it belongs to the deposit at "+b.URL+", not at "+other.URL+"; name another file with --state") {
		t.Error(err)
	}
	if other.count != 0 {
		t.Error("something was sent")
	}
}
