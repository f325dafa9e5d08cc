package deposit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bench is a folder with items, files and a token, and a server to send them to.
type bench struct {
	*server
	dir string
	out bytes.Buffer
}

func newBench(t *testing.T, lines ...string) *bench {
	b := &bench{server: newServer(t), dir: t.TempDir()}
	b.write("token", testToken+"\r\nsecond line\n")
	b.write("items.jsonl", strings.Join(lines, "\n")+"\n")
	return b
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) options() Options {
	return Options{To: b.URL + "/v2/", TokenFile: filepath.Join(b.dir, "token"), Items: filepath.Join(b.dir, "items.jsonl"),
		Parallel: 1, Out: &b.out, clock: b.time.clock()}
}

func (b *bench) run(o Options) (Summary, error) { return Run(context.Background(), o) }

// must runs the deposit and expects every line to be complete after it.
func (b *bench) must(o Options) Summary {
	b.t.Helper()
	sum, err := b.run(o)
	b.mu.Lock() // orders what follows behind the server's work
	defer b.mu.Unlock()
	if err != nil {
		b.t.Fatalf("%v\n%s", err, b.out.String())
	}
	if strings.Contains(b.out.String(), testToken) {
		b.t.Error("the token was printed")
	}
	if len(b.strays) > 0 {
		b.t.Errorf("a token where none belongs, or none where one does: %v", b.strays)
	}
	return sum
}

// byKey returns the articles whose custom field "k" says so.
func (b *bench) byKey(key string) []*article {
	var list []*article
	for _, a := range b.articles {
		var fields map[string]string
		json.Unmarshal(a.body["custom_fields"], &fields)
		if fields["k"] == key {
			list = append(list, a)
		}
	}
	return list
}

// standard is an input with all that a line may hold: several parts, an empty
// file, folders, more than ten authors, a title that occurs twice, equal lines
// without a key, and one line that is not to be published.
func standard(t *testing.T) *bench {
	names := make([]string, 23)
	for i := range names {
		names[i] = fmt.Sprintf(`{"name":"Author %d"}`, i)
	}
	b := newBench(t,
		`{"key":"a","title":"Rivers","description":"<b>x</b> & y","tags":["t","u"],"authors":[{"name":"Ada"}],"custom_fields":{"k":"a"},"files":["data/long.bin","empty"],"publish":true}`,
		`{"key":"b","title":"Twice","description":"one","authors":[{"name":"Ada"}],"custom_fields":{"k":"b"},"publish":true}`,
		`{"key":"c","title":"Twice","description":"two","authors":[{"name":"Ada"}],"custom_fields":{"k":"c"},"files":[{"path":"data/small.txt","folder_path":"/in/here"}],"publish":true}`,
		`{"key":"d","title":"Many","authors":[`+strings.Join(names, ",")+`],"custom_fields":{"k":"d"}}`,
		`{"title":"Equal","authors":[{"name":"Ada"}],"custom_fields":{"k":"e"},"publish":true}`,
		`{"title":"Equal","authors":[{"name":"Ada"}],"custom_fields":{"k":"e"},"publish":true}`,
		`{"title":"Under embargo","authors":[{"name":"Ada"}],"custom_fields":{"k":"f"},"is_embargoed":true,"embargo_type":"file","embargo_date":"2027-01-01","files":["data/small.txt"],"publish":true}`,
	)
	b.write("data/long.bin", strings.Repeat("0123456789abc", 2))
	b.write("data/small.txt", "small!")
	b.write("empty", "")
	return b
}

