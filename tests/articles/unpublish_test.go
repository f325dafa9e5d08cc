package articles

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/withdrawn"
	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// goneFor checks that readers get at every public address of an article what they get for
// one that never was.
func goneFor(s *world.Server, id, version, file int64) {
	s.T.Helper()
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
		for _, who := range []world.Client{s.Anon, s.Ben} {
			got, unknown := who.Get(at(id, version, file)), who.Get(at(never, version, never))
			if got.StatusCode != 404 || got.Whole() != unknown.Whole() {
				s.T.Errorf("%s is told from an unknown one: %s", at(id, version, file), got.Whole())
			}
		}
	}
}

// Unpublishing takes an article away from every reader and leaves it with its owner. The next
// publication has the next number, and withdrawn versions stay away.
func TestUnpublish(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "canarytitle", "description": "canarytext", "tags": ["canarytag"], "authors": [{"name": "Grace Canary"}]}`)
	one := s.Ada.Upload(at, "canaryone", []byte("canarybytes"))
	s.Ada.Upload(at, "canarytwo", []byte("22"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Do("DELETE", one, nil).Is(204)
	s.Ada.Upload(at, "canarythree", []byte("333"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	col := strings.TrimPrefix(s.Ben.Send("POST", "/v2/account/collections", `{"title": "With it", "authors": [{"name": "A B"}], "articles": [1]}`).Is(201).Header.Get("Location"), s.URL)
	s.Ben.Do("POST", col+"/publish", nil).Is(201)
	if used := s.Ada.FileQuota(); used != "0+16=16" {
		t.Errorf("used %s while it is public", used)
	}
	doi := s.Anon.Get("/v2/articles/1").Is(200).Object()["doi"]

	s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(204)
	check := func() {
		t.Helper()
		s.Leaks("canary")
		goneFor(s, 1, 1, 1)
		goneFor(s, 1, 2, 3)
		for _, path := range []string{"/v2/articles", "/v2/collections/1/articles", col + "/articles", "/v2/articles?doi=" + fmt.Sprint(doi)} {
			if r := s.Ben.Get(path).Is(200); string(r.Bytes) != "[]" {
				t.Errorf("%s shows %s", path, r.Bytes)
			}
		}
		if r := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "canarytext"}`).Is(200); string(r.Bytes) != "[]" {
			t.Errorf("search finds %s", r.Bytes)
		}
	}
	check()
	s.Restart()
	check()
	own := s.Ada.Get(at).Is(200).Object()
	if own["status"] != "private" || own["is_public"] != false || own["published_date"] != nil || own["title"] != "canarytitle" {
		t.Errorf("its owner sees %v", own)
	}
	for _, f := range own["files"].([]any) {
		if f.(map[string]any)["is_attached_to_public_version"] != false {
			t.Errorf("a withdrawn file is %v", f)
		}
	}
	if names := world.FileNames(s.Ada.Get(at + "/files").List()); names != "canarytwo canarythree" {
		t.Errorf("the working copy has %s", names)
	}
	if used := s.Ada.FileQuota(); used != "16+0=16" {
		t.Errorf("used %s after the withdrawal", used)
	}
	if r := s.Ada.Get("/files/3").Is(200); string(r.Bytes) != "333" {
		t.Errorf("the owner gets %q", r.Bytes)
	}
	s.Ada.Get(at+"/versions/2").Refuses(404, "ArticleVersion")
	s.Ada.Send("PATCH", at+"/versions/2", `{"title": "No such version"}`).Refuses(404, "ArticleVersion")
	s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn).Refuses(400, "no public version")

	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	got := s.Anon.Get("/v2/articles/1").Is(200).Object()
	if got["version"] != 3.0 || got["doi"] != "10.5072/alcove.1.v3" || versionFiles(s, 1, 3) != "canarytwo canarythree" {
		t.Errorf("published again: %v", got)
	}
	if r := s.Anon.Get("/v2/articles/1/versions").Is(200).List(); len(r) != 1 || r[0]["version"] != 3.0 {
		t.Errorf("its versions are %v", r)
	}
	for _, path := range []string{"/v2/articles/1/versions/1", "/v2/articles/1/versions/2", "/v2/articles/1/versions/2/files", "/v2/articles/1/versions/2/download", "/files/1"} {
		s.Anon.Get(path).Is(404)
	}
	s.Anon.Get("/files/2").Is(200)
	if used := s.Ada.FileQuota(); used != "11+5=16" {
		t.Errorf("used %s after the next publication", used)
	}
	s.Ada.Do("DELETE", at, nil).Refuses(403, "unpublish")

	s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(204)
	goneFor(s, 1, 3, 2)
	s.Ada.Do("DELETE", at, nil).Is(204)
	if used := s.Ada.FileQuota(); used != "0+0=0" {
		t.Errorf("used %s after the deletion", used)
	}
	s.Ada.Get(at).Refuses(404, "Article not found")
	if next := world.LastNumber(t, s.Ada.Article(`{"title": "The next one"}`)); next != 2 {
		t.Errorf("the next article has the id %d", next)
	}
	s.Root.Send("POST", "/v2/account/articles", `{"title": "Takes its DOI", "doi": "10.5072/ALCOVE.1"}`).Refuses(422, "withdrawn")
	err := s.DB().View(func(tx *bucket.Tx) error {
		for key, want := range map[bucket.Pair]int{{A: 1, B: 2}: 2, {A: 1, B: 3}: 3} {
			tomb, err := withdrawn.Tombstones.Get(tx, key)
			if err != nil || tomb.Version != want || tomb.DOI != "10.5072/alcove.1" || tomb.AccountID != s.Ada.ID() || tomb.By != s.Ada.ID() || !strings.Contains(tomb.Reason, "people") || tomb.At.IsZero() {
				t.Errorf("the tombstone of %v: %v, %v", key, tomb, err)
			}
		}
		versions := ""
		for row, err := range withdrawn.Versions.All(tx, bucket.Prefix(1)) {
			if err != nil {
				return err
			}
			versions += fmt.Sprint(row.Record.Version, " ", row.Record.Title, ";")
		}
		kept := ""
		for row, err := range withdrawn.Files.All(tx, nil) {
			if err != nil {
				return err
			}
			kept += fmt.Sprint(row.Record.Name, " ", row.Record.Added, "-", row.Record.Removed, ";")
		}
		if versions != "1 canarytitle;2 canarytitle;3 canarytitle;" || kept != "canaryone 1-2;canarytwo 1-0;canarytwo 3-0;canarythree 2-0;canarythree 3-0;" {
			t.Errorf("kept are %s and %s", versions, kept)
		}
		return tx.CheckChain()
	})
	if err != nil {
		t.Error(err)
	}
}

