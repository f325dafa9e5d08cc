package articles

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/record"
	"alcove/tests/world"
)

// markers makes an article under a whole embargo, publishes it, and changes the working copy
// afterwards. Words of the later working copy begin with canary too.
func markers(s *world.Server, date string) (at string) {
	s.T.Helper()
	at, _ = markersFor(s, func() (string, time.Time) { return date, time.Time{} })
	return at
}

func markersFor(s *world.Server, date func() (string, time.Time)) (at string, end time.Time) {
	s.T.Helper()
	at = s.Ada.Article(`{"title": "canarytitle", "description": "canarytext", "tags": ["canarytag"], "authors": [{"name": "Grace Canaryauthor"}]}`)
	file := s.Ada.Upload(at, "canaryone", []byte("canarybytes"))
	s.Ada.Upload(at, "canarytwo", []byte("canarymore"))
	text, end := date()
	s.Ada.Embargo(at, "article", text)
	r := s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if want := s.URL + strings.Replace(at, "/account", "", 1); r.Header.Get("Location") != want || string(r.Bytes) != `{"location": "`+want+`", "warnings": ["`+record.WarnEmbargo+`"]}` {
		s.T.Errorf("publishing answered %s, Location %s", r.Bytes, r.Header.Get("Location"))
	}
	s.Ada.Send("PUT", at, `{"title": "canarylater", "description": "canarylater"}`).Is(205)
	s.Ada.Send("PUT", at+"/authors", `{"authors": [{"name": "Canarylater Author"}]}`).Is(205)
	s.Ada.Do("DELETE", file, nil).Is(204)
	s.Ada.Upload(at, "canarythree", []byte("canarylater"))
	return at, end
}

// heldBack checks that nothing of article 1 is public.
func heldBack(s *world.Server) {
	s.T.Helper()
	s.Leaks("anary")
	for _, path := range []string{"/v2/articles/1", "/v2/articles/1/versions", "/v2/articles/1/versions/1", "/v2/articles/1/files", "/files/1", "/files/2"} {
		got, unknown := s.Anon.Get(path).Is(404), s.Anon.Get(strings.Replace(strings.Replace(path, "articles/1", "articles/99", 1), "files/1", "files/99", 1))
		if string(got.Bytes) != string(unknown.Bytes) {
			s.T.Errorf("%s is told from an unknown one: %s", path, got.Bytes)
		}
	}
	own := s.Ada.Get("/v2/account/articles/1").Is(200).Object()
	if own["is_public"] != false || own["status"] == "public" || own["version"] != 0.0 || own["published_date"] != nil || own["doi"] != nil {
		s.T.Errorf("meanwhile the owner sees %v", own)
	}
	for _, f := range own["files"].([]any) {
		if f.(map[string]any)["is_attached_to_public_version"] != false {
			s.T.Errorf("a held file is %v", f)
		}
	}
}

// notBefore checks that addresses are unknown until an embargo ends.
func notBefore(s *world.Server, end time.Time, paths ...string) {
	s.T.Helper()
	for _, path := range paths {
		if r := s.Anon.Get(path); r.StatusCode != 404 && time.Now().Before(end) {
			s.T.Errorf("%s answered %d before %v", path, r.StatusCode, end)
		}
	}
}