// checkStandard fails unless the server holds the standard input exactly once.
func checkStandard(b *bench) error {
	want := []struct {
		key     string
		times   int
		authors int
		version int
		files   string
	}{
		{"a", 1, 1, 1, "long.bin@data empty"},
		{"b", 1, 1, 1, ""},
		{"c", 1, 1, 1, "small.txt@/in/here"},
		{"d", 1, 23, 0, ""},
		{"e", 2, 1, 1, ""},
		{"f", 1, 1, 1, "small.txt@data"},
	}
	if len(b.articles) != 7 {
		return fmt.Errorf("%d articles", len(b.articles))
	}
	for _, w := range want {
		list := b.byKey(w.key)
		if len(list) != w.times {
			return fmt.Errorf("%d articles of %s", len(list), w.key)
		}
		for _, a := range list {
			if a.bare || w.key == "f" && a.embargo["embargo_date"] != "2027-01-01" {
				return fmt.Errorf("%s was published without its embargo", w.key)
			}
			if len(a.authors) != w.authors || a.version != w.version {
				return fmt.Errorf("%s has %d authors and version %d", w.key, len(a.authors), a.version)
			}
			var names []string
			for _, f := range a.files {
				name := f.name
				if f.folder != "" {
					name += "@" + f.folder
				}
				names = append(names, name)
				if f.status != "available" || f.computed != f.md5 {
					return fmt.Errorf("%s: %s is %s", w.key, name, f.status)
				}
			}
			if strings.Join(names, " ") != w.files {
				return fmt.Errorf("%s has the files %v", w.key, names)
			}
		}
	}
	for i, name := range b.byKey("d")[0].authors {
		if name != fmt.Sprintf("Author %d", i) {
			return fmt.Errorf("author %d is %s", i, name)
		}
	}
	return nil
}

func TestDepositsEverythingOnceAndKnowsItAfterwards(t *testing.T) {
	for _, parallel := range []int{1, 4} {
		b := standard(t)
		o := b.options()
		o.Parallel = parallel
		sum := b.must(o)
		if sum.Deposited != 7 || sum.Published != 6 || sum.Items != 7 {
			t.Errorf("summary %+v", sum)
		}
		if err := checkStandard(b); err != nil {
			t.Error(err)
		}
		if got := string(b.byKey("a")[0].files[0].content); got != strings.Repeat("0123456789abc", 2) {
			t.Errorf("content %q", got)
		}
		if !strings.Contains(b.out.String(), "7 deposited, 6 published, 0 failed") {
			t.Errorf("output %s", b.out.String())
		}

		before := b.count
		if sum := b.must(o); sum.Already != 7 || sum.Deposited != 0 {
			t.Errorf("second summary %+v", sum)
		}
		if b.count != before+1+7 { // one look at each item
			t.Errorf("the second run sent %d requests", b.count-before)
		}
	}
}

