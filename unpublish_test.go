package main

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/record"
)

const whyWithdrawn = `{"reason": "It shows people who did not agree"}`

// goneFor checks that readers get at every public address of an article what they get for
// one that never was.
func (s *server) goneFor(id, version, file int64) {
	s.t.Helper()
	const never = 777777
	for _, path := range []string{
		"/v2/articles/%a", "/v2/articles/%a/versions", "/v2/articles/%a/versions/%v", "/v2/articles/%a/versions/%v/embargo",
		"/v2/articles/%a/versions/%v/confidentiality", "/v2/articles/%a/versions/%v/files", "/v2/articles/%a/versions/%v/download",
		"/v2/articles/%a/files", "/v2/articles/%a/files/%f", "/v2/articles/%a/download", "/files/%f", "/ndownloader/files/%f", "/v2/file/download/%f",
		"/articles/%a", "/articles/%a/versions/%v",
	} {
		at := func(a, v, f int64) string {
			return strings.NewReplacer("%a", fmt.Sprint(a), "%v", fmt.Sprint(v), "%f", fmt.Sprint(f)).Replace(path)
		}
		for _, who := range []client{s.Anon, s.Ben} {
			got, unknown := who.get(at(id, version, file)), who.get(at(never, version, never))
			if got.StatusCode != 404 || got.whole() != unknown.whole() {
				s.t.Errorf("%s is told from an unknown one: %s", at(id, version, file), got.whole())
			}
		}
	}
}

