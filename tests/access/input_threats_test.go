package access

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"alcove/record"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// A body that is nested ever deeper is refused sooner than the library looks over a list of that
// length, and takes no memory (security.md D05).
func TestInputNesting(t *testing.T) {
	flat := []byte("[1" + strings.Repeat(",1", 1<<19-2) + "]")
	for _, levels := range []int{33, 10_001, 1_000_000} {
		for _, body := range []string{
			`{"custom_fields": {"a": ` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + "}}",
			strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels),
			`{"custom_fields": ` + strings.Repeat("[{\"a\":", levels),
		} {
			text := []byte(body[:min(len(body), 1<<20)]) // no longer one is read
			var before, after runtime.MemStats
			nested, level, used := time.Hour, time.Hour, uint64(0) // the least of some: other tests run beside this one
			for range 3 {
				begin := time.Now()
				if !json.Valid(flat) {
					t.Fatal("the list is none")
				}
				level = min(level, time.Since(begin))
				runtime.ReadMemStats(&before)
				begin = time.Now()
				if _, err := record.ReadBody(text, false); err == nil || !strings.Contains(err.Error(), "too deeply") {
					t.Errorf("%d levels of %.20s: %v", levels, body, err)
				}
				nested = min(nested, time.Since(begin))
				runtime.ReadMemStats(&after)
				used += (after.TotalAlloc - before.TotalAlloc) / 3
			}
			if nested > level || used > 10<<20 {
				t.Errorf("%d levels of %.20s: %v and %d bytes; %v for a list", levels, body, nested, used, level)
			}
		}
	}
}

// Very many keys, one very long text, very many authors: taken or refused as is stated, and soon
// (security.md D06).
func TestInputLarge(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	at := routes.FillPath("/v2/account/articles/:id", s.IDs)
	keys := strings.Builder{}
	for i := range 100_000 {
		fmt.Fprintf(&keys, `"k%d":1,`, i)
	}
	long := strings.Repeat("é", 450_000)
	for _, c := range []struct {
		name, body string
		want       []int
	}{
		{"100,000 keys", "{" + keys.String() + `"k":1}`, []int{413, 422, 400}},
		{"100,000 fields", `{"custom_fields": {` + keys.String() + `"k":1}}`, []int{413, 422, 400}},
		{"900 KiB of text", `{"description": "` + long + `"}`, []int{205}},
		{"100,000 authors", `{"authors": [` + strings.Repeat(`{"id":1},`, 100_000) + `{"id":1}]}`, []int{413, 422}},
		{"100,000 tags", `{"tags": [` + strings.Repeat(`"t",`, 100_000) + `"t"]}`, []int{413, 422, 400}},
	} {
		begin := time.Now()
		r := s.Ada.Send("PATCH", at, c.body)
		took, ok := time.Since(begin), false
		for _, status := range c.want {
			ok = ok || r.StatusCode == status
		}
		if !ok || took > 5*time.Second {
			t.Errorf("%s: %d after %v: %.200s", c.name, r.StatusCode, took, r.Bytes)
		}
	}
	if got := s.Ada.Get(at).Is(200).Object()["description"]; got != long {
		t.Error("the long text did not come back as it was")
	}
}

