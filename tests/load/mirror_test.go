package load

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// mirrors is alcove mirror on the data directory of a server, whether it runs or not.
func mirrors(s *world.Server, args ...string) (said string, err error) {
	flags := []string{"--data", s.Cfg.Data}
	if args[0] == "add" {
		flags = append(flags, "--account", "ada@example.org")
	}
	if args[0] == "run" {
		flags = append(flags, "--doi-prefix", s.Cfg.DOIPrefix)
	}
	b, err := exec.Command("alcove", append(append([]string{"mirror"}, args...), flags...)...).CombinedOutput()
	return string(b), err
}

// reads runs all mirrors, and fails when the summary is another one.
func reads(s *world.Server, summary string) {
	s.T.Helper()
	if said, err := mirrors(s, "run"); err != nil || !strings.Contains(said, summary) {
		s.T.Fatalf("%v: %s\nwant %q", err, said, summary)
	}
}

// mirror is what a server shows of another one.
type mirror struct {
	*world.Server
	from *world.Server
	host string
}

func mirrorOf(s, from *world.Server) *mirror {
	return &mirror{s, from, strings.TrimPrefix(from.URL, "http://")}
}

// at is the address here of what is there at a path.
func (m *mirror) at(path string) string { return "/mirror/" + m.host + path }

var fileAddress = regexp.MustCompile(`"[^"]*/(files|v2/file/download)/([0-9]+)"`)

// there is the JSON of the other server as it is to be here.
func (m *mirror) there(path string) (doc any) {
	m.T.Helper()
	text := string(m.from.Anon.Get(path).Is(200).Bytes)
	text = strings.ReplaceAll(text, m.from.URL+"/v2/", m.URL+m.at("/v2/"))
	text = fileAddress.ReplaceAllString(text, `"`+m.URL+m.at("/v2/file/download/")+`$2"`)
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		m.T.Fatal(err)
	}
	return doc
}

// here is the JSON of the mirror.
func (m *mirror) here(path string) (doc any) {
	m.T.Helper()
	if err := json.Unmarshal(m.Anon.Get(m.at(path)).Is(200).Bytes, &doc); err != nil {
		m.T.Fatal(err)
	}
	return doc
}

// paths are all addresses about an item.
func (m *mirror) paths(kind string, id int) []string {
	item := fmt.Sprintf("/v2/%ss/%d", kind, id)
	list := []string{item, item + "/versions"}
	for v := range m.from.Anon.Get(item + "/versions").Is(200).List() {
		list = append(list, fmt.Sprintf("%s/versions/%d", item, v+1))
		if kind == "article" {
			list = append(list, fmt.Sprintf("%s/versions/%d/files", item, v+1))
		}
	}
	if kind == "collection" {
		return append(list, item+"/articles")
	}
	list = append(list, item+"/files")
	for _, f := range m.from.Anon.Get(item + "/files").Is(200).List() {
		list = append(list, fmt.Sprintf("%s/files/%d", item, int(f["id"].(float64))))
	}
	return list
}

