package load

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

var packArticles = flag.Int("pack-articles", 24, "how many articles TestPackRoundTrip packs, with a seventh as many collections")

// packs runs alcove pack against a server.
func packs(s *world.Server, out string, items ...string) (said string, err error) {
	b, err := exec.Command("alcove", append([]string{"pack", "--server", s.URL, "--out", out}, items...)...).CombinedOutput()
	return string(b), err
}

// unpacks runs alcove unpack, without the server.
func unpacks(s *world.Server, args ...string) (said string, err error) {
	s.Stop()
	defer s.Boot()
	return unpackage(s, args...)
}

// unpackage is unpacks where the server is stopped.
func unpackage(s *world.Server, args ...string) (said string, err error) {
	b, err := exec.Command("alcove", append([]string{"unpack", "--data", s.Cfg.Data, "--doi-prefix", s.Cfg.DOIPrefix, "--account", "ada@example.org"}, args...)...).CombinedOutput()
	return string(b), err
}

// second is a server that numbers its items otherwise.
func second(t *testing.T, change ...func(*config.Config)) *world.Server {
	s := world.Start(t, append(change, func(c *config.Config) { c.DOIPrefix = "10.5072/second" })...)
	s.Ada.Published("An item of our own")
	return s
}

// put uploads a file into a folder.
func put(c world.Client, article, folder, name, text string) (file string) {
	sum := md5.Sum([]byte(text))
	file, upload := c.BeginAs(article, fmt.Sprintf(`{"name": %q, "size": %d, "md5": %q, "folder_path": %q}`, name, len(text), hex.EncodeToString(sum[:]), folder))
	for _, p := range c.Server.Parts(upload) {
		c.Server.Anon.Do("PUT", fmt.Sprintf("%s/%d", upload, p.No), strings.NewReader(text[p.Start:p.End+1])).Is(200)
	}
	c.Do("POST", file, nil).Is(202)
	c.Until(file, "available")
	return file
}

// manyItems makes articles of one to four versions and collections of them, and returns what "alcove pack" is to be asked for.
func manyItems(s *world.Server, articles, collections int) (items []string) {
	for i := range articles {
		items = append(items, fmt.Sprint("article/", manyVersions(s, i)))
	}
	for i := range collections {
		r := s.Ada.Send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": "Collection %d", "description": "<p>Of %d</p>", "authors": [{"name": "Col Lector"}],
			"tags": ["c"], "categories": [37], "funding_list": [{"title": "Grant C"}], "timeline": {"publisherAcceptance": "2019-05-05"}}`, i, i)).Is(201)
		at := strings.TrimPrefix(r.Object()["location"].(string), s.URL)
		s.Ada.Send("POST", at+"/articles", fmt.Sprintf(`{"articles": [%d, %d]}`, i+1, i+2)).Is(201)
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		if i%2 == 1 {
			s.Ada.Send("PATCH", at, `{"title": "Another title of a collection", "tags": []}`).Is(205)
			s.Ada.Do("POST", at+"/publish", nil).Is(201)
		}
		items = append(items, fmt.Sprint("collection/", world.LastNumber(s.T, at)))
	}
	return items
}

// manyVersions makes the article with a number.
func manyVersions(s *world.Server, i int) int64 {
	people := []string{`{"name": "Grace Hopper", "orcid_id": "0000-0002-1825-0097"}`, `{"first_name": "Ada", "last_name": "von Lovelace"}`, `{"name": "Mononym"}`}
	body := fmt.Sprintf(`{"title": "Item %d of <i>many</i>", "description": "<p>Øre & more %d</p>", "tags": ["t%d", "sea"], "categories": [37, 51], "authors": [%s], "license": %d, "defined_type": %q, "funding": "Grant %d", "custom_fields": {"depth": "12 m", "none": null, "list": ["a", "b"]}, "references": ["https://doi.org/10.1234/%d"]`,
		i, i, i, strings.Join(people[:1+i%3], ", "), 1+i%2, []string{"dataset", "software"}[i%2], i, i)
	if i%5 == 1 {
		body += `, "related_materials": [{"identifier": "10.1234/rel", "title": "A paper", "relation": "IsSupplementTo", "identifier_type": "DOI", "is_linkout": true}], "funding_list": [{"title": "Grant L"}], "timeline": {"firstOnline": "2001-02-03", "publisherPublication": "2002-02-02"}`
	}
	at := s.Ada.Article(body + "}")
	if i%7 == 3 {
		var more []string
		for n := range 12 {
			more = append(more, fmt.Sprintf(`{"name": "Person %d"}`, n))
		}
		s.Ada.Send("POST", at+"/authors", `{"authors": [`+strings.Join(more[:10], ",")+`]}`).Is(205)
		s.Ada.Send("POST", at+"/authors", `{"authors": [`+strings.Join(more[10:], ",")+`]}`).Is(205)
	}
	first := put(s.Ada, at, "", "a.txt", fmt.Sprintf("first of %d", i))
	put(s.Ada, at, "deep/er", "b.csv", "shared,by,all\n")
	if i%4 == 0 {
		put(s.Ada, at, "deep", "again.csv", "shared,by,all\n") // the same bytes under another name
		put(s.Ada, at, "", "empty.bin", "")
	}
	if i%6 == 2 {
		s.Ada.Send("POST", at+"/files", `{"link": "https://data.example.org/raw.zip", "folder_path": "raw"}`).Is(201)
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for v := 2; v <= 1+i%4; v++ {
		s.Ada.Send("PATCH", at, fmt.Sprintf(`{"title": "Item %d, again", "tags": [%s], "license": 2}`, i, []string{`"v2"`, "", `"v4", "x"`}[v-2])).Is(205)
		switch v {
		case 2:
			s.Ada.Do("DELETE", first, nil).Is(204)
			put(s.Ada, at, "deep/er", "c.txt", fmt.Sprintf("second of %d", i))
		case 3:
			put(s.Ada, at, "", "a.txt", fmt.Sprintf("first of %d", i)) // as in version 1
			s.Ada.Send("PATCH", at, `{"authors": [{"name": "Late Comer"}]}`).Is(205)
		}
		if v == 3 && i%10 == 2 || v == 2 && i%10 == 1 {
			s.Ada.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2127-01-01", "embargo_title": "Patent", "embargo_reason": "Pending", "embargo_options": [{"id": 1}]}`).Is(205)
		}
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
	}
	return world.LastNumber(s.T, at)
}