// Unpublishing takes an article away from every reader and leaves it with its owner. The next
// publication has the next number, and withdrawn versions stay away.
func TestUnpublish(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "canarytitle", "description": "canarytext", "tags": ["canarytag"], "authors": [{"name": "Grace Canary"}]}`)
	one := s.Ada.upload(at, "canaryone", []byte("canarybytes"))
	s.Ada.upload(at, "canarytwo", []byte("22"))
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Ada.do("DELETE", one, nil).is(204)
	s.Ada.upload(at, "canarythree", []byte("333"))
	s.Ada.do("POST", at+"/publish", nil).is(201)
	col := strings.TrimPrefix(s.Ben.send("POST", "/v2/account/collections", `{"title": "With it", "authors": [{"name": "A B"}], "articles": [1]}`).is(201).Header.Get("Location"), s.URL)
	s.Ben.do("POST", col+"/publish", nil).is(201)
	if used := s.Ada.fileQuota(); used != "0+16=16" {
		t.Errorf("used %s while it is public", used)
	}
	doi := s.Anon.get("/v2/articles/1").is(200).object()["doi"]

	s.Ada.send("POST", at+"/unpublish", whyWithdrawn).is(204)
	check := func() {
		t.Helper()
		s.leaks("canary")
		s.goneFor(1, 1, 1)
		s.goneFor(1, 2, 3)
		for _, path := range []string{"/v2/articles", "/v2/collections/1/articles", col + "/articles", "/v2/articles?doi=" + fmt.Sprint(doi)} {
			if r := s.Ben.get(path).is(200); string(r.body) != "[]" {
				t.Errorf("%s shows %s", path, r.body)
			}
		}
		if r := s.Anon.send("POST", "/v2/articles/search", `{"search_for": "canarytext"}`).is(200); string(r.body) != "[]" {
			t.Errorf("search finds %s", r.body)
		}
	}
	check()
	s.restart()
	check()
	own := s.Ada.get(at).is(200).object()
	if own["status"] != "private" || own["is_public"] != false || own["published_date"] != nil || own["title"] != "canarytitle" {
		t.Errorf("its owner sees %v", own)
	}
	for _, f := range own["files"].([]any) {
		if f.(map[string]any)["is_attached_to_public_version"] != false {
			t.Errorf("a withdrawn file is %v", f)
		}
	}
	if names := fileNames(s.Ada.get(at + "/files").list()); names != "canarytwo canarythree" {
		t.Errorf("the working copy has %s", names)
	}
	if used := s.Ada.fileQuota(); used != "16+0=16" {
		t.Errorf("used %s after the withdrawal", used)
	}
	if r := s.Ada.get("/files/3").is(200); string(r.body) != "333" {
		t.Errorf("the owner gets %q", r.body)
	}
	s.Ada.get(at+"/versions/2").refuses(404, "ArticleVersion")
	s.Ada.send("PATCH", at+"/versions/2", `{"title": "No such version"}`).refuses(404, "ArticleVersion")
	s.Ada.send("POST", at+"/unpublish", whyWithdrawn).refuses(400, "no public version")

	s.Ada.do("POST", at+"/publish", nil).is(201)
	got := s.Anon.get("/v2/articles/1").is(200).object()
	if got["version"] != 3.0 || got["doi"] != "10.5072/alcove.1.v3" || s.versionFiles(1, 3) != "canarytwo canarythree" {
		t.Errorf("published again: %v", got)
	}
	if r := s.Anon.get("/v2/articles/1/versions").is(200).list(); len(r) != 1 || r[0]["version"] != 3.0 {
		t.Errorf("its versions are %v", r)
	}
	for _, path := range []string{"/v2/articles/1/versions/1", "/v2/articles/1/versions/2", "/v2/articles/1/versions/2/files", "/v2/articles/1/versions/2/download", "/files/1"} {
		s.Anon.get(path).is(404)
	}
	s.Anon.get("/files/2").is(200)
	if used := s.Ada.fileQuota(); used != "11+5=16" {
		t.Errorf("used %s after the next publication", used)
	}
	s.Ada.do("DELETE", at, nil).refuses(403, "unpublish")

	s.Ada.send("POST", at+"/unpublish", whyWithdrawn).is(204)
	s.goneFor(1, 3, 2)
	s.Ada.do("DELETE", at, nil).is(204)
	if used := s.Ada.fileQuota(); used != "0+0=0" {
		t.Errorf("used %s after the deletion", used)
	}
	s.Ada.get(at).refuses(404, "Article not found")
	if next := lastNumber(t, s.Ada.article(`{"title": "The next one"}`)); next != 2 {
		t.Errorf("the next article has the id %d", next)
	}
	s.Root.send("POST", "/v2/account/articles", `{"title": "Takes its DOI", "doi": "10.5072/ALCOVE.1"}`).refuses(422, "withdrawn")
	err := s.DB().View(func(tx *bucket.Tx) error {
		for key, want := range map[bucket.Pair]int{{A: 1, B: 2}: 2, {A: 1, B: 3}: 3} {
			tomb, err := bucket.Tombstones.Get(tx, key)
			if err != nil || tomb.Version != want || tomb.DOI != "10.5072/alcove.1" || tomb.AccountID != s.Ada.id() || tomb.By != s.Ada.id() || !strings.Contains(tomb.Reason, "people") || tomb.At.IsZero() {
				t.Errorf("the tombstone of %v: %v, %v", key, tomb, err)
			}
		}
		versions := ""
		for row, err := range bucket.WithdrawnVersions.All(tx, bucket.Prefix(1)) {
			if err != nil {
				return err
			}
			versions += fmt.Sprint(row.Record.Version, " ", row.Record.Title, ";")
		}
		kept := ""
		for row, err := range bucket.WithdrawnFiles.All(tx, nil) {
			if err != nil {
				return err
			}
			kept += fmt.Sprint(row.Record.Name, " ", row.Record.Added, "-", row.Record.Removed, ";")
		}
		if versions != "1 canarytitle;2 canarytitle;3 canarytitle;" || kept != "canaryone 1-2;canarytwo 1-0;canarytwo 3-0;canarythree 2-0;canarythree 3-0;" {
			t.Errorf("kept are %s and %s", versions, kept)
		}
		return bucket.CheckChain(tx)
	})
	if err != nil {
		t.Error(err)
	}
}

// Unpublishing is for its owner and the administrators of the institution or of the article's
// group. For all others the article does not exist.
func TestUnpublishRights(t *testing.T) {
	t.Parallel()
	s := start(t)
	group, other := s.group("Physics", 0), s.group("Biology", 0)
	s.account(s.Ada.id(), func(a *record.Account) { a.GroupID = group })
	chief, stranger := s.person("Chief", false), s.person("Stranger", false)
	s.role(chief, group, "administrator")
	s.role(stranger, other, "administrator")
	id := s.Ada.published("In physics")
	at := fmt.Sprint("/v2/account/articles/", id)
	for _, who := range []client{s.Ben, stranger} {
		for _, body := range []string{whyWithdrawn, `{}`} {
			got := who.send("POST", at+"/unpublish", body).refuses(404, "Article not found")
			if unknown := who.send("POST", "/v2/account/articles/777777/unpublish", body); got.whole() != unknown.whole() {
				t.Errorf("%s, unknown %s", got.whole(), unknown.whole())
			}
		}
	}
	s.Anon.send("POST", at+"/unpublish", whyWithdrawn).is(401)
	for _, body := range []string{`{}`, `{"reason": null}`, `{"reason": 7}`, `{"reason": "four"}`, `{"reason": "` + strings.Repeat("ü", 501) + `"}`} {
		for _, who := range []client{s.Ada, chief, s.Root} {
			who.send("POST", at+"/unpublish", body).refuses(422, "reason")
		}
	}
	s.Anon.get(fmt.Sprint("/v2/articles/", id)).is(200)
	for n, who := range []client{s.Ada, chief, s.Root} {
		who.send("POST", at+"/unpublish", whyWithdrawn, "If-Match", `"stale"`).refuses(412, "")
		tag := s.Ada.get(at).is(200).Header.Get("ETag")
		reason := map[int]string{0: "five!", 1: strings.Repeat("ü", 500), 2: "no longer wanted"}[n]
		who.send("POST", at+"/unpublish", `{"reason": "`+reason+`"}`, "If-Match", tag).is(204)
		s.Anon.get(fmt.Sprint("/v2/articles/", id)).is(404)
		who.send("POST", at+"/unpublish", whyWithdrawn).refuses(400, "no public version")
		s.Ada.do("POST", at+"/publish", nil).is(201)
	}
	draft := s.Ada.article(`{"title": "Never public"}`)
	s.Ada.send("POST", draft+"/unpublish", whyWithdrawn).refuses(400, "no public version")
	s.Ben.send("POST", draft+"/unpublish", whyWithdrawn).refuses(404, "Article not found")
}

// Unpublishing drops what waits for the end of an embargo, opens nothing that an embargo
// on files withholds, and the ends of embargoes bring nothing back.
func TestUnpublishUnderEmbargo(t *testing.T) {
	t.Parallel()
	s := start(t)
	held := s.markers("2999-01-01")
	s.Ada.send("POST", held+"/unpublish", whyWithdrawn).is(204)
	s.Ada.do("DELETE", held+"/embargo", nil).is(204)
	s.heldBack()

	at := s.Root.article(`{"title": "Files under embargo", "authors": [{"name": "A B"}]}`)
	file := s.Root.upload(at, "canaryfile", []byte("1234"))
	date, _ := inSeconds(3)
	s.Root.embargo(at, "file", date)
	s.Root.do("POST", at+"/publish", nil).is(201)
	s.Root.send("POST", at+"/unpublish", whyWithdrawn).is(204)
	if used := s.Root.fileQuota(); used != "4+0=4" {
		t.Errorf("used %s", used)
	}
	s.eventually("the embargo has ended", func() bool { return s.Root.get(at + "/embargo").object()["is_embargoed"] == false })
	s.goneFor(lastNumber(t, at), 1, lastNumber(t, file))
	s.leaks("canaryfile")
	s.Root.do("POST", at+"/publish", nil).is(201)
	if got := s.versionFiles(lastNumber(t, at), 2); got != "canaryfile" {
		t.Errorf("version 2 has %s", got)
	}
}

// A group project that is deleted leaves what was withdrawn with its owner; the list of a
// public project does not show it.
func TestUnpublishInProject(t *testing.T) {
	t.Parallel()
	s := start(t)
	prj := strings.TrimPrefix(s.Ada.send("POST", "/v2/account/projects", `{"title": "A project"}`).is(201).Header.Get("Location"), s.URL)
	r := s.Ada.send("POST", prj+"/articles", `{"title": "Inside it", "authors": [{"name": "A B"}]}`).is(201)
	at := fmt.Sprint("/v2/account/articles/", lastNumber(t, r.Header.Get("Location")))
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Ada.do("POST", prj+"/publish", nil).is(201)
	public := fmt.Sprintf("/v2/projects/%d/articles", lastNumber(t, prj))
	if l := s.Anon.get(public).is(200).list(); len(l) != 1 {
		t.Errorf("the project shows %v", l)
	}
	s.Ada.send("POST", at+"/unpublish", whyWithdrawn).is(204)
	if l := s.Anon.get(public).is(200).list(); len(l) != 0 {
		t.Errorf("the project shows %v", l)
	}
}

// An index that is built anew has nothing of what was withdrawn, and stored documents of
// it are gone.
func TestUnpublishLeavesNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.Ada.published("Soon gone")
	s.Ada.send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", id), whyWithdrawn).is(204)
	err := s.DB().View(func(tx *bucket.Tx) error {
		for range bucket.ArticleVersions.All(tx, bucket.Prefix(id)) {
			t.Error("a version is left")
		}
		if _, err := bucket.ArticleDocs.Get(tx, bucket.Pair{A: id, B: 1}); err == nil {
			t.Error("a document is left")
		}
		if bucket.PublicArticles.Has(tx, id) {
			t.Error("the article is left")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A submission under review when the article is withdrawn cannot be approved any more.
func TestUnpublishInReview(t *testing.T) {
	t.Parallel()
	s, eve, _ := newReviewed(t)
	at := s.Ben.article(`{"title": "Reviewed once", "authors": [{"name": "A B"}]}`)
	s.Ben.upload(at, "one", []byte("1"))
	s.Ben.do("POST", at+"/publish", nil).is(201)
	eve.decide(1, "approved", "Fine").is(200)
	s.Anon.get("/v2/articles/1").is(200)
	s.Ben.send("PATCH", at, `{"title": "Waits for its review"}`).is(205)
	two := s.Ben.upload(at, "two", []byte("22"))
	s.Ben.do("POST", at+"/publish", nil).is(201)
	s.Ben.do("DELETE", two, nil).is(204)
	s.Ben.send("POST", at+"/unpublish", whyWithdrawn).is(204)
	if got := eve.get(reviewAt(2)).is(200).object(); got["status"] != "closed" {
		t.Errorf("the review is %v", got["status"])
	}
	eve.decide(2, "approved", "Too late")
	s.Anon.get("/v2/articles/1").is(404)
	if used := s.Ben.fileQuota(); used != "1+0=1" {
		t.Errorf("used %s", used)
	}
	s.Ben.do("POST", at+"/publish", nil).is(201)
	eve.decide(3, "approved", "Again").is(200)
	if got := s.versionFiles(1, 2); got != "one" {
		t.Errorf("version 2 has %s", got)
	}
}
