package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// markers makes an article under a whole embargo, publishes it, and changes the working copy
// afterwards. Words of the later working copy begin with canary too.
func (s *server) markers(date string) (at string) {
	s.t.Helper()
	at, _ = s.markersFor(func() (string, time.Time) { return date, time.Time{} })
	return at
}

func (s *server) markersFor(date func() (string, time.Time)) (at string, end time.Time) {
	s.t.Helper()
	at = s.Ada.article(`{"title": "canarytitle", "description": "canarytext", "tags": ["canarytag"], "authors": [{"name": "Grace Canaryauthor"}]}`)
	file := s.Ada.upload(at, "canaryone", []byte("canarybytes"))
	s.Ada.upload(at, "canarytwo", []byte("canarymore"))
	text, end := date()
	s.Ada.embargo(at, "article", text)
	r := s.Ada.do("POST", at+"/publish", nil).is(201)
	if want := s.URL + strings.Replace(at, "/account", "", 1); r.Header.Get("Location") != want || string(r.body) != `{"location": "`+want+`", "warnings": ["`+record.WarnEmbargo+`"]}` {
		s.t.Errorf("publishing answered %s, Location %s", r.body, r.Header.Get("Location"))
	}
	s.Ada.send("PUT", at, `{"title": "canarylater", "description": "canarylater"}`).is(205)
	s.Ada.send("PUT", at+"/authors", `{"authors": [{"name": "Canarylater Author"}]}`).is(205)
	s.Ada.do("DELETE", file, nil).is(204)
	s.Ada.upload(at, "canarythree", []byte("canarylater"))
	return at, end
}

// heldBack checks that nothing of article 1 is public.
func (s *server) heldBack() {
	s.t.Helper()
	s.leaks("anary")
	for _, path := range []string{"/v2/articles/1", "/v2/articles/1/versions", "/v2/articles/1/versions/1", "/v2/articles/1/files", "/files/1", "/files/2"} {
		got, unknown := s.Anon.get(path).is(404), s.Anon.get(strings.Replace(strings.Replace(path, "articles/1", "articles/99", 1), "files/1", "files/99", 1))
		if string(got.body) != string(unknown.body) {
			s.t.Errorf("%s is told from an unknown one: %s", path, got.body)
		}
	}
	own := s.Ada.get("/v2/account/articles/1").is(200).object()
	if own["is_public"] != false || own["status"] == "public" || own["version"] != 0.0 || own["published_date"] != nil || own["doi"] != nil {
		s.t.Errorf("meanwhile the owner sees %v", own)
	}
	for _, f := range own["files"].([]any) {
		if f.(map[string]any)["is_attached_to_public_version"] != false {
			s.t.Errorf("a held file is %v", f)
		}
	}
}

// notBefore checks that addresses are unknown until an embargo ends.
func (s *server) notBefore(end time.Time, paths ...string) {
	s.t.Helper()
	for _, path := range paths {
		if r := s.Anon.get(path); r.StatusCode != 404 && time.Now().Before(end) {
			s.t.Errorf("%s answered %d before %v", path, r.StatusCode, end)
		}
	}
}