// No enumeration is read in another case, with spaces or in letters that look alike; where a
// license is a text it is one, and nowhere else (security.md D10, D11).
func TestInputEnumerations(t *testing.T) {
	s := stage.New(t)
	at, before := routes.FillPath("/v2/account/articles/:id", s.IDs), s.Sequence()
	odd := func(word string) []string {
		return []string{strings.ToUpper(word), " " + word, word + " ", word + "\\u0000", strings.Replace(word, "o", "о", 1) + "х", word + "\\u200b", ""}
	}
	send := func(c world.Client, method, path, body string, allowed ...int) {
		t.Helper()
		r := c.Send(method, path, body)
		for _, status := range allowed {
			if r.StatusCode == status {
				return
			}
		}
		t.Errorf("%s %s %s answered %d", method, path, body, r.StatusCode)
	}
	for _, v := range odd("dataset") {
		if v != "" { // a blank one says nothing
			send(s.Ada, "PATCH", at, `{"defined_type": "`+v+`"}`, 422, 400)
		}
	}
	for _, v := range odd("file") {
		send(s.Ada, "PUT", at+"/embargo", `{"is_embargoed": true, "embargo_date": "2999-01-01", "embargo_type": "`+v+`"}`, 422, 400)
	}
	for _, v := range odd("viewer") {
		send(s.Ada, "POST", routes.FillPath("/v2/account/projects/:id/collaborators", s.Project), `{"email": "x@example.org", "role_name": "`+v+`"}`, 422, 400)
	}
	for _, v := range odd("published_date") {
		if v != "" {
			send(s.Anon, "POST", "/v2/articles/search", `{"order": "`+v+`"}`, 400)
			send(s.Ada, "POST", "/v2/account/articles/search", `{"order": "`+v+`"}`, 400)
		}
	}
	for _, v := range odd("desc") {
		if v != "" {
			send(s.Anon, "POST", "/v2/articles/search", `{"order_direction": "`+v+`"}`, 422, 400)
		}
	}
	for _, body := range []string{`{"license": "1"}`, `{"license": true}`, `{"tags": [null]}`, `{"tags": [["a"]]}`, `{"authors": [null]}`, `{"categories": [null]}`, `{"references": [null]}`, `{"title": true}`} {
		send(s.Ada, "PATCH", at, body, 422)
	}
	if s.Sequence() != before {
		t.Error("refused values changed the store")
	}
	send(s.Ada, "POST", routes.FillPath("/v2/account/projects/:id/articles", s.Project), `{"title": "A text as license", "license": "1"}`, 201)
	send(s.Ada, "POST", routes.FillPath("/v2/account/projects/:id/articles", s.Project), `{"title": "No license", "license": "one"}`, 422)
}

