package articles

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/endpoint"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// Every GET has an ETag that stays across restarts, and answers If-None-Match with 304 and no
// body (security.md E11, E13). An answer that depends on the store has a date.
func TestConditionalReads(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	tags := map[string]string{}
	undated := map[string]bool{
		"/healthz": true, "/readyz": true, "/v2/licenses": true, "/v2/account/licenses": true, "/v2/categories": true, "/v2/account/categories": true,
		"/v2/item_types": true, "/v2/openapi.json": true, "/v2/docs": true, "/v2/account/institution": true, "/v2/account/institution/roles": true,
		"/upload/:token": true, "/upload/:token/:part": true,
		"/": true, "/search": true, "/search/suggest": true, "/search.atom": true, "/robots.txt": true, "/sitemap.xml": true, "/sitemap/:name": true, "/assets/site.css": true, "/assets/edit.js": true, "/assets/site.js": true, "/assets/upload.js": true, "/assets/md5.js": true, "/assets/icon.svg": true,
		"/assets/passkey.js": true, "/assets/try.js": true,
		"/about": true, "/terms": true, "/privacy": true, "/accessibility": true, "/agreement": true, "/assets/brand.css": true, "/assets/logo": true, "/embed/articles/:id": true, "/embed/collections/:id": true, "/sign-in": true, "/sign-in/forgot": true,
		"/v2/oai": true, "/oai": true, "/v2/token": true, "/.well-known/oauth-authorization-server": true,
		"/sign-in/code":               true,
		"/stats/total/:first/:second": true, "/stats/total/:first/:second/:third": true, "/stats/timeline/:first/:second/:third/:fourth": true,
		"/stats/breakdown/:first/:second/:third/:fourth": true, "/stats/top/:first/:second": true,
	}
	get := func(method, at string, headers ...string) *world.Reply { // as a robot, whose views do not count: the page of an article tells their number
		t.Helper()
		return s.Ada.Do(method, at, nil, append(headers, "User-Agent", "Googlebot/2.1")...)
	}
	before := s.Sequence()
	for _, r := range routes.All() {
		if r.Method != "GET" || r.AsksForMore() {
			continue
		}
		at := s.At(r)
		full := get("GET", at)
		if full.StatusCode == 302 && r.About.IsPage() {
			continue // a short address, which leads to the page
		}
		full.Is(200)
		tag := full.Header.Get("ETag")
		if !strings.HasPrefix(tag, `"`) {
			t.Errorf("%s: ETag %q", r.Path, tag)
		}
		if tags[at] = tag; r.Access == endpoint.Upload || strings.HasPrefix(r.Path, "/articles/") && r.About.IsPage() {
			delete(tags, at) // an upload address holds nothing that lasts; the page of an article tells how often it was seen
		}
		if full.Header.Get("Last-Modified") == "" && !undated[r.Path] {
			t.Errorf("%s has no Last-Modified", r.Path)
		}
		for _, c := range []struct {
			value  string
			status int
		}{
			{tag, 304}, {"W/" + tag, 304}, {`"a", ` + tag + `, "b"`, 304}, {`W/"a",W/` + tag, 304}, {"*", 304}, {`"a"`, 200}, {`"a", W/"b"`, 200},
			{"", 200}, {strings.Trim(tag, `"`), 200}, {strings.ToUpper(tag) + "x", 200}, {`"` + strings.Repeat("x", 10_000) + `"`, 200}, {strings.Repeat(",", 5000), 200},
		} {
			if len(full.Bytes) > 1<<16 && c.value != tag {
				continue // the rules are the same, and this takes long
			}
			method := map[int]string{200: "HEAD", 304: "GET"}[c.status]
			got := get(method, at, "If-None-Match", c.value)
			if got.StatusCode != c.status || c.status == 304 && (len(got.Bytes) != 0 || got.Header.Get("ETag") != tag || got.Header.Get("Cache-Control") == "") {
				t.Errorf("%s %s with If-None-Match %.60s answered %d, %d bytes, %v", method, r.Path, c.value, got.StatusCode, len(got.Bytes), got.Header)
			}
		}
		get("GET", at, "If-None-Match", `"a"`, "If-None-Match", tag).Is(304)
		get("GET", at, "If-None-Match", `"a"`, "If-Modified-Since", "Fri, 31 Dec 2100 00:00:00 GMT").Is(200)
		get("GET", at, "If-Match", tag).Is(200)
		get("GET", at, "If-Match", "*").Is(200)
		for _, stale := range []string{`"a"`, "W/" + tag, ""} {
			if no := get("GET", at, "If-Match", stale).Refuses(412, ""); no.Header.Get("ETag") != "" {
				t.Errorf("%s: 412 with an ETag of the error", r.Path)
			}
		}
		if full.Header.Get("Last-Modified") != "" {
			get("GET", at, "If-Unmodified-Since", "Mon, 02 Jan 2006 15:04:05 GMT").Refuses(412, "")
			get("GET", at, "If-Modified-Since", "Fri, 31 Dec 2100 00:00:00 GMT").Is(304)
			get("GET", at, "If-Modified-Since", "Mon, 02 Jan 2006 15:04:05 GMT").Is(200)
		}
		for _, bad := range []string{"yesterday", "", "2026-01-01", "Mon, 99 Jan 2006 15:04:05 GMT"} {
			get("GET", at, "If-Modified-Since", bad, "If-Unmodified-Since", bad).Is(200)
		}
	}
	if s.Sequence() != before {
		t.Error("reading has changed something")
	}
	s.Cfg.Listen = strings.TrimPrefix(s.URL, "http://") // the same addresses in every answer
	s.Restart()
	for at, tag := range tags {
		if got := s.Ada.Get(at).Is(200).Header.Get("ETag"); got != tag {
			t.Errorf("the ETag of %s changed with a restart", at)
		}
	}
	a, b := s.Anon.Get("/v2/categories"), s.Anon.Get("/v2/licenses")
	if a.Header.Get("ETag") == b.Header.Get("ETag") {
		t.Error("two representations share an ETag")
	}
}