// A script reads of a mirror what it reads of the server itself, by the same ids, also when that is off; the mirror is read
// while the server runs, brings what has changed there, and transfers nothing else.
func TestMirror(t *testing.T) {
	t.Parallel()
	from, to := world.Start(t), second(t, func(c *config.Config) { c.MetricsListen = "127.0.0.1:0" })
	for i := range 6 {
		manyVersions(from, []int{0, 3, 4, 6, 7, 8}[i])
	}
	manyItems(from, 0, 2) // collections of the articles 1 to 3
	m := mirrorOf(to, from)
	doi := from.Anon.Get("/v2/articles/5").Object()["doi"].(string)
	if said, err := mirrors(to, "add", "--server", from.URL, doi, from.Anon.Get("/v2/articles/4").Object()["url_public_html"].(string), "collection/1", from.URL+"/v2/collections/2"); err != nil {
		t.Fatal(err, said)
	}
	// A mirror that was added is read at once.
	to.Eventually("the mirrors are read", func() bool {
		said, err := mirrors(to, "list", "--json")
		return err == nil && strings.Count(said, `"tried": "2`) == 4
	})
	reads(to, "4 of 4 mirrors are fresh; 0 items were loaded, 8 had not changed, 0 bytes of files were transferred")

	wants := map[string]any{}
	see := func() {
		t.Helper()
		for _, item := range []struct {
			kind string
			id   int
		}{{"article", 1}, {"article", 2}, {"article", 3}, {"article", 4}, {"article", 5}, {"collection", 1}, {"collection", 2}} {
			for _, path := range m.paths(item.kind, item.id) {
				wants[path] = m.there(path)
			}
		}
		all := slices.DeleteFunc(m.there("/v2/articles").([]any), func(a any) bool { return a.(map[string]any)["id"] == 6.0 }) // which is not mirrored
		wants["/v2/articles"] = all
		wants["/v2/articles?page=2&page_size=2"] = all[2:4]
		wants["/v2/collections"] = m.there("/v2/collections")
	}
	compare := func() {
		t.Helper()
		for path, want := range wants {
			if got := m.here(path); !reflect.DeepEqual(got, want) {
				a, _ := json.Marshal(want)
				b, _ := json.Marshal(got)
				t.Errorf("%s:\n%s\n%s", path, a, b)
			}
		}
	}
	see()
	compare()

	// The bytes come by the ids of the origin.
	files := 0
	for path, want := range wants {
		if !strings.HasSuffix(path, "/files") {
			continue
		}
		for _, f := range want.([]any) {
			f := f.(map[string]any)
			if f["is_link_only"] == true {
				continue
			}
			files++
			at := fmt.Sprintf("/v2/file/download/%d", int(f["id"].(float64)))
			got := to.Anon.Get(m.at(at)).Is(200).Bytes
			sum := md5.Sum(got)
			if !bytes.Equal(got, from.Anon.Get(at).Is(200).Bytes) || hex.EncodeToString(sum[:]) != f["computed_md5"] {
				t.Errorf("%s has other bytes", at)
			}
			if text := f["download_url"].(string); text != to.URL+m.at(at) {
				t.Errorf("download_url is %s", text)
			}
		}
	}
	if files < 10 {
		t.Errorf("only %d files were compared", files)
	}

	// Changes there come with the next look, and nothing besides.
	put(from.Ada, "/v2/account/articles/4", "new", "n.txt", "seventeen bytes!!")
	from.Ada.Send("PATCH", "/v2/account/articles/4", `{"title": "With another file"}`).Is(205)
	from.Ada.Do("POST", "/v2/account/articles/4/publish", nil).Is(201)
	from.Ada.Send("PATCH", "/v2/account/articles/5/versions/1/", `{"title": "A corrected title"}`).Is(205)
	from.Ada.Send("PATCH", "/v2/account/collections/1", `{"description": "Another text"}`).Is(205)
	from.Ada.Do("POST", "/v2/account/collections/1/publish", nil).Is(201)
	reads(to, "4 of 4 mirrors are fresh; 3 items were loaded, 5 had not changed, 17 bytes of files were transferred")
	see()
	compare()
	reads(to, "0 items were loaded, 8 had not changed, 0 bytes")

	from.Stop()
	compare()
	if said, err := mirrors(to, "run"); err == nil || !strings.Contains(said, "0 of 4 mirrors are fresh") || strings.Count(said, from.URL) < 4 {
		t.Errorf("%v %s", err, said)
	}
	if m := to.Scrape(); m["alcove_mirrors{}"] != 4 || m["alcove_mirrors_failing{}"] != 4 {
		t.Errorf("metrics: %v mirrors, %v failing", m["alcove_mirrors{}"], m["alcove_mirrors_failing{}"])
	}
	compare()
	to.Stop() // and without a server
	if said, err := mirrors(to, "run"); err == nil || !strings.Contains(said, "0 of 4 mirrors are fresh") {
		t.Errorf("%v %s", err, said)
	}
	to.Boot()
	m = mirrorOf(to, from)
	for path := range wants {
		to.Anon.Get(m.at(path)).Is(200)
	}
}