// Unpublishing is for its owner and the administrators of the institution or of the article's
// group. For all others the article does not exist.
func TestUnpublishRights(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	group, other := s.Group("Physics", 0), s.Group("Biology", 0)
	s.Account(s.Ada.ID(), func(a *record.Account) { a.GroupID = group })
	chief, stranger := s.Person("Chief", false), s.Person("Stranger", false)
	s.Role(chief, group, "administrator")
	s.Role(stranger, other, "administrator")
	id := s.Ada.Published("In physics")
	at := fmt.Sprint("/v2/account/articles/", id)
	for _, who := range []world.Client{s.Ben, stranger} {
		for _, body := range []string{world.WhyWithdrawn, `{}`} {
			got := who.Send("POST", at+"/unpublish", body).Refuses(404, "Article not found")
			if unknown := who.Send("POST", "/v2/account/articles/777777/unpublish", body); got.Whole() != unknown.Whole() {
				t.Errorf("%s, unknown %s", got.Whole(), unknown.Whole())
			}
		}
	}
	s.Anon.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(401)
	for _, body := range []string{`{}`, `{"reason": null}`, `{"reason": 7}`, `{"reason": "four"}`, `{"reason": "` + strings.Repeat("ü", 501) + `"}`} {
		for _, who := range []world.Client{s.Ada, chief, s.Root} {
			who.Send("POST", at+"/unpublish", body).Refuses(422, "reason")
		}
	}
	s.Anon.Get(fmt.Sprint("/v2/articles/", id)).Is(200)
	for n, who := range []world.Client{s.Ada, chief, s.Root} {
		who.Send("POST", at+"/unpublish", world.WhyWithdrawn, "If-Match", `"stale"`).Refuses(412, "")
		tag := s.Ada.Get(at).Is(200).Header.Get("ETag")
		reason := map[int]string{0: "five!", 1: strings.Repeat("ü", 500), 2: "no longer wanted"}[n]
		who.Send("POST", at+"/unpublish", `{"reason": "`+reason+`"}`, "If-Match", tag).Is(204)
		s.Anon.Get(fmt.Sprint("/v2/articles/", id)).Is(404)
		who.Send("POST", at+"/unpublish", world.WhyWithdrawn).Refuses(400, "no public version")
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
	}
	draft := s.Ada.Article(`{"title": "Never public"}`)
	s.Ada.Send("POST", draft+"/unpublish", world.WhyWithdrawn).Refuses(400, "no public version")
	s.Ben.Send("POST", draft+"/unpublish", world.WhyWithdrawn).Refuses(404, "Article not found")
}