// appeared checks that article 1 is public as it was when it was published.
func appeared(s *world.Server, after time.Time) {
	s.T.Helper()
	got := s.Anon.Get("/v2/articles/1").Is(200).Object()
	for key, want := range map[string]any{
		"title": "canarytitle", "description": "canarytext", "version": 1.0, "status": "public", "is_public": true, "is_embargoed": false,
		"embargo_date": nil, "embargo_type": nil, "doi": "10.5072/alcove.1.v1", "size": 21.0,
	} {
		if got[key] != want {
			s.T.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if when, err := time.Parse(time.RFC3339, got["published_date"].(string)); err != nil || when.Before(after) {
		s.T.Errorf("published %v, the embargo ended %v", got["published_date"], after)
	}
	if names := versionFiles(s, 1, 1); names != "canaryone canarytwo" || fmt.Sprint(got["authors"]) == "" || !strings.Contains(fmt.Sprint(got["authors"]), "Grace Canaryauthor") {
		s.T.Errorf("files %s, authors %v", names, got["authors"])
	}
	if r := s.Anon.Get("/files/1").Is(200); string(r.Bytes) != "canarybytes" {
		s.T.Errorf("file 1 is %q", r.Bytes)
	}
	s.Anon.Get("/files/3").Refuses(404, "File not found")
	for word, n := range map[string]int{"canarytext": 1, "canaryone": 1, "canarylater": 0, "canarythree": 0} {
		if r := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "`+word+`"}`).Is(200); len(r.List()) != n {
			s.T.Errorf("a search for %s found %s", word, r.Bytes)
		}
	}
	own := s.Ada.Get("/v2/account/articles/1").Is(200).Object()
	if own["version"] != 1.0 || own["title"] != "canarylater" || own["is_embargoed"] != false || own["status"] != "public" {
		s.T.Errorf("the working copy is %v", own)
	}
	if names := world.FileNames(s.Ada.Get("/v2/account/articles/1/files").List()); names != "canarytwo canarythree" {
		s.T.Errorf("the working copy has %s", names)
	}
	if used := s.Ada.FileQuota(); used != "11+21=32" {
		s.T.Errorf("used %s", used)
	}
	// The next version goes on from there.
	s.Ada.Do("POST", "/v2/account/articles/1/publish", nil).Is(201)
	if names := versionFiles(s, 1, 1) + "|" + versionFiles(s, 1, 2); names != "canaryone canarytwo|canarytwo canarythree" {
		s.T.Errorf("the versions have %s", names)
	}
}

// A published article under a whole embargo becomes public by itself when it ends, as it was
// published; an unpublished one does not (security.md C07).
func TestEmbargoArticleExpires(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at, end := markersFor(s, func() (string, time.Time) { return world.InSeconds(4) })
	date, _ := world.InSeconds(4)
	never := s.Ada.Article(`{"title": "canarynever", "authors": [{"name": "A B"}]}`)
	s.Ada.Embargo(never, "article", date)
	notBefore(s, end, "/v2/articles/1", "/files/1", "/v2/articles/1/versions/1")
	s.Eventually("article 1 is public", func() bool { return s.Anon.Get("/v2/articles/1").StatusCode == 200 })
	appeared(s, end)
	s.Eventually("the other embargo has ended", func() bool { return s.Ada.Get(never + "/embargo").Object()["is_embargoed"] == false })
	s.Anon.Get("/v2/articles/2").Refuses(404, "")
	s.Restart()
	s.Anon.Get("/v2/articles/2").Refuses(404, "")
	if r := s.Anon.Get("/v2/articles/1/versions").Is(200); len(r.List()) != 2 {
		t.Errorf("versions %s", r.Bytes)
	}
	s.Ada.Do("DELETE", at, nil).Refuses(403, "unpublish")
}

// The same when the server was down at that moment. Files and whole articles; the change
// log tells each end once.
func TestEmbargoEndedMeanwhile(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	_, end := markersFor(s, func() (string, time.Time) { return world.InSeconds(4) })
	file := s.Ben.Article(`{"title": "Only its files", "authors": [{"name": "A B"}]}`)
	s.Ben.Upload(file, "late", []byte("late"))
	date, later := world.InSeconds(4)
	s.Ben.Embargo(file, "file", date)
	s.Ben.Do("POST", file+"/publish", nil).Is(201)
	s.Ben.Send("PATCH", file, `{"title": "canaryafter"}`).Is(205)
	notBefore(s, end, "/v2/articles/1")
	notBefore(s, later, "/files/4")
	s.Stop()
	<-time.After(time.Until(later.Add(time.Second)))
	s.Boot()
	s.Eventually("article 1 is public", func() bool { return s.Anon.Get("/v2/articles/1").StatusCode == 200 })
	s.Eventually("the files of article 2 are public", func() bool { return s.Anon.Get("/files/4").StatusCode == 200 })
	appeared(s, end)
	got := s.Anon.Get("/v2/articles/2").Is(200).Object()
	if versionFiles(s, 2, 1) != "late" || got["size"] != 4.0 || got["is_embargoed"] != false || got["title"] != "Only its files" || got["version"] != 1.0 {
		t.Errorf("after its embargo: %v", got)
	}
	s.Eventually("the embargo of the working copy has ended", func() bool { return s.Ben.Get(file + "/embargo").Object()["is_embargoed"] == false })
	if r := s.Anon.Get("/v2/articles/2/versions/1/embargo").Object(); r["is_embargoed"] != false || r["embargo_date"] != nil {
		t.Errorf("the version's embargo: %v", r)
	}
	if r := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "late"}`).Is(200); len(r.List()) != 1 {
		t.Errorf("the file's name is not found: %s", r.Bytes)
	}
	s.Anon.Get("/v2/articles/2/files/4").Is(200)
	before := s.Sequence()
	s.Restart()
	s.Anon.Get("/files/4").Is(200)
	ends := map[string]int{}
	err := s.DB().View(func(tx *bucket.Tx) error {
		for c, err := range tx.Changes(0) {
			if err != nil {
				return err
			}
			if c.Table == "held_versions" || c.Table == "article_versions" {
				ends[fmt.Sprint(c.Table, " ", c.ID(), " ", c.Op)]++
			}
		}
		return tx.CheckChain()
	})
	if err != nil || s.Sequence() != before {
		t.Errorf("%v; %d changes, %d after a restart", err, before, s.Sequence())
	}
	if got := fmt.Sprint(ends); got != "map[article_versions 1 create:2 article_versions 2 change:1 article_versions 2 create:1 held_versions 1 create:1 held_versions 1 delete:1]" {
		t.Errorf("the log tells %s", got)
	}
}

// An embargo that ends opens the version that has it, and the versions without are as they were
// (security.md C12).
func TestEmbargoFilesExpire(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "One version after another", "authors": [{"name": "A B"}]}`)
	one := s.Ada.Upload(at, "one", []byte("1"))
	s.Ada.Upload(at, "two", []byte("2"))
	date, _ := world.InSeconds(4)
	s.Ada.Embargo(at, "file", date)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Do("DELETE", one, nil).Is(204)
	s.Ada.Upload(at, "three", []byte("3"))
	s.Ada.Embargo(at, "file", "2999-01-01")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Eventually("version 1 is open", func() bool { return versionFiles(s, 1, 1) == "one two" })
	if got := versionFiles(s, 1, 2); got != "" {
		t.Errorf("version 2 shows %s", got)
	}
	for id, status := range map[int]int{1: 200, 2: 200, 3: 404} {
		s.Anon.Get(fmt.Sprint("/files/", id)).Is(status)
	}
	if r := s.Anon.Get("/v2/articles/1/files").Is(200); string(r.Bytes) != "[]" {
		t.Errorf("the latest version lists %s", r.Bytes)
	}
	if r := s.Ada.Get(at + "/embargo").Object(); r["is_embargoed"] != true {
		t.Errorf("the working copy: %v", r)
	}
}

// Lifting an embargo on the whole article shows the published version at once, also when less
// than before is under embargo; a new date is the version's date too.
func TestEmbargoLifted(t *testing.T) {
	t.Parallel()
	for name, lift := range map[string]func(s *world.Server, at string){
		"DELETE": func(s *world.Server, at string) { s.Ada.Do("DELETE", at+"/embargo", nil).Is(204) },
		"PUT":    func(s *world.Server, at string) { s.Ada.Send("PUT", at+"/embargo", `{"is_embargoed": false}`).Is(205) },
		"sooner": func(s *world.Server, at string) {
			date, _ := world.InSeconds(2)
			s.Ada.Embargo(at, "article", date)
			s.Eventually("it is public", func() bool { return s.Anon.Get("/v2/articles/1").StatusCode == 200 })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := world.Start(t)
			at := markers(s, "2999-01-01")
			heldBack(s)
			s.Restart()
			heldBack(s)
			lift(s, at)
			appeared(s, time.Time{})
		})
	}
	s := world.Start(t)
	at := markers(s, "2999-01-01")
	s.Ada.Embargo(at, "file", "2999-01-01")
	got := s.Anon.Get("/v2/articles/1").Is(200).Object()
	if got["title"] != "canarytitle" || got["embargo_type"] != "file" || got["size"] != 0.0 || versionFiles(s, 1, 1) != "" {
		t.Errorf("under an embargo on files: %v", got)
	}
	s.Leaks("canaryone", "canarytwo", "canarythree", "canarybytes", "canarylater")
}

// A new embargoed version replaces the earlier one, an earlier public version stays meanwhile,
// and later changes of the files do not reach it.
func TestEmbargoHeldAgain(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Version one", "authors": [{"name": "Grace Hopper"}]}`)
	one := s.Ada.Upload(at, "one", []byte("1"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	v1 := s.Anon.Get("/v2/articles/1").Is(200)

	s.Ada.Embargo(at, "article", "2999-01-01")
	two := s.Ada.Upload(at, "two", []byte("22"))
	s.Ada.Send("PATCH", at, `{"title": "canaryfirst"}`).Is(205)
	s.Ada.Do("DELETE", one, nil).Is(204)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Send("PATCH", at, `{"title": "canarysecond"}`).Is(205)
	s.Ada.Do("DELETE", two, nil).Is(204)
	s.Ada.Upload(at, "three", []byte("333"))
	if used := s.Ada.FileQuota(); used != "5+1=6" {
		t.Errorf("used %s while a dropped file is held", used)
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if used := s.Ada.FileQuota(); used != "3+1=4" {
		t.Errorf("used %s when it is held no more", used)
	}
	s.Ada.Get("/files/2").Refuses(404, "File not found")
	s.Leaks("canaryfirst", "canarysecond")
	if again := s.Anon.Get("/v2/articles/1").Is(200); string(again.Bytes) != string(v1.Bytes) {
		t.Errorf("the earlier version changed: %s", again.Bytes)
	}
	if own := s.Ada.Get(at).Object(); own["version"] != 1.0 || own["status"] != "public" || own["is_embargoed"] != true {
		t.Errorf("own %v", own)
	}
	s.Ada.Do("DELETE", at+"/embargo", nil).Is(204)
	got := s.Anon.Get("/v2/articles/1").Is(200).Object()
	if got["title"] != "canarysecond" || got["version"] != 2.0 || versionFiles(s, 1, 1)+"|"+versionFiles(s, 1, 2) != "one|three" {
		t.Errorf("version 2 is %v", got)
	}
	if used := s.Ada.FileQuota(); used != "0+4=4" {
		t.Errorf("used %s in the end", used)
	}
	s.Anon.Get("/files/2").Refuses(404, "File not found")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if got := versionFiles(s, 1, 3); got != "three" {
		t.Errorf("version 3 has %s", got)
	}
}

// A draft with an embargoed version can be deleted, with all of it.
func TestEmbargoHeldDelete(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at, _ := markersFor(s, func() (string, time.Time) { return world.InSeconds(4) })
	s.Ada.Do("DELETE", at, nil).Is(204)
	if used := s.Ada.FileQuota(); used != "0+0=0" {
		t.Errorf("used %s after the deletion", used)
	}
	other := s.Ada.Article(`{"title": "Ends a little later"}`)
	date, _ := world.InSeconds(4) // ends after the one that went with the article
	s.Ada.Embargo(other, "file", date)
	s.Eventually("the other embargo has ended", func() bool { return s.Ada.Get(other + "/embargo").Object()["is_embargoed"] == false })
	s.Leaks("anary")
	s.Anon.Get("/v2/articles/1").Is(404)
}