// An item that is not public here, is not there any more or is not known is a 404 with the words of the API, and a wrong request is
// refused as there.
func TestMirrorShowsPublicOnly(t *testing.T) {
	t.Parallel()
	from, to := world.Start(t), second(t)
	for i := range 4 {
		manyVersions(from, []int{0, 1, 3, 8}[i]) // the articles 1 to 4
	}
	manyItems(from, 0, 2)
	m := mirrorOf(to, from)
	if said, err := mirrors(to, "add", from.URL+"/v2/articles/4", from.URL+"/v2/collections/1", from.URL+"/v2/collections/2"); err != nil {
		t.Fatal(err, said)
	}
	if said, err := mirrors(to, "run"); err == nil || !strings.Contains(said, "embargo withholds") {
		t.Error(err, said) // article 2 is not taken whole
	}
	if said, err := mirrors(to, "add", "--accept-warnings", from.URL+"/v2/collections/1", from.URL+"/v2/collections/2"); err != nil {
		t.Fatal(err, said)
	}
	reads(to, "3 of 3 mirrors are fresh")
	here := func(path string) *world.Reply { return to.Anon.Get(m.at(path)) }
	refused := func(path string, status int, code, message string) {
		t.Helper()
		r := here(path).Is(status)
		if doc := r.Object(); doc["code"] != code || !strings.Contains(fmt.Sprint(doc["message"]), message) || len(doc) != 3 {
			t.Errorf("%s: %s", path, r.Bytes)
		}
	}
	file := int(here("/v2/articles/3/files").Is(200).List()[0]["id"].(float64))
	for _, c := range []struct {
		path, code, message string
	}{
		{"/v2/articles/%s", "EntityNotFound", "Article with specified ID does not exist"},
		{"/v2/articles/%s/versions", "EntityNotFound", "Entity not found: article"},
		{"/v2/articles/%s/versions/1", "EntityNotFound", "Entity not found: ArticleVersion"},
		{"/v2/articles/3/versions/%s", "EntityNotFound", "Entity not found: ArticleVersion"},
		{"/v2/articles/%s/versions/1/files", "EntityNotFound", "Entity not found: ArticleVersion"},
		{"/v2/articles/3/versions/%s/files", "EntityNotFound", "Entity not found: ArticleVersion"},
		{"/v2/articles/%s/files", "EntityNotFound", "Article with specified ID does not exist"},
		{"/v2/articles/%s/files/" + strconv.Itoa(file), "EntityNotFound", "Article with specified ID does not exist"},
		{"/v2/articles/3/files/%s", "EntityNotFound", "File not found"},
		{"/v2/collections/%s", "EntityNotFoundException", "Collection not found"},
		{"/v2/collections/%s/articles", "EntityNotFoundException", "Collection not found"},
		{"/v2/collections/%s/versions", "EntityNotFoundException", "Collection not found"},
		{"/v2/collections/%s/versions/1", "EntityNotFoundException", "Collection not found"},
		{"/v2/collections/1/versions/%s", "EntityNotFound", "Entity not found: CollectionVersion"},
		{"/v2/file/download/%s", "EntityNotFound", "File not found"},
	} {
		refused(fmt.Sprintf(c.path, "999"), 404, c.code, c.message)
		refused(fmt.Sprintf(c.path, "0"), 400, "InvalidID", "not a positive integer")
		other := strings.Replace(m.at(fmt.Sprintf(c.path, "1")), m.host, "api.figshare.com", 1)
		to.Anon.Get(other).Is(404)
	}
	for _, path := range []string{"/v2/articles", "/v2/articles/3/files", "/v2/articles/3/versions/1/files", "/v2/collections", "/v2/collections/1/articles"} {
		refused(path+"?page_size=0", 422, "InvalidValue", "page_size must be")
		refused(path+"?page_size=1&limit=1", 422, "InvalidPagination", "Use either page")
		refused(path+"?order=views", 400, "InvalidOrder", "Invalid value received for order")
		refused(path+"?item_type=3", 422, "InvalidValue", "item_type is not taken")
		status, words := 400, "Max page reached"
		if strings.HasSuffix(path, "/files") {
			status = 422
		}
		refused(path+"?page=6000", status, "MaxPageReached", words)
	}
	for _, kind := range []string{"articles", "collections"} {
		if code := to.Anon.Get("/mirror/api.figshare.com/v2/" + kind).Is(404).Object()["code"]; code != "NotFound" {
			t.Errorf("the code is %v", code)
		}
	}
	to.Anon.Do("GET", m.at("/v2/articles/999"), nil, "Accept", "text/html").Is(404).Object() // for programs alone
	if got := here(fmt.Sprintf("/v2/file/download/%d", file)); got.Header.Get("Accept-Ranges") != "bytes" {
		t.Error("no ranges")
	}
	if r := to.Anon.Do("GET", m.at(fmt.Sprintf("/v2/file/download/%d", file)), nil, "Range", "bytes=0-3").Is(206); len(r.Bytes) != 4 {
		t.Errorf("a range has %d bytes", len(r.Bytes))
	}

	// Withdrawn here: it is not there, nor in lists, nor its files.
	mine := func(id int) string {
		doi := from.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(200).Object()["doi"].(string)
		return fmt.Sprintf("/v2/account/articles/%d", int(to.Anon.Get("/v2/articles?doi=" + doi).Is(200).List()[0]["id"].(float64)))
	}
	to.Ada.Send("POST", mine(3)+"/unpublish", `{"reason": "Not for here"}`).Is(204)
	for _, path := range append(m.paths("article", 3), fmt.Sprintf("/v2/file/download/%d", file)) {
		here(path).Is(404)
	}
	ids := func(path string) (list []int) {
		for _, a := range here(path).Is(200).List() {
			list = append(list, int(a["id"].(float64)))
		}
		slices.Sort(list)
		return list
	}
	if got := fmt.Sprint(ids("/v2/articles"), ids("/v2/collections/2/articles")); got != "[1 2 4] [2]" {
		t.Errorf("there are %s", got)
	}
	reads(to, "3 of 3 mirrors are fresh")
	here("/v2/articles/3").Is(404)

	// Withdrawn there: it is there no more, and stays here.
	at := mine(4)
	from.Ada.Send("POST", "/v2/account/articles/4/unpublish", `{"reason": "A mistake"}`).Is(204)
	here("/v2/articles/4").Is(200)
	if said, err := mirrors(to, "run"); err == nil || !strings.Contains(said, "not public there any more") {
		t.Error(err, said)
	}
	here("/v2/articles/4").Is(404)
	to.Anon.Get(strings.Replace(at, "/account", "", 1)).Is(200)

	// Out of a collection there: it is mirrored no more, unless another mirror has it.
	from.Ada.Do("DELETE", "/v2/account/collections/1/articles/1", nil).Is(204)
	from.Ada.Do("DELETE", "/v2/account/collections/1/articles/2", nil).Is(204)
	from.Ada.Send("POST", "/v2/account/collections/1/articles", `{"articles": [2]}`).Is(201)
	from.Ada.Do("POST", "/v2/account/collections/1/publish", nil).Is(201)
	if said, err := mirrors(to, "run"); err == nil || !strings.Contains(said, "2 of 3 mirrors are fresh") {
		t.Error(err, said)
	}
	if got := fmt.Sprint(ids("/v2/articles"), ids("/v2/collections/1/articles")); got != "[2] [2]" {
		t.Errorf("there are %s", got)
	}
	here("/v2/articles/1").Is(404)
	if said, err := mirrors(to, "remove", from.URL+"/v2/collections/1", from.URL+"/v2/collections/2"); err != nil {
		t.Error(err, said)
	}
	here("/v2/articles").Is(404)
	here("/v2/collections").Is(404)
	if said, err := mirrors(to, "remove", from.URL+"/v2/collections/1"); err == nil || !strings.Contains(said, "is not mirrored") {
		t.Error(err, said)
	}
}