// Names that look the same and are written otherwise (NFC, NFD) are two names, each kept as it
// was sent; search finds both by either (security.md D13).
func TestInputForms(t *testing.T) {
	s := stage.New(t)
	const composed, decomposed = "Caf\u00e9", "Cafe\u0301"
	at := s.Ada.Article(fmt.Sprintf(`{"title": "%s one", "tags": [%q, %q], "authors": [{"name": "%s Person"}, {"name": "%s Person"}]}`, composed, composed, decomposed, composed, decomposed))
	for _, name := range []string{composed, decomposed} {
		s.Ada.Upload(at, name+".txt", []byte(name))
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	other := s.Ada.Published(decomposed + " two")
	got := s.Anon.Get(strings.Replace(at, "/account", "", 1)).Is(200).Object()
	if tags := fmt.Sprint(got["tags"]); tags != "["+composed+" "+decomposed+"]" || got["title"] != composed+" one" {
		t.Errorf("tags %q, title %q", tags, got["title"])
	}
	if names := world.FileNames(s.Anon.Get(strings.Replace(at, "/account", "", 1) + "/files").List()); names != composed+".txt "+decomposed+".txt" {
		t.Errorf("files %q", names)
	}
	authors := s.Ada.Get(at + "/authors").List()
	if len(authors) != 2 || authors[0]["full_name"] != composed+" Person" || authors[1]["full_name"] != decomposed+" Person" || authors[0]["id"] == authors[1]["id"] {
		t.Errorf("authors %v", authors)
	}
	for _, word := range []string{composed, decomposed, strings.ToUpper(composed)} {
		body, _ := json.Marshal(map[string]string{"search_for": word})
		if found := s.Anon.Send("POST", "/v2/articles/search", string(body)).Is(200).List(); len(found) != 2 || int64(found[0]["id"].(float64)) != other {
			t.Errorf("%q finds %v", word, found)
		}
	}
}

// Whatever stands in a text field comes back as it was given, as JSON that no browser takes for
// anything else (security.md D20).
func TestInputTexts(t *testing.T) {
	s := stage.New(t)
	const evil = "<script>alert(1)</script><img src=x onerror=y> javascript:z\r\nSet-Cookie: a=b\t& ' \""
	quoted, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	article := routes.FillPath("/v2/account/articles/:id", s.IDs)
	for _, c := range []struct{ method, write, body, read, key string }{
		{"PATCH", article, `{"title": %s}`, article, "title"},
		{"PATCH", article, `{"description": %s}`, article, "description"},
		{"PATCH", article, `{"tags": [%s]}`, article, "tags"},
		{"PATCH", article, `{"custom_fields": {"f": %s}}`, article, "custom_fields"},
		{"PUT", article + "/authors", `{"authors": [{"name": %s}]}`, article + "/authors", "full_name"},
		{"PUT", article + "/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2999-01-01", "embargo_title": "t", "embargo_reason": %s}`, article + "/embargo", "embargo_reason"},
		{"POST", article + "/files", `{"name": %s, "size": 3}`, article + "/files", "name"},
		{"PATCH", routes.FillPath("/v2/account/collections/:id", s.Collection), `{"title": %s}`, routes.FillPath("/v2/account/collections/:id", s.Collection), "title"},
		{"PATCH", routes.FillPath("/v2/account/projects/:id", s.Project), `{"title": %s}`, routes.FillPath("/v2/account/projects/:id", s.Project), "title"},
		{"POST", routes.FillPath("/v2/account/projects/:id/notes", s.Project), `{"text": %s}`, routes.FillPath("/v2/account/projects/:id/notes", s.Project), "abstract"},
	} {
		if r := s.Ada.Send(c.method, c.write, fmt.Sprintf(c.body, quoted)); r.StatusCode == 422 && c.key == "name" {
			continue // a name that no file may have
		} else if r.StatusCode > 299 {
			t.Errorf("%s %s: %d %s", c.method, c.write, r.StatusCode, r.Bytes)
		}
		r := s.Ada.Get(c.read).Is(200)
		var all any
		r.Into(&all)
		if !holds(all, evil) {
			t.Errorf("%s of %s did not come back: %.400s", c.key, c.read, r.Bytes)
		}
		if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s is sent as %q, %q", c.read, kind, r.Header.Get("X-Content-Type-Options"))
		}
	}
}

// holds reports whether a text stands in a value that came as JSON; around it may be spaces.
func holds(value any, text string) bool {
	switch v := value.(type) {
	case string:
		return strings.TrimSpace(v) == strings.TrimSpace(text)
	case []any:
		for _, e := range v {
			if holds(e, text) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if holds(e, text) {
				return true
			}
		}
	}
	return false
}

// Nothing that a client sends begins a line of the log, or colours it: a request has one line
// (security.md D21).
func TestInputLog(t *testing.T) {
	s := stage.New(t)
	s.Restart() // an empty log
	requests := 0
	const forged = "x\r\ntime=2026-01-01 level=ERROR msg=forged\x1b[31m\x07"
	send := func(r *world.Reply) { requests++ }
	send(s.Ada.Send("POST", "/v2/account/articles", `{"title": "x\r\nlevel=ERROR msg=forged\u001b[31m"}`).Is(201))
	send(s.Ada.Send("POST", routes.FillPath("/v2/account/articles/:id/files", s.IDs), `{"name": "a\nlevel=ERROR msg=forged.txt", "size": 1}`))
	send(s.Anon.Get("/v2/articles", "User-Agent", "x\tlevel=ERROR msg=forged"))
	send(s.Anon.Get("/v2/articles", "X-Forwarded-For", "1.2.3.4 level=ERROR msg=forged", "X-Request-Id", "forged"))
	for _, path := range []string{"/v2/%0d%0alevel=ERROR%20msg=forged", "/v2/articles/%1b%5B31mforged", "/upload/forged%0a/1", "/v2/articles?order=%0aforged"} {
		send(s.Anon.Get(path))
		send(s.Ada.Do("DELETE", path, nil))
	}
	body, _ := json.Marshal(map[string]string{"search_for": forged})
	send(s.Anon.Send("POST", "/v2/articles/search", string(body)))
	s.Stop() // every line is written
	after := strings.Split(strings.TrimSuffix(s.Logs.String(), "\n"), "\n")
	count := 0
	for _, line := range after {
		if strings.Contains(line, "msg=request") {
			count++
		}
		if strings.Contains(line, "forged") || strings.ContainsFunc(line, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			t.Errorf("a line of the log is %q", line)
		}
	}
	if count != requests {
		t.Errorf("%d requests have %d lines:\n%s", requests, count, strings.Join(after, "\n"))
	}
}
