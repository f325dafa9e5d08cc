package people

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// pathsOf are the files of an item in the order of the API, with their folders.
func pathsOf(item map[string]any) string {
	folders, list := item["folder_structure"].(map[string]any), []string{}
	for _, one := range item["files"].([]any) {
		f := one.(map[string]any)
		path := f["name"].(string)
		if in, ok := folders[fmt.Sprint(int64(f["id"].(float64)))].(string); ok {
			path = in + "/" + path
		}
		list = append(list, path)
	}
	return strings.Join(list, " ")
}

// arranging is a person with an article of five files, and a way to send the form that arranges them.
type arranging struct {
	*testing.T
	ada     world.Client
	b       *world.Browser
	article string
	at      string
	ids     map[string]string // by name
}

func newArranging(t *testing.T, s *world.Server) *arranging {
	t.Helper()
	ada, b := s.Depositor("Lovelace")
	article := ada.Article(`{"title": "Rain", "authors": [{"name": "Ada Lovelace"}], "description": "x", "defined_type": "dataset", "tags": ["rain"], "categories": [37], "license": 1}`)
	a := &arranging{t, ada, b, article, fmt.Sprintf("/account/articles/%d/files", world.LastNumber(t, article)), map[string]string{}}
	for _, path := range []string{"c.csv", "a.csv", "b.csv", "raw/x.csv", "raw/deep/y.csv"} {
		a.add(path)
	}
	return a
}

func (a *arranging) add(path string) {
	a.Helper()
	folder, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		folder, name = path[:i], path[i+1:]
	}
	file, upload := a.ada.BeginAs(a.article, fmt.Sprintf(`{"name": %q, "size": %d, "folder_path": %q}`, name, len(path), folder))
	a.ada.Server.Put(upload, 1, []byte(path)).Is(200)
	a.ada.Do("POST", file, nil).Is(202)
	a.ada.Until(file, "available")
	a.ids[name] = fmt.Sprint(world.LastNumber(a.T, file))
}

// seen is the mark of the form as it is now.
func (a *arranging) seen() string {
	a.Helper()
	return between(a.T, string(a.b.Open(a.at).Is(200).Bytes), `name="seen" value="`, `"`)
}

func (a *arranging) sends(fields ...string) *world.Reply {
	a.Helper()
	return a.b.Post(a.at+"/arrange", form(append([]string{"seen", a.seen()}, fields...)...))
}

func (a *arranging) has(want string) {
	a.Helper()
	if got := pathsOf(a.ada.Get(a.article).Is(200).Object()); got != want {
		a.Errorf("the files are\n%s, not\n%s", got, want)
	}
}