// differences names what "alcove unpack" may change of a document of the API, and takes it out of one.
var differences = []struct {
	what string
	out  func(s *world.Server, doc map[string]any)
}{
	{"ids of people, who are named again", func(_ *world.Server, doc map[string]any) {
		for _, a := range doc["authors"].([]any) {
			delete(a.(map[string]any), "id")
		}
	}},
	{"ids and addresses of files", func(s *world.Server, doc map[string]any) {
		files, _ := doc["files"].([]any)
		folders, _ := doc["folder_structure"].(map[string]any)
		for i, f := range files {
			f := f.(map[string]any)
			id := fmt.Sprint(int64(f["id"].(float64)))
			if folder, ok := folders[id]; ok {
				delete(folders, id)
				folders[fmt.Sprint("file ", i)] = folder
			}
			delete(f, "id")
			if f["download_url"] == s.URL+"/files/"+id {
				delete(f, "download_url")
			}
		}
	}},
	{"the id of the item, in its addresses too, and the host of those", func(s *world.Server, doc map[string]any) {
		id := fmt.Sprint(int64(doc["id"].(float64)))
		delete(doc, "id")
		page, _ := doc["url_public_html"].(string)
		for k, v := range doc {
			text, ok := v.(string)
			if !ok || k == "description" || k == "title" {
				continue
			}
			if page != "" {
				text = strings.ReplaceAll(text, page, "PAGE")
			}
			if k == "citation" && strings.Contains(text, s.URL) {
				text = text[:strings.Index(text, s.URL)] + "PAGE"
			}
			if rest, ours := strings.CutPrefix(text, s.URL); ours {
				text = "BASE" + strings.Replace(rest, "/"+id, "/ID", 1)
			}
			doc[k] = text
		}
	}},
}

func plain(s *world.Server, path string) map[string]any {
	doc := s.Anon.Get(path).Is(200).Object()
	for _, d := range differences {
		d.out(s, doc)
	}
	return doc
}