// Unpublishing drops what waits for the end of an embargo, opens nothing that an embargo
// on files withholds, and the ends of embargoes bring nothing back.
func TestUnpublishUnderEmbargo(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	held := markers(s, "2999-01-01")
	s.Ada.Send("POST", held+"/unpublish", world.WhyWithdrawn).Is(204)
	s.Ada.Do("DELETE", held+"/embargo", nil).Is(204)
	heldBack(s)

	at := s.Root.Article(`{"title": "Files under embargo", "authors": [{"name": "A B"}]}`)
	file := s.Root.Upload(at, "canaryfile", []byte("1234"))
	date, _ := world.InSeconds(3)
	s.Root.Embargo(at, "file", date)
	s.Root.Do("POST", at+"/publish", nil).Is(201)
	s.Root.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(204)
	if used := s.Root.FileQuota(); used != "4+0=4" {
		t.Errorf("used %s", used)
	}
	s.Eventually("the embargo has ended", func() bool { return s.Root.Get(at + "/embargo").Object()["is_embargoed"] == false })
	goneFor(s, world.LastNumber(t, at), 1, world.LastNumber(t, file))
	s.Leaks("canaryfile")
	s.Root.Do("POST", at+"/publish", nil).Is(201)
	if got := versionFiles(s, world.LastNumber(t, at), 2); got != "canaryfile" {
		t.Errorf("version 2 has %s", got)
	}
}

// A group project that is deleted leaves what was withdrawn with its owner; the list of a
// public project does not show it.
func TestUnpublishInProject(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	prj := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/projects", `{"title": "A project"}`).Is(201).Header.Get("Location"), s.URL)
	r := s.Ada.Send("POST", prj+"/articles", `{"title": "Inside it", "authors": [{"name": "A B"}]}`).Is(201)
	at := fmt.Sprint("/v2/account/articles/", world.LastNumber(t, r.Header.Get("Location")))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Do("POST", prj+"/publish", nil).Is(201)
	public := fmt.Sprintf("/v2/projects/%d/articles", world.LastNumber(t, prj))
	if l := s.Anon.Get(public).Is(200).List(); len(l) != 1 {
		t.Errorf("the project shows %v", l)
	}
	s.Ada.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(204)
	if l := s.Anon.Get(public).Is(200).List(); len(l) != 0 {
		t.Errorf("the project shows %v", l)
	}
}

// An index that is built again has nothing of what was withdrawn, and stored documents of
// it are gone.
func TestUnpublishLeavesNothing(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	id := s.Ada.Published("Soon gone")
	s.Ada.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", id), world.WhyWithdrawn).Is(204)
	err := s.DB().View(func(tx *bucket.Tx) error {
		for range published.ArticleVersions.All(tx, bucket.Prefix(id)) {
			t.Error("a version is left")
		}
		if _, err := published.ArticleDocs.Get(tx, bucket.Pair{A: id, B: 1}); err == nil {
			t.Error("a document is left")
		}
		if published.Articles.Has(tx, id) {
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
	s, eve, _ := stage.NewReviewed(t)
	at := s.Ben.Article(`{"title": "Reviewed once", "authors": [{"name": "A B"}]}`)
	s.Ben.Upload(at, "one", []byte("1"))
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	eve.Decide(1, "approved", "Fine").Is(200)
	s.Anon.Get("/v2/articles/1").Is(200)
	s.Ben.Send("PATCH", at, `{"title": "Waits for its review"}`).Is(205)
	two := s.Ben.Upload(at, "two", []byte("22"))
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	s.Ben.Do("DELETE", two, nil).Is(204)
	s.Ben.Send("POST", at+"/unpublish", world.WhyWithdrawn).Is(204)
	if got := eve.Get(reviewAt(2)).Is(200).Object(); got["status"] != "closed" {
		t.Errorf("the review is %v", got["status"])
	}
	eve.Decide(2, "approved", "Too late")
	s.Anon.Get("/v2/articles/1").Is(404)
	if used := s.Ben.FileQuota(); used != "1+0=1" {
		t.Errorf("used %s", used)
	}
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	eve.Decide(3, "approved", "Again").Is(200)
	if got := versionFiles(s, 1, 2); got != "one" {
		t.Errorf("version 2 has %s", got)
	}
}