// Files come into a folder, a folder gets another name with what is in it, and files are put in order. Versions keep
// what they were published with, and archives and lists follow.
func TestArrange(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	a := newArranging(t, s)
	a.has("c.csv a.csv b.csv raw/x.csv raw/deep/y.csv")
	if to := a.sends("into", "/ünï/new/", "file", a.ids["a.csv"]+" "+a.ids["x.csv"]).Is(303).Header.Get("Location"); to != a.at+"?done=moved" {
		t.Errorf("it leads to %q", to)
	}
	shows(t, a.b.Open(a.at+"?done=moved"), "The files were moved.", "ünï/new/", "Move ünï/new/a.csv up", `<option value="ünï/new">`)
	a.has("c.csv ünï/new/a.csv b.csv ünï/new/x.csv raw/deep/y.csv")
	a.sends("from", "raw", "name", "unprocessed/2024").Is(303)
	a.has("c.csv ünï/new/a.csv b.csv ünï/new/x.csv unprocessed/2024/deep/y.csv")
	a.sends("into", "", "file", a.ids["a.csv"]).Is(303)

	// In the list a, b and c stand by name until they are ordered.
	a.sends("down", a.ids["a.csv"]).Is(303)
	a.has("b.csv a.csv c.csv unprocessed/2024/deep/y.csv ünï/new/x.csv")
	a.sends("up", a.ids["c.csv"]).Is(303)
	a.sends("up", a.ids["b.csv"]).Is(303) // it is the first already
	a.has("b.csv c.csv a.csv unprocessed/2024/deep/y.csv ünï/new/x.csv")
	a.sends("before", a.ids["y.csv"], "file", a.ids["x.csv"]).Is(303)
	a.has("b.csv c.csv a.csv unprocessed/2024/deep/x.csv unprocessed/2024/deep/y.csv")
	a.add("0.csv") // what comes later stands behind
	page := string(a.b.Open(a.at).Is(200).Bytes)
	last := 0
	for _, name := range []string{">b.csv<", ">c.csv<", ">a.csv<", ">0.csv<", ">x.csv<", ">y.csv<"} {
		at := strings.Index(page, name)
		if at < last {
			t.Errorf("%s is not where it belongs", name)
		}
		last = at
	}
	names := []string{}
	for _, one := range a.ada.Get(a.article + "/files").Is(200).List() {
		names = append(names, one["name"].(string))
	}
	if got := strings.Join(names, " "); got != "b.csv c.csv a.csv x.csv y.csv 0.csv" {
		t.Errorf("the list has %s", got)
	}
	if by := a.ada.Get(a.article + "/files?order=id").Is(200).List()[0]["name"]; by != "c.csv" {
		t.Errorf("by id the first one is %v", by)
	}

	// Published, it stays in version 1 as it was, whatever happens to the draft.
	id := world.LastNumber(t, a.article)
	a.ada.Do("POST", a.article+"/publish", nil).Is(201)
	first := "b.csv c.csv a.csv unprocessed/2024/deep/x.csv unprocessed/2024/deep/y.csv 0.csv"
	public := func(version int, want string) {
		t.Helper()
		at := fmt.Sprintf("/v2/articles/%d/versions/%d", id, version)
		if got := pathsOf(s.Anon.Get(at).Is(200).Object()); got != want {
			t.Errorf("version %d has\n%s, not\n%s", version, got, want)
		}
		if one := s.Anon.Get(at + "/files?page_size=2&page=2").Is(200).List()[0]["name"]; !strings.HasSuffix(strings.Fields(want)[2], one.(string)) {
			t.Errorf("the second page of version %d begins with %v", version, one)
		}
	}
	public(1, first)
	landing := string(s.Browser().Open(strings.TrimPrefix(s.Anon.Get(fmt.Sprint("/v2/articles/", id)).Is(200).Object()["url_public_html"].(string), s.URL)).Is(200).Bytes)
	if b, c := strings.Index(landing, "b.csv"), strings.Index(landing, ">a.csv<"); b < 0 || c < b {
		t.Error("the page of the item has another order")
	}
	old := a.ids["b.csv"]
	a.sends("into", "done", "file", old).Is(303)
	a.sends("down", a.ids["c.csv"]).Is(303)
	public(1, first)
	a.has("a.csv c.csv 0.csv done/b.csv unprocessed/2024/deep/x.csv unprocessed/2024/deep/y.csv")
	a.ada.Do("POST", a.article+"/publish", nil).Is(201)
	public(1, first)
	public(2, "a.csv c.csv 0.csv done/b.csv unprocessed/2024/deep/x.csv unprocessed/2024/deep/y.csv")
	zip := string(s.Anon.Get(fmt.Sprintf("/v2/articles/%d/versions/2/download", id)).Is(200).Bytes)
	if strings.Count(zip, "done/b.csv") < 2 || strings.Index(zip, "a.csv") > strings.Index(zip, "c.csv") {
		t.Error("the archive has other names, or another order")
	}
	if got := string(s.Anon.Get("/files/" + old).Is(200).Bytes); got != "b.csv" {
		t.Errorf("the file of version 1 has %q", got)
	}
}