// appeared checks that article 1 is public as it was when it was published.
func (s *server) appeared(after time.Time) {
	s.t.Helper()
	got := s.Anon.get("/v2/articles/1").is(200).object()
	for key, want := range map[string]any{
		"title": "canarytitle", "description": "canarytext", "version": 1.0, "status": "public", "is_public": true, "is_embargoed": false,
		"embargo_date": nil, "embargo_type": nil, "doi": "10.5072/alcove.1.v1", "size": 21.0,
	} {
		if got[key] != want {
			s.t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if when, err := time.Parse(time.RFC3339, got["published_date"].(string)); err != nil || when.Before(after) {
		s.t.Errorf("published %v, the embargo ended %v", got["published_date"], after)
	}
	if names := s.versionFiles(1, 1); names != "canaryone canarytwo" || fmt.Sprint(got["authors"]) == "" || !strings.Contains(fmt.Sprint(got["authors"]), "Grace Canaryauthor") {
		s.t.Errorf("files %s, authors %v", names, got["authors"])
	}
	if r := s.Anon.get("/files/1").is(200); string(r.body) != "canarybytes" {
		s.t.Errorf("file 1 is %q", r.body)
	}
	s.Anon.get("/files/3").refuses(404, "File not found")
	for word, n := range map[string]int{"canarytext": 1, "canaryone": 1, "canarylater": 0, "canarythree": 0} {
		if r := s.Anon.send("POST", "/v2/articles/search", `{"search_for": "`+word+`"}`).is(200); len(r.list()) != n {
			s.t.Errorf("a search for %s found %s", word, r.body)
		}
	}
	own := s.Ada.get("/v2/account/articles/1").is(200).object()
	if own["version"] != 1.0 || own["title"] != "canarylater" || own["is_embargoed"] != false || own["status"] != "public" {
		s.t.Errorf("the working copy is %v", own)
	}
	if names := fileNames(s.Ada.get("/v2/account/articles/1/files").list()); names != "canarytwo canarythree" {
		s.t.Errorf("the working copy has %s", names)
	}
	if used := s.Ada.fileQuota(); used != "11+21=32" {
		s.t.Errorf("used %s", used)
	}
	// The next version goes on from there.
	s.Ada.do("POST", "/v2/account/articles/1/publish", nil).is(201)
	if names := s.versionFiles(1, 1) + "|" + s.versionFiles(1, 2); names != "canaryone canarytwo|canarytwo canarythree" {
		s.t.Errorf("the versions have %s", names)
	}
}

// A published article under a whole embargo becomes public by itself when it ends, as it was
// published; an unpublished one does not (security.md C07).
func TestEmbargoArticleExpires(t *testing.T) {
	t.Parallel()
	s := start(t)
	at, end := s.markersFor(func() (string, time.Time) { return inSeconds(4) })
	date, _ := inSeconds(4)
	never := s.Ada.article(`{"title": "canarynever", "authors": [{"name": "A B"}]}`)
	s.Ada.embargo(never, "article", date)
	s.notBefore(end, "/v2/articles/1", "/files/1", "/v2/articles/1/versions/1")
	s.eventually("article 1 is public", func() bool { return s.Anon.get("/v2/articles/1").StatusCode == 200 })
	s.appeared(end)
	s.eventually("the other embargo has ended", func() bool { return s.Ada.get(never + "/embargo").object()["is_embargoed"] == false })
	s.Anon.get("/v2/articles/2").refuses(404, "")
	s.restart()
	s.Anon.get("/v2/articles/2").refuses(404, "")
	if r := s.Anon.get("/v2/articles/1/versions").is(200); len(r.list()) != 2 {
		t.Errorf("versions %s", r.body)
	}
	s.Ada.do("DELETE", at, nil).refuses(403, "unpublish")
}

// The same when the server was down at that moment. Files and whole articles; the change
// log tells each end once.
func TestEmbargoEndsWhileDown(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, end := s.markersFor(func() (string, time.Time) { return inSeconds(4) })
	file := s.Ben.article(`{"title": "Only its files", "authors": [{"name": "A B"}]}`)
	s.Ben.upload(file, "late", []byte("late"))
	date, later := inSeconds(4)
	s.Ben.embargo(file, "file", date)
	s.Ben.do("POST", file+"/publish", nil).is(201)
	s.Ben.send("PATCH", file, `{"title": "canaryafter"}`).is(205)
	s.notBefore(end, "/v2/articles/1")
	s.notBefore(later, "/files/4")
	s.Stop()
	<-time.After(time.Until(later.Add(time.Second)))
	s.boot()
	s.eventually("article 1 is public", func() bool { return s.Anon.get("/v2/articles/1").StatusCode == 200 })
	s.eventually("the files of article 2 are public", func() bool { return s.Anon.get("/files/4").StatusCode == 200 })
	s.appeared(end)
	got := s.Anon.get("/v2/articles/2").is(200).object()
	if s.versionFiles(2, 1) != "late" || got["size"] != 4.0 || got["is_embargoed"] != false || got["title"] != "Only its files" || got["version"] != 1.0 {
		t.Errorf("after its embargo: %v", got)
	}
	s.eventually("the embargo of the working copy has ended", func() bool { return s.Ben.get(file + "/embargo").object()["is_embargoed"] == false })
	if r := s.Anon.get("/v2/articles/2/versions/1/embargo").object(); r["is_embargoed"] != false || r["embargo_date"] != nil {
		t.Errorf("the version's embargo: %v", r)
	}
	if r := s.Anon.send("POST", "/v2/articles/search", `{"search_for": "late"}`).is(200); len(r.list()) != 1 {
		t.Errorf("the file's name is not found: %s", r.body)
	}
	s.Anon.get("/v2/articles/2/files/4").is(200)
	before := s.DB().Sequence()
	s.restart()
	s.Anon.get("/files/4").is(200)
	ends := map[string]int{}
	err := s.DB().View(func(tx *bucket.Tx) error {
		for c, err := range bucket.Changes(tx, 0) {
			if err != nil {
				return err
			}
			if c.Table == "held_versions" || c.Table == "article_versions" {
				ends[fmt.Sprint(c.Table, " ", c.ID(), " ", c.Op)]++
			}
		}
		return bucket.CheckChain(tx)
	})
	if err != nil || s.DB().Sequence() != before {
		t.Errorf("%v; %d changes, %d after a restart", err, before, s.DB().Sequence())
	}
	if got := fmt.Sprint(ends); got != "map[article_versions 1 create:2 article_versions 2 change:1 article_versions 2 create:1 held_versions 1 create:1 held_versions 1 delete:1]" {
		t.Errorf("the log tells %s", got)
	}
}

// An embargo that ends opens the version that has it, and the versions without are as they were
// (security.md C12).
func TestEmbargoFilesExpire(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "One version after another", "authors": [{"name": "A B"}]}`)
	one := s.Ada.upload(at, "one", []byte("1"))
	s.Ada.upload(at, "two", []byte("2"))
	date, _ := inSeconds(4)
	s.Ada.embargo(at, "file", date)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Ada.do("DELETE", one, nil).is(204)
	s.Ada.upload(at, "three", []byte("3"))
	s.Ada.embargo(at, "file", "2999-01-01")
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.eventually("version 1 is open", func() bool { return s.versionFiles(1, 1) == "one two" })
	if got := s.versionFiles(1, 2); got != "" {
		t.Errorf("version 2 shows %s", got)
	}
	for id, status := range map[int]int{1: 200, 2: 200, 3: 404} {
		s.Anon.get(fmt.Sprint("/files/", id)).is(status)
	}
	if r := s.Anon.get("/v2/articles/1/files").is(200); string(r.body) != "[]" {
		t.Errorf("the latest version lists %s", r.body)
	}
	if r := s.Ada.get(at + "/embargo").object(); r["is_embargoed"] != true {
		t.Errorf("the working copy: %v", r)
	}
}

// Lifting an embargo on the whole article shows the published version at once, also when less
// than before is under embargo; a new date is the version's date too.
func TestEmbargoLifted(t *testing.T) {
	t.Parallel()
	for name, lift := range map[string]func(s *server, at string){
		"DELETE": func(s *server, at string) { s.Ada.do("DELETE", at+"/embargo", nil).is(204) },
		"PUT":    func(s *server, at string) { s.Ada.send("PUT", at+"/embargo", `{"is_embargoed": false}`).is(205) },
		"sooner": func(s *server, at string) {
			date, _ := inSeconds(2)
			s.Ada.embargo(at, "article", date)
			s.eventually("it is public", func() bool { return s.Anon.get("/v2/articles/1").StatusCode == 200 })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			at := s.markers("2999-01-01")
			s.heldBack()
			s.restart()
			s.heldBack()
			lift(s, at)
			s.appeared(time.Time{})
		})
	}
	s := start(t)
	at := s.markers("2999-01-01")
	s.Ada.embargo(at, "file", "2999-01-01")
	got := s.Anon.get("/v2/articles/1").is(200).object()
	if got["title"] != "canarytitle" || got["embargo_type"] != "file" || got["size"] != 0.0 || s.versionFiles(1, 1) != "" {
		t.Errorf("under an embargo on files: %v", got)
	}
	s.leaks("canaryone", "canarytwo", "canarythree", "canarybytes", "canarylater")
}

// A new embargoed version replaces the earlier one, an earlier public version stays meanwhile,
// and later changes of the files do not reach it.
func TestEmbargoHeldAgain(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Version one", "authors": [{"name": "Grace Hopper"}]}`)
	one := s.Ada.upload(at, "one", []byte("1"))
	s.Ada.do("POST", at+"/publish", nil).is(201)
	v1 := s.Anon.get("/v2/articles/1").is(200)

	s.Ada.embargo(at, "article", "2999-01-01")
	two := s.Ada.upload(at, "two", []byte("22"))
	s.Ada.send("PATCH", at, `{"title": "canaryfirst"}`).is(205)
	s.Ada.do("DELETE", one, nil).is(204)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Ada.send("PATCH", at, `{"title": "canarysecond"}`).is(205)
	s.Ada.do("DELETE", two, nil).is(204)
	s.Ada.upload(at, "three", []byte("333"))
	if used := s.Ada.fileQuota(); used != "5+1=6" {
		t.Errorf("used %s while a dropped file is held", used)
	}
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if used := s.Ada.fileQuota(); used != "3+1=4" {
		t.Errorf("used %s when it is held no more", used)
	}
	s.Ada.get("/files/2").refuses(404, "File not found")
	s.leaks("canaryfirst", "canarysecond")
	if again := s.Anon.get("/v2/articles/1").is(200); string(again.body) != string(v1.body) {
		t.Errorf("the earlier version changed: %s", again.body)
	}
	if own := s.Ada.get(at).object(); own["version"] != 1.0 || own["status"] != "public" || own["is_embargoed"] != true {
		t.Errorf("own %v", own)
	}
	s.Ada.do("DELETE", at+"/embargo", nil).is(204)
	got := s.Anon.get("/v2/articles/1").is(200).object()
	if got["title"] != "canarysecond" || got["version"] != 2.0 || s.versionFiles(1, 1)+"|"+s.versionFiles(1, 2) != "one|three" {
		t.Errorf("version 2 is %v", got)
	}
	if used := s.Ada.fileQuota(); used != "0+4=4" {
		t.Errorf("used %s in the end", used)
	}
	s.Anon.get("/files/2").refuses(404, "File not found")
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if got := s.versionFiles(1, 3); got != "three" {
		t.Errorf("version 3 has %s", got)
	}
}

// A draft with an embargoed version can be deleted, with all of it.
func TestEmbargoHeldDelete(t *testing.T) {
	t.Parallel()
	s := start(t)
	at, _ := s.markersFor(func() (string, time.Time) { return inSeconds(4) })
	s.Ada.do("DELETE", at, nil).is(204)
	if used := s.Ada.fileQuota(); used != "0+0=0" {
		t.Errorf("used %s after the deletion", used)
	}
	other := s.Ada.article(`{"title": "Ends a little later"}`)
	date, _ := inSeconds(4) // ends after the one that went with the article
	s.Ada.embargo(other, "file", date)
	s.eventually("the other embargo has ended", func() bool { return s.Ada.get(other + "/embargo").object()["is_embargoed"] == false })
	s.leaks("anary")
	s.Anon.get("/v2/articles/1").is(404)
}
