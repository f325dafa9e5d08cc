package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/config"
	"alcove/tests/world"
)

// A server that runs looks again by itself.
func TestMirrorByItself(t *testing.T) {
	t.Parallel()
	from := world.Start(t)
	to := world.StartWithin(t, func(c *config.Config) { c.DOIPrefix, c.MirrorEvery = "10.5072/second", 50*time.Millisecond })
	to.Ada.Published("An item of our own")
	manyVersions(from, 0)
	m := mirrorOf(to, from)
	if said, err := mirrors(to, "add", from.URL+"/v2/articles/1"); err != nil {
		t.Fatal(err, said)
	}
	titled := func(title string) func() bool {
		return func() bool {
			r := to.Anon.Do("GET", m.at("/v2/articles/1"), nil)
			return r.StatusCode == 200 && r.Object()["title"] == title
		}
	}
	to.Eventually("the item is mirrored", titled("Item 0 of <i>many</i>"))
	from.Ada.Send("PATCH", "/v2/account/articles/1", `{"title": "Kryptonite"}`).Is(205)
	from.Ada.Do("POST", "/v2/account/articles/1/publish", nil).Is(201)
	to.Eventually("the change is mirrored", titled("Kryptonite"))
	if got := to.Anon.Send("POST", "/v2/articles/search", `{"search_for": "Kryptonite"}`).Is(200).List(); len(got) != 1 {
		t.Errorf("a search finds %v", got)
	}
	if s := string(to.Anon.Get("/v2/oai?verb=ListIdentifiers&metadataPrefix=oai_dc").Is(200).Bytes); strings.Count(s, "<header") != 1 {
		t.Errorf("another origin's item is harvested: %s", s)
	}
}

// The documents of a mirror go with the person or the file that is erased, and a restore has the rest.
func TestMirrorErasedAndRestored(t *testing.T) {
	t.Parallel()
	from, to := world.Start(t), second(t)
	manyVersions(from, 0)
	manyVersions(from, 3)
	m := mirrorOf(to, from)
	if said, err := mirrors(to, "add", from.URL+"/v2/articles/1", from.URL+"/v2/articles/2"); err != nil {
		t.Fatal(err, said)
	}
	reads(to, "2 of 2 mirrors are fresh")
	for _, p := range m.paths("article", 1) {
		to.Anon.Get(m.at(p)).Is(200)
	}
	dest := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		b, err := exec.Command("alcove", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("alcove %v: %v %s", args, err, b)
		}
		return string(b)
	}
	run("backup", "create", dest, "--data", to.Cfg.Data)
	paths := m.paths("article", 2)
	from.Stop()
	file := to.Anon.Get("/v2/articles").Is(200).List()
	id := 0
	for _, a := range file {
		if a["title"] == "Item 0 of <i>many</i>" {
			id = int(to.Anon.Get(fmt.Sprintf("/v2/articles/%d/files", int(a["id"].(float64)))).Is(200).List()[0]["id"].(float64))
		}
	}
	to.Stop()
	run("erase", "file", fmt.Sprint(id), "--same", "--yes", "--data", to.Cfg.Data)
	to.Boot()
	m = mirrorOf(to, from)
	to.Anon.Get(m.at("/v2/articles/1")).Is(404)
	for _, p := range paths {
		to.Anon.Get(m.at(p)).Is(200)
	}
	to.Enter()
	if err := mirroredWords(to, "first of 0", "/articles/00000000000000000001"); err != "" {
		t.Error(err)
	}
	to.Stop()
	run("erase", "person", "ada@example.org", "--yes", "--data", to.Cfg.Data)
	if said := run("mirror", "list", "--json", "--data", to.Cfg.Data); strings.Contains(said, "address") {
		t.Errorf("mirrors of an erased person: %s", said)
	}

	// A restore of before has what is not erased.
	old := to.Cfg.Data
	to.Cfg.Data = filepath.Join(t.TempDir(), "restored")
	run("restore", dest, to.Cfg.Data)
	to.Boot()
	m = mirrorOf(to, from)
	for _, p := range paths {
		to.Anon.Get(m.at(p)).Is(200)
	}
	if said, err := mirrors(to, "list"); err != nil || strings.Count(said, "/v2/articles/") != 2 {
		t.Error(err, said, old)
	}
}

// Only servers that a person has named may be inside a network, and a mirror leads to no other.
func TestMirrorReaches(t *testing.T) {
	t.Parallel()
	h, server := startHostile(t, httptest.NewServer)
	to := second(t)
	at := server.URL + "/v2/articles/1"
	if said, err := mirrors(to, "add", at); err != nil {
		t.Fatal(err, said)
	}
	reads(to, "1 of 1 mirrors are fresh")
	leads := func(to string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	for _, c := range []struct{ to, why string }{
		{"http://10.0.0.1/v2/articles", "is a private address"}, {"http://169.254.169.254/latest", "is a link-local address"},
		{"http://0.0.0.0/x", "is a special address"}, {"file:///etc/passwd", "no address of http or https"},
	} {
		h.answer(map[string]http.HandlerFunc{"/v2/articles/1/versions": leads(c.to)})
		if said, err := mirrors(to, "run"); err == nil || !strings.Contains(said, c.why) {
			t.Errorf("%s: %v %s", c.to, err, said)
		}
		to.Anon.Get("/mirror/" + strings.TrimPrefix(server.URL, "http://") + "/v2/file/download/1").Is(200)
	}
	h.answer(nil)
	reads(to, "1 of 1 mirrors are fresh")

	// A DOI leads to a server that no person has named.
	h.answer(map[string]http.HandlerFunc{"/10.1234/led": leads(at)})
	if said, err := mirrors(to, "remove", at); err != nil {
		t.Fatal(err, said)
	}
	if said, err := mirrors(to, "add", "--resolver", server.URL, "10.1234/led"); err != nil {
		t.Fatal(err, said)
	}
	if said, err := mirrors(to, "run"); err == nil || !strings.Contains(said, "loopback address") {
		t.Error(err, said)
	}
	for _, c := range []struct{ text, why string }{
		{"7", "--server is to say of which server"}, {"ftp://h/v2/articles/1", "no address of http or https"}, {"https://u:p@h/v2/articles/1", "no plain address"}, {"x y", "is no id"},
	} {
		if said, err := mirrors(to, "add", c.text); err == nil || !strings.Contains(said, c.why) {
			t.Errorf("%s: %v %s", c.text, err, said)
		}
	}
	if said, err := mirrors(to, "add", "--cacert", "/nowhere.pem", at); err == nil || !strings.Contains(said, "nowhere.pem") {
		t.Error(err, said)
	}
}

// mirroredWords names a key of the tables of mirrors that has a word.
func mirroredWords(s *world.Server, words ...string) string {
	found := ""
	err := s.DB().View(func(tx *bucket.Tx) error {
		for row, err := range exchange.MirroredVersions.Table.All(tx, nil) {
			if err != nil {
				return err
			}
			for _, w := range words {
				if strings.Contains(row.Key+string(row.Record.Document), w) {
					found = row.Key
				}
			}
		}
		return nil
	})
	if err != nil {
		return err.Error()
	}
	return found
}