// A folder that is none, a file of another article and a form that was overtaken change nothing, and what was chosen stays.
func TestArrangeRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	a := newArranging(t, s)
	_, other := s.Depositor("Hopper")
	before := s.Sequence()
	seen, id := a.seen(), a.ids["a.csv"]
	if to := s.Browser().Post(a.at+"/arrange", form("seen", seen, "file", id)).Is(303).Header.Get("Location"); !strings.HasPrefix(to, "/sign-in") {
		t.Errorf("who is not signed in is led to %q", to)
	}
	other.Post(a.at+"/arrange", form("seen", seen, "file", id, "into", "x")).Is(404)
	a.b.Post(a.at+"/arrange", form("seen", seen, "file", id, "into", "x"), "Sec-Fetch-Site", "cross-site").Is(403)
	for _, folder := range []string{"..", "a/../b", "./a", `a\b`, "a\x00b", strings.Repeat("x", 4097)} {
		shows(t, a.sends("into", folder, "file", id).Is(422), "The folder must be names", `href="#into"`, `id="into-error"`, fmt.Sprintf(`name="file" value="%s" checked`, id))
		shows(t, a.sends("from", "raw", "name", folder).Is(422), "The folder must be names", `id="name-error"`)
	}
	shows(t, a.sends("into", "x").Is(422), "Choose files in the list first.", `value="x"`)
	for _, none := range []string{"0", "x", "999999", "-1"} {
		a.sends("file", none+" "+id, "into", "x").Is(412)
		a.sends("up", none).Is(412)
		a.sends("before", none, "file", id).Is(412)
	}
	a.sends("before", id, "file", id).Is(412)
	a.sends("from", "nowhere", "name", "x").Is(412)
	a.sends("from", "raw", "name", strings.Repeat("x", 4096)).Is(422) // with what is in it the name is too long
	a.b.Post(a.at+"/arrange", url.Values{"file": {strings.Repeat("1", 2<<20)}}).Is(413)
	if s.Sequence() != before {
		t.Error("something was changed")
	}
	a.has("c.csv a.csv b.csv raw/x.csv raw/deep/y.csv")

	// Of two windows the second is told, and has what was chosen.
	a.sends("down", id).Is(303)
	shows(t, a.b.Post(a.at+"/arrange", form("seen", seen, "into", "kept <&", "file", id)).Is(412), "Files were moved or deleted elsewhere meanwhile", `value="kept &lt;&amp;"`, fmt.Sprintf(`name="file" value="%s" checked`, id))
	shows(t, a.b.Post(a.at+"/arrange", form("seen", seen, "into", "x", "file", id), "Accept-Language", "de").Is(412), "Dateien wurden inzwischen")
	a.has("b.csv a.csv c.csv raw/x.csv raw/deep/y.csv")
}

// A form may have all of 10,000 files.
func TestArrangeMany(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.RateLimit = 0 })
	ada, b := s.Depositor("Lovelace")
	article := ada.Article(`{"title": "Many"}`)
	const n = 260
	ids := []string{}
	fields := url.Values{"seen": {"0"}, "into": {"all/of/them"}}
	for i := range n {
		at := ada.Send("POST", article+"/files", fmt.Sprintf(`{"name": "m%03d", "size": 0}`, n-i)).Is(201).Header.Get("Location")
		ids = append(ids, fmt.Sprint(world.LastNumber(t, at)))
	}
	for len(ids) < 10_000 {
		ids = append(ids, ids[:n]...) // each may be there several times
	}
	fields.Set("file", strings.Join(ids, " "))
	at := fmt.Sprintf("/account/articles/%d/files", world.LastNumber(t, article))
	b.Post(at+"/arrange", fields).Is(303)
	shows(t, b.Open(at+"?page=2").Is(200), "all/of/them/", ">m260<", `rel="prev"`)
	b.Post(at+"/arrange", form("seen", "1", "up", ids[0])).Is(303) // m260, the last one
	shows(t, b.Open(at+"?page=99").Is(200), ">m260<")
	if got := ada.Get(article + "/files?page_size=1000").Is(200).List(); len(got) != n || got[n-2]["name"] != "m260" || got[0]["name"] != "m001" {
		t.Errorf("%d files in another order", len(got))
	}
}