// The values of a body are the depositor's; numbers and order must survive.
func TestTheBodyIsSentAsItStands(t *testing.T) {
	text := `{ "license":1.50, "title":"Bödy <x>" , "files":[], "key":"k","group_id":12345678901234567890,"publish":false,"custom_fields":{"y":[1, 2],"x":"\u00e9"} }`
	in, err := OpenFolder(t.TempDir(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	it, err := parseItem([]byte(text), in)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"license":1.50,"title":"Bödy <x>","group_id":12345678901234567890,"custom_fields":{"y":[1, 2],"x":"\u00e9"}}`
	if string(it.body) != want {
		t.Errorf("body %s", it.body)
	}
	if it.key != "k" || it.title != "Bödy <x>" {
		t.Errorf("item %+v", it)
	}
}

func TestBadLinesFailAloneAndAreNamed(t *testing.T) {
	b := newBench(t,
		"\ufeff"+`{"key":"good 1","title":"First","authors":[{"name":"A"}],"custom_fields":{"k":"1"},"publish":true}`+"\r",
		"",
		"   \r",
		`{"title":"cut`,
		`{"key":"no title","description":"x"}`,
		`{"key":"no file","title":"Abc","files":["missing.bin"]}`,
		`{"key":"folder","title":"Abc","files":["sub"]}`,
		`{"key":"element","title":"Abc","files":[7]}`,
		`{"key":"twice","title":"Abc","title":"Abd"}`,
		`{"key":"case","title":"Abc","Files":["a"]}`,
		"{\"key\":\"utf\",\"title\":\"\xff\"}",
		`["a"]`,
		`{"key":"after","title":"Abc"} {}`,
		`{"key":"refused","title":"to be refused"}`,
		`{"key":"nobody","title":"No authors","publish":true}`,
		`{"key":5,"title":"Abc"}`,
		`{"key":"good 2","title":"Last","authors":[{"name":"A"}],"custom_fields":{"k":"2"},"publish":true}`,
	)
	b.write("sub/x", "")
	sum, err := b.run(b.options())
	if err == nil || err.Error() != "13 of 15 items failed" {
		t.Errorf("error %v", err)
	}
	want := map[int]string{
		4:  `ends too early`,
		5:  `(key "no title"): the title is missing`,
		6:  `(key "no file"): file "missing.bin": there is no such file`,
		7:  `file "sub": it is a folder`,
		8:  `neither a path nor`,
		9:  `"title" stands twice`,
		10: `there is no key "Files"; the nearest is "files"`,
		11: `not valid UTF-8`,
		12: `not a JSON object`,
		13: `something follows`,
		14: `answered 422 Unprocessable Entity: Invalid value for title`,
		15: `cannot publish: the server answered 400 Bad Request: Missing mandatory field for publication - authors`,
		16: `"key" is not a string`,
	}
	for _, f := range sum.Failures {
		if !strings.Contains(f.String(), want[f.Line]) || want[f.Line] == "" {
			t.Errorf("unexpected: %s", f)
		}
		if !strings.Contains(b.out.String(), f.String()+"\n") {
			t.Errorf("the output does not name %s", f)
		}
		delete(want, f.Line)
	}
	if len(want) > 0 {
		t.Errorf("not reported: %v", want)
	}
	if len(b.byKey("1")) != 1 || len(b.byKey("2")) != 1 || sum.Published != 2 {
		t.Errorf("the good lines were not deposited: %+v", sum)
	}

	// A line that was refused has left nothing, so its correction is deposited.
	b.write("items.jsonl", `{"key":"refused","title":"welcome","custom_fields":{"k":"3"}}`)
	b.must(b.options())
	if len(b.byKey("3")) != 1 {
		t.Error("the corrected line was not deposited")
	}
}

func TestKeysThatOccurTwiceStopEverything(t *testing.T) {
	b := newBench(t, `{"key":"x","title":"Abc"}`, `{"key":"y","title":"Abc"}`, `{"key":"x","title":"Abd"}`)
	_, err := b.run(b.options())
	if err == nil || !strings.Contains(err.Error(), `key "x" stands on line 1 and again on line 3`) {
		t.Errorf("error %v", err)
	}
	if b.count != 0 {
		t.Errorf("%d requests were sent", b.count)
	}
}

// A line put in front of lines without a key must not deposit them again.
func TestLinesWithoutAKeyMayMove(t *testing.T) {
	b := newBench(t, `{"title":"Same"}`, `{"title":"Same"}`)
	b.must(b.options())
	b.write("items.jsonl", "{\"title\":\"New\"}\n{\"title\":\"Same\"}\n\n{\"title\":\"Same\"}")
	if sum := b.must(b.options()); sum.Already != 2 || sum.Deposited != 1 || len(b.articles) != 3 {
		t.Errorf("summary %+v, %d articles", sum, len(b.articles))
	}
}

func TestAChangedLineIsNotGuessedAt(t *testing.T) {
	b := newBench(t, `{"key":"x","title":"Abc"}`)
	b.must(b.options())
	b.write("items.jsonl", `{"key":"x","title":"Abd"}`)
	sum, err := b.run(b.options())
	if err == nil || len(sum.Failures) != 1 || !strings.Contains(sum.Failures[0].Reason, "changed since it was deposited as article 101") {
		t.Errorf("%v, %+v", err, sum)
	}
}

func TestATerminalGetsABar(t *testing.T) {
	b := standard(t)
	o := b.options()
	o.IsTerminal = true
	b.must(o)
	if out := b.out.String(); !strings.Contains(out, "\r") || !strings.HasSuffix(out, "7 deposited, 6 published, 0 failed\n") {
		t.Errorf("output %q", out)
	}
}