// A list of the same items whose texts have changed has another tag: a client that asks by the old one
// gets the new texts.
func TestTagsOfLists(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id := s.Ada.Published("The first title")
	at := fmt.Sprint("/v2/account/articles/", id)
	for _, list := range []string{"/v2/articles", "/v2/account/articles", fmt.Sprintf("/v2/articles/%d/versions", id)} {
		before := s.Ada.Get(list).Is(200).Header.Get("Etag")
		s.Ada.Get(list, "If-None-Match", before).Is(304)
		s.Ada.Send("PUT", at, `{"title": "A title for `+list+`"}`).Is(205)
		s.Ada.Send("POST", at+"/publish", "").Is(201)
		if after := s.Ada.Get(list, "If-None-Match", before).Is(200).Header.Get("Etag"); after == before {
			t.Errorf("%s has the tag %s before and after a change", list, after)
		}
	}
}

// A change is never missed by a client that asks by date, however soon after its last look it
// comes (security.md E11, L02).
func TestConditionalDates(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	at := routes.FillPath("/v2/account/articles/:id", s.IDs)
	for n := range 12 {
		look := map[string]string{}
		for _, path := range []string{at, "/v2/account/articles"} {
			look[path] = s.Ada.Get(path).Is(200).Header.Get("Last-Modified")
			if told, _ := http.ParseTime(look[path]); told.After(time.Now()) {
				t.Errorf("%s was last modified in the future, %v", path, told)
			}
		}
		s.Ada.Send("PATCH", at, fmt.Sprintf(`{"title": "Title number %d"}`, n)).Is(205)
		for path, since := range look {
			s.Ada.Get(path, "If-Modified-Since", since).Is(200)
			s.Ada.Get(path, "If-Unmodified-Since", since).Is(412)
		}
		s.Ada.Send("PATCH", at, `{"title": "Lost update"}`, "If-Unmodified-Since", look[at]).Refuses(412, "")
	}
	s.Ada.Send("PATCH", at, `{"title": "In time"}`, "If-Unmodified-Since", time.Now().UTC().Add(time.Hour).Format(http.TimeFormat)).Is(205)
	s.Ada.Send("PATCH", at, `{"title": "Never mind"}`, "If-Unmodified-Since", "soon").Is(205)

	// Records that an answer shows besides its own count too.
	public := routes.FillPath("/v2/account/articles/:id", s.Public)
	id := func(path string) (n int64) {
		fmt.Sscan(path[strings.LastIndexByte(path, '/')+1:], &n)
		return n
	}
	file, upload := s.Ada.Begin(public, "late.txt", []byte("hello"))
	long := time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC)
	since := long.Format(http.TimeFormat)
	err := s.DB().Update(context.Background(), 0, func(tx *bucket.Tx) error {
		art, err := working.Articles.Get(tx, id(public))
		if err != nil {
			return err
		}
		f, err := files.Files.Get(tx, id(file))
		if err != nil {
			return err
		}
		acc, err := users.Accounts.Get(tx, art.AccountID)
		if err != nil {
			return err
		}
		old, err := files.Files.Get(tx, id(s.Public[":file_id"]))
		if err != nil {
			return err
		}
		art.Modified, f.Modified, old.Modified, acc.Modified = long, long, long, long
		return errors.Join(working.Articles.Put(tx, art.ID, art), files.Files.Put(tx, f.ID, f), files.Files.Put(tx, old.ID, old), users.Accounts.Put(tx, acc.ID, acc))
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Ada.Get(public, "If-Modified-Since", since).Is(304)
	s.Anon.Send("PUT", upload+"/1", "hello").Is(200)
	s.Ada.Do("POST", file, nil).Is(202)
	s.Ada.Until(file, "available")
	s.Ada.Get(public, "If-Modified-Since", since).Is(200)
	s.Ada.Do("DELETE", file, nil).Is(204)
	s.Ada.Get("/v2/account", "If-Modified-Since", since).Is(200)
}

// A condition that fails is 412 on every write, and changes nothing; one that holds lets the
// write through (security.md E12). It is tested after the right to write.
func TestConditionalWrites(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	for _, r := range routes.All() {
		if r.Access != endpoint.Account || r.Method == "GET" || strings.HasSuffix(r.Path, "/search") || strings.HasSuffix(r.Path, "/hrfeed/upload") {
			continue // the last is below nothing that can be read
		}
		at, body := s.At(r), routes.WithJSON[r.Method+" "+r.Path].Good
		before := s.Sequence()
		for _, h := range [][]string{
			{"If-Match", `"stale"`}, {"If-Match", `"a", "b"`}, {"If-Match", ""}, {"If-None-Match", "*"}, {"If-Unmodified-Since", "Mon, 02 Jan 2006 15:04:05 GMT"},
			{"If-Match", "*", "If-None-Match", "*"}, {"If-Match", `"x"`, "If-Unmodified-Since", "Fri, 31 Dec 2100 00:00:00 GMT"},
		} {
			s.Ada.Send(r.Method, at, body, h...).Refuses(412, "")
		}
		if s.Sequence() != before {
			t.Errorf("%s %s changed something although the condition did not hold", r.Method, r.Path)
		}
	}
	// The tag is that of the same address, or of the nearest above it that can be read.
	at := s.Ada.Article(`{"title": "Well guarded", "authors": [{"name": "A Name"}, {"name": "B Name"}], "categories": [37]}`)
	link, _ := s.Ada.BeginAs(at, `{"link": "https://example.org/"}`)
	author := fmt.Sprint(int64(s.Ada.Get(at + "/authors").List()[0]["id"].(float64)))
	for _, c := range []struct{ method, path, tagOf, body string }{
		{"PUT", at, at, `{"title": "Other title"}`},
		{"PATCH", at, at, `{"title": "Third title"}`},
		{"POST", at + "/authors", at + "/authors", `{"authors": [{"name": "C Name"}]}`},
		{"DELETE", at + "/authors/" + author, at + "/authors", ""},
		{"PUT", at + "/categories", at + "/categories", `{"categories": [3702]}`},
		{"DELETE", at + "/categories/3702", at + "/categories", ""},
		{"POST", at + "/files", at + "/files", `{"link": "https://example.org/2"}`},
		{"POST", link, link, ""},
		{"DELETE", link, link, ""},
		{"POST", at + "/publish", at, ""},
		{"POST", "/v2/account/articles", "/v2/account/articles", `{"title": "Yet another"}`},
	} {
		tag := s.Ada.Get(c.tagOf).Is(200).Header.Get("ETag")
		s.Ben.Send(c.method, c.path, c.body, "If-Match", tag).Is(map[bool]int{true: 412, false: 404}[c.path == "/v2/account/articles"])
		s.Ada.Send(c.method, c.path, c.body, "If-Match", "W/"+tag).Refuses(412, "")
		if got := s.Ada.Send(c.method, c.path, c.body, "If-Match", `"old", `+tag); got.StatusCode >= 300 {
			t.Errorf("%s %s with a fresh tag answered %d %s", c.method, c.path, got.StatusCode, got.Bytes)
		}
		if c.method != "POST" || !strings.HasPrefix(c.path, link) {
			continue
		}
		s.Ada.Send(c.method, c.path, c.body, "If-None-Match", tag).Refuses(412, "")
	}
}

// Of two writers who saw the same state, exactly one wins, every time (security.md E12).
func TestConditionalRace(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Contended"}`)
	const writers = 6
	for round := range 10 {
		tag := s.Ada.Get(at).Is(200).Header.Get("ETag")
		statuses := make(chan int, writers)
		var ready, all sync.WaitGroup
		ready.Add(writers)
		for w := range writers {
			all.Go(func() {
				ready.Done()
				ready.Wait()
				statuses <- s.Ada.Send("PUT", at, fmt.Sprintf(`{"title": "Round %d, writer %d"}`, round, w), "If-Match", tag).StatusCode
			})
		}
		all.Wait()
		won, lost := 0, 0
		for range writers {
			switch <-statuses {
			case 205:
				won++
			case 412:
				lost++
			}
		}
		if won != 1 || lost != writers-1 {
			t.Errorf("round %d: %d won, %d lost", round, won, lost)
		}
	}
}