// A hundred items with their versions go through packages into another repository, and are there what they were, but for what
// is named.
func TestPackRoundTrip(t *testing.T) {
	t.Parallel()
	from, to := world.Start(t), second(t)
	// One that had moved in there itself, with identifiers and dates of its own.
	if said, err := bring(from, "import", from.Lines(strings.ReplaceAll(`{"title": "Moved twice", "authors": [{"name": "A B"}], "doi": "10.5281/zenodo.10", "handle": "20.500.12345/678", "license": 2, "publish": true,
		"timeline": {"firstOnline": "2013-12-24"}, "versions": [{"version": 2, "title": "Moved once", "doi": "10.5281/zenodo.11", "published_date": "2015-01-01", "modified_date": "2015-05-05T06:07:08"},
		{"published_date": "2016-01-01", "modified_date": "2017-01-01"}]}`, "\n\t\t", " "))); err != nil {
		t.Fatal(err, said)
	}
	collections := *packArticles / 7
	items := append([]string{"article/1"}, manyItems(from, *packArticles, collections)...)
	dir := t.TempDir()
	if said, err := packs(from, dir, items...); err != nil || !strings.Contains(said, "article-3.zip: version 2 is packed without its files") {
		t.Fatal(err, said)
	}
	again := t.TempDir()
	if said, err := packs(from, again, items[:5]...); err != nil {
		t.Fatal(err, said)
	}
	var files []string
	for _, item := range items {
		name := strings.Replace(item, "/", "-", 1) + ".zip"
		files = append(files, filepath.Join(dir, name))
	}
	for _, f := range files[:5] {
		a, _ := os.ReadFile(f)
		b, _ := os.ReadFile(filepath.Join(again, filepath.Base(f)))
		if len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s is not the same when it is packed again", f)
		}
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*.zip.*"))
	if entries, _ := os.ReadDir(dir); len(entries) != len(items) || len(left) != 0 {
		t.Errorf("%d packages of %d items, and %v", len(entries), len(items), left)
	}
	slices.Reverse(files) // collections first: the command knows better
	if said, err := unpacks(to, append([]string{"--dry-run"}, files[collections:]...)...); err != nil || !strings.Contains(said, fmt.Sprintf("%d would be loaded", len(items)-collections)) {
		t.Fatal(err, said)
	}
	said, err := unpacks(to, files...)
	if err != nil || !strings.Contains(said, fmt.Sprintf("%d loaded, %[1]d of them published, 0 refused", len(items))) {
		t.Fatal(err, said)
	}
	for _, item := range items {
		kind, id, _ := strings.Cut(item, "/")
		was := fmt.Sprintf("/v2/%ss/%s", kind, id)
		doi := from.Anon.Get(was).Is(200).Object()["doi"].(string)
		list := to.Anon.Get("/v2/" + kind + "s?doi=" + doi).Is(200).List()
		if len(list) != 1 {
			t.Fatalf("%s: %d items with the DOI %s", item, len(list), doi)
		}
		is := fmt.Sprintf("/v2/%ss/%d", kind, int64(list[0]["id"].(float64)))
		versions, now := from.Anon.Get(was+"/versions").List(), to.Anon.Get(is+"/versions").List()
		if len(versions) != len(now) {
			t.Fatalf("%s has %d versions, and had %d", item, len(now), len(versions))
		}
		for i := range versions {
			v := int(versions[i]["version"].(float64))
			a, b := plain(from, fmt.Sprintf("%s/versions/%d", was, v)), plain(to, fmt.Sprintf("%s/versions/%d", is, v))
			if !reflect.DeepEqual(a, b) {
				t.Errorf("%s version %d:\n%s\n%s", item, v, asText(a), asText(b))
			}
			sameBytes(t, from, to, fmt.Sprintf("%s/versions/%d/files", was, v), fmt.Sprintf("%s/versions/%d/files", is, v), kind)
		}
		if kind == "collection" {
			a, b := from.Anon.Get(was+"/articles").List(), to.Anon.Get(is+"/articles").List()
			for i := range a {
				if len(a) != len(b) || a[i]["doi"] != b[i]["doi"] {
					t.Errorf("%s has the articles %v, and had %v", item, b, a)
				}
			}
		}
	}
	said, err = unpacks(to, files...)
	if err != nil || !strings.Contains(said, fmt.Sprintf("0 loaded, 0 of them published, 0 refused, %d loaded before", len(items))) {
		t.Error(err, said)
	}
	// The origin goes on publishing them: they are not ours to have harvested.
	if n := strings.Count(string(to.Anon.Get("/v2/oai?verb=ListIdentifiers&metadataPrefix=oai_dc").Is(200).Bytes), "<header>"); n != 1 {
		t.Errorf("%d items are harvested", n)
	}
	from.Ada.Do("POST", "/v2/account/articles/1/publish", nil).Is(201)
	if said, err := packs(from, dir, "1"); err != nil {
		t.Fatal(err, said)
	}
	if said, err := unpacks(to, filepath.Join(dir, "article-1.zip")); err == nil || !strings.Contains(said, "it was loaded before as article") || !strings.Contains(said, "alcove pull takes what is new") {
		t.Error(err, said)
	}
}

func asText(v any) string {
	b, _ := json.MarshalIndent(v, "", " ")
	return string(b)
}

// sameBytes downloads the files of two versions.
func sameBytes(t *testing.T, from, to *world.Server, was, is, kind string) {
	t.Helper()
	if kind != "article" {
		return
	}
	a, b := from.Anon.Get(was).Is(200).List(), to.Anon.Get(is).Is(200).List()
	for i := range a {
		if a[i]["is_link_only"] == true {
			continue
		}
		one, other := from.Anon.Get(a[i]["download_url"].(string)).Is(200).Bytes, to.Anon.Get(b[i]["download_url"].(string)).Is(200).Bytes
		sum := md5.Sum(other)
		if !bytes.Equal(one, other) || b[i]["computed_md5"] != hex.EncodeToString(sum[:]) || a[i]["computed_md5"] != b[i]["computed_md5"] {
			t.Errorf("%s: %v is not %v", is, b[i], a[i])
		}
	}
}
