package files

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"alcove/tests/stage"
	"alcove/tests/world"
)

// bagOf is a bag as a client gets it, which keeps all rules.
func bagOf(c world.Client, path string) bagged {
	c.Server.T.Helper()
	bag, err := openBag(c.Get(path).Is(200).Bytes)
	if err != nil {
		c.Server.T.Fatalf("%s: %v", path, err)
	}
	return bag
}

// contents are the files of the item in a bag.
func (b bagged) contents() string {
	var list []string
	for path, body := range b.files {
		if name, ok := strings.CutPrefix(path, "data/files/"); ok {
			list = append(list, name+"="+body)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "|")
}

// crate are the entities of the RO-Crate in a bag, by id. Each that is referred to is there, or elsewhere, and each
// file is reached from the root (RO-Crate 1.2, attached).
func (b bagged) crate(t *testing.T) map[string]map[string]any {
	t.Helper()
	var doc struct {
		Context string           `json:"@context"`
		Graph   []map[string]any `json:"@graph"`
	}
	if err := json.Unmarshal([]byte(b.files["data/ro-crate-metadata.json"]), &doc); err != nil || doc.Context != "https://w3id.org/ro/crate/1.2/context" {
		t.Fatalf("%s: %v", doc.Context, err)
	}
	entities := map[string]map[string]any{}
	for _, e := range doc.Graph {
		id, _ := e["@id"].(string)
		if id == "" || entities[id] != nil {
			t.Errorf("an entity has the id %q", id)
		}
		entities[id] = e
	}
	if e := entities["ro-crate-metadata.json"]; fmt.Sprint(e["about"], e["conformsTo"]) != "map[@id:./] map[@id:https://w3id.org/ro/crate/1.2]" {
		t.Errorf("the descriptor is %v", e)
	}
	for _, key := range []string{"name", "description", "datePublished", "license"} {
		if entities["./"][key] == nil {
			t.Errorf("the root has no %s", key)
		}
	}
	reached := map[string]bool{}
	var walk func(id string)
	walk = func(id string) {
		reached[id] = true
		parts, _ := entities[id]["hasPart"].([]any)
		for _, p := range parts {
			if id := p.(map[string]any)["@id"].(string); entities[id] == nil || reached[id] {
				t.Errorf("%s is not there, or twice a part", id)
			} else {
				walk(id)
			}
		}
	}
	walk("./")
	for path, body := range b.files {
		name, ok := strings.CutPrefix(path, "data/")
		if !ok || name == "ro-crate-metadata.json" {
			continue
		}
		id := (&url.URL{Path: name}).EscapedPath()
		at := slices.IndexFunc(doc.Graph, func(e map[string]any) bool {
			plain, err := url.PathUnescape(e["@id"].(string))
			return err == nil && plain == name
		})
		if at < 0 {
			t.Errorf("the crate does not have %s", id)
			continue
		}
		e := doc.Graph[at]
		if !reached[e["@id"].(string)] || e["@type"] != "File" || e["contentSize"] != fmt.Sprint(len(body)) || len(e["sha256"].(string)) != 64 {
			t.Errorf("%s is %v", name, e)
		}
	}
	return entities
}

// Each public version comes as a bag to the callers that get its files, and with those files.
func TestBagContents(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Many files, and a title that is long enough to need a second line in the file about the bag", "description": "<p>What is in it</p>", "authors": [{"name": "A B"}]}`)
	one := s.Ada.Upload(at, "a 100%25 #1?.txt", []byte("one"))
	stowed(s.Ada, at, "data/raw", "日本語.csv", []byte("two"))
	stowed(s.Ada, at, "data", "../../evil.sh", []byte("three"))
	stowed(s.Ada, at, "data/raw", "日本語.csv", []byte("four"))
	stowed(s.Ada, at, "", "ro-crate-metadata.json", nil)
	s.Ada.BeginAs(at, `{"link": "https://example.org/elsewhere.bin"}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Do("DELETE", one, nil).Is(204)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	link := s.Ada.Link(at, "")

	const shared = "data/__/__/evil.sh=three|data/raw/日本語 (1).csv=four|data/raw/日本語.csv=two|ro-crate-metadata.json="
	for path, want := range map[string]string{
		"/v2/articles/1/download?format=bagit": shared, "/v2/articles/1/versions/2/download?format=bagit": shared,
		"/articles/1/versions/1?format=bagit": "a 100%25 #1?.txt=one|" + shared,
	} {
		bag := bagOf(s.Anon, path)
		if got := bag.contents(); got != want {
			t.Errorf("%s has %s, want %s", path, got, want)
		}
		crate := bag.crate(t)
		if e := crate["https://example.org/elsewhere.bin"]; e["@type"] != "File" {
			t.Errorf("the crate tells of the link %v", e)
		}
		if !strings.Contains(bag.files["metadata/datacite.xml"], "<title>Many files") || !json.Valid([]byte(bag.files["metadata/datacite.json"])) {
			t.Error("the metadata are not there")
		}
		var item map[string]any
		if err := json.Unmarshal([]byte(bag.files["metadata/article.json"]), &item); err != nil || item["id"] != 1.0 {
			t.Error(err, item)
		}
		for _, line := range strings.Split(bag.files["bag-info.txt"], "\n") {
			if len(line) > 79 && strings.Contains(strings.TrimSpace(line), " ") && strings.Count(line, " ") > 1 {
				t.Errorf("bag-info.txt has the line %q", line)
			}
		}
	}
	whole := s.Anon.Get("/v2/articles/1/download?format=bagit")
	if got := whole.Header.Get("Content-Disposition"); got != `attachment; filename="article-1-v2-bag.zip"` {
		t.Error(got)
	}
	for _, path := range []string{"/v2/articles/1/download?format=tar", "/v2/articles/1/download?format=bagit&folder_path=data", "/articles/1?format=bagit&private_link=" + link} {
		s.Anon.Get(path).Is(422)
	}
	s.Ada.Get(at + "/download?format=bagit").Is(422)
	s.Anon.Get("/v2/articles/1/download?format=bagit&format=zip").Is(400)
	s.Anon.Get("/v2/articles/9/download?format=bagit").Is(404)
	if page := s.Anon.Get("/articles/dataset/x/1/2").Is(302).Header.Get("Location"); !strings.Contains(string(s.Browser().Get(page).Bytes), "/articles/1/versions/2?format=bagit") {
		t.Error("the page does not offer the bag")
	}
}

// Any range of a bag is a piece of the whole, which has the same bytes and tag each time.
func TestBagRanges(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Ranges", "authors": [{"name": "A B"}]}`)
	s.Ada.Upload(at, "large.bin", bytes.Repeat([]byte("0123456789"), 300_000))
	for i := range 30 {
		stowed(s.Ada, at, "some folder", fmt.Sprintf("file %d", i), []byte(fmt.Sprint(i)))
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	const path = "/v2/articles/1/download?format=bagit"
	whole := s.Anon.Get(path).Is(200)
	if _, err := openBag(whole.Bytes); err != nil {
		t.Fatal(err)
	}
	tag := whole.Header.Get("Etag")
	if again := s.Ben.Get(path); !bytes.Equal(again.Bytes, whole.Bytes) || again.Header.Get("Etag") != tag || tag == s.Anon.Get("/v2/articles/1/download").Header.Get("Etag") {
		t.Error("the bag is another one the second time")
	}
	if head := s.Anon.Do("HEAD", path, nil).Is(200); head.Header.Get("Content-Length") != fmt.Sprint(len(whole.Bytes)) || head.Header.Get("Etag") != tag {
		t.Errorf("HEAD: %v", head.Header)
	}
	s.Anon.Get(path, "If-None-Match", tag).Is(304)
	seed := uint64(11)
	for range 200 {
		seed = seed*6364136223846793005 + 1442695040888963407
		from := int(seed>>33) % len(whole.Bytes)
		to := min(from+int(seed>>40)%9000, len(whole.Bytes)-1)
		part := s.Anon.Get(path, "Range", fmt.Sprintf("bytes=%d-%d", from, to)).Is(206)
		if !bytes.Equal(part.Bytes, whole.Bytes[from:to+1]) {
			t.Fatalf("bytes %d to %d are others", from, to)
		}
	}
	s.Anon.Get(path, "Range", fmt.Sprintf("bytes=%d-", len(whole.Bytes))).Is(416)
	s.Ada.Send("PATCH", "/v2/account/articles/1", `{"title": "Another title"}`).Is(205)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if old := s.Anon.Get("/v2/articles/1/versions/1/download?format=bagit"); old.Header.Get("Etag") != tag || !bytes.Equal(old.Bytes, whole.Bytes) {
		t.Error("a later version changes the bag of the first")
	}
}

// A bag has the files that the single downloads give the same caller.
func TestBagWithheld(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Withheld", "authors": [{"name": "A B"}], "download_disabled": true}`)
	s.Ada.Upload(at, "a.txt", []byte("one"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Anon.Get("/v2/articles/1/download?format=bagit").Is(403)
	s.Ben.Get("/v2/articles/1/download?format=bagit").Is(403)
	if got := bagOf(s.Ada, "/v2/articles/1/download?format=bagit").contents(); got != "a.txt=one" {
		t.Errorf("the owner gets %s", got)
	}

	at = s.Ada.Article(`{"title": "Under embargo", "authors": [{"name": "A B"}]}`)
	s.Ada.Upload(at, "a.txt", []byte("one"))
	s.Ada.Embargo(at, "file", "2999-01-01")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Anon.Get("/v2/articles/2/download?format=bagit").Refuses(404, "no files")

	at = s.Ada.Article(`{"title": "Description alone", "authors": [{"name": "A B"}], "is_metadata_record": true, "metadata_reason": "Too large"}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Anon.Get("/v2/articles/3/download").Is(404)
	if bag := bagOf(s.Anon, "/v2/articles/3/download?format=bagit"); bag.contents() != "" || len(bag.crate(t)) == 0 {
		t.Error("a version without files has some")
	}
}

// Of a version under an embargo on its files those have the bag with them that the embargo lets in, and no others.
func TestBagUnderEmbargo(t *testing.T) {
	t.Parallel()
	s, cyd := stage.NewInstitution(t)
	at := s.Ben.Article(`{"title": "Under embargo", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Upload(at, "canaryname.csv", []byte("canarybytes"))
	s.Ben.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2999-01-01", "embargo_options": [{"id": 1}]}`).Is(205)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	path := fmt.Sprintf("/v2/articles/%d/download?format=bagit", world.LastNumber(t, at))
	for _, who := range []world.Client{s.Ben, cyd} {
		bag := bagOf(who, path)
		if got := bag.contents(); got != "canaryname.csv=canarybytes" {
			t.Errorf("one that the embargo lets in gets %s", got)
		}
		bag.crate(t)
		if r := who.Get(path); !strings.Contains(r.Header.Get("Cache-Control"), "private") {
			t.Errorf("caches may keep it: %v", r.Header)
		}
	}
	if r := s.Anon.Get(path).Refuses(404, "no files"); strings.Contains(r.Whole(), "canary") {
		t.Error(r.Whole())
	}
}

// A bag of many files is asked for by many at once.
func TestBagsAtOnce(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	s.Ada.Do("POST", s.Ada.Article(`{"title": "Empty", "authors": [{"name": "A B"}]}`)+"/publish", nil).Is(201)
	linked(s, 1, 3000)
	s.Ada.Do("POST", "/v2/account/articles/1/publish", nil).Is(201)
	var all sync.WaitGroup
	var tags sync.Map
	for range 40 {
		all.Go(func() {
			tags.Store(s.Anon.Do("HEAD", "/v2/articles/1/download?format=bagit", nil).Is(200).Header.Get("ETag"), true)
		})
	}
	all.Wait()
	n := 0
	tags.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("the same bag has %d entity tags", n)
	}
}
