package load

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// exports runs alcove export.
func exports(s *world.Server, dir string, args ...string) (said string, err error) {
	b, err := exec.Command("alcove", append([]string{"export", dir, "--data", s.Cfg.Data, "--doi-prefix", s.Cfg.DOIPrefix, "--base-url", s.URL}, args...)...).CombinedOutput()
	return string(b), err
}

// The items of a person leave as folders that can be read without the program, while the server runs and while it does not,
// and come back into another repository as they were, but for what is named.
func TestExportRoundTrip(t *testing.T) {
	t.Parallel()
	from := world.Start(t, func(c *config.Config) { c.DOIPrefix = "10.5072/first" })
	items := manyItems(from, 9, 2)
	draft := from.Ada.Article(`{"title": "Never published", "description": "<p>Not yet</p>", "tags": ["x"], "authors": [{"name": "Grace Hopper"}], "categories": [37]}`)
	put(from.Ada, draft, "raw/con", "a:b?.txt", "of a draft")
	put(from.Ada, draft, "raw/con", "A_B_.txt", "has the same name on some systems")
	from.Ada.Begin(draft, "half.bin", []byte("bytes that do not come"))
	from.Ada.Send("PATCH", "/v2/account/articles/2", `{"title": "Changed since"}`).Is(205)
	from.Ben.Published("Of somebody else")

	dir := filepath.Join(t.TempDir(), "out")
	said, err := exports(from, dir, "--account", "ada@example.org")
	if err != nil || !strings.Contains(said, "12 items were written, 0 were there already, 0 failed") || !strings.Contains(said, `"half.bin" is left out`) {
		t.Fatal(err, said)
	}
	home := readable(t, dir, len(items)+1)
	if _, err := os.Stat(filepath.Join(dir, "account-2")); err == nil {
		t.Error("the items of another account were written, too")
	}
	name := fmt.Sprintf("article-%d", world.LastNumber(t, draft))
	for path, want := range map[string]string{
		"/draft/files/raw/_con/a_b_.txt": "of a draft", "/draft/files/raw/_con/A_B_ (1).txt": "has the same name on some systems",
	} {
		if got, _ := os.ReadFile(filepath.Join(home, name) + path); string(got) != want {
			t.Errorf("%s is %q", path, got)
		}
	}
	var working map[string]any
	if b, err := os.ReadFile(filepath.Join(home, "article-2/draft/metadata.json")); err != nil || json.Unmarshal(b, &working) != nil || working["title"] != "Changed since" {
		t.Errorf("the changed working copy is %v (%v)", working["title"], err)
	}

	// Again, without the server: what is the same is left alone, what is broken is written again.
	if err := os.WriteFile(filepath.Join(home, "article-1/manifest-sha256.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	from.Stop()
	if said, err := exports(from, dir, "--all"); err != nil || !strings.Contains(said, "2 items were written, 11 were there already, 0 failed") {
		t.Error(err, said)
	}
	from.Boot()
	readable(t, dir, len(items)+1)

	// Into another repository, twice.
	to := second(t)
	to.Stop()
	for _, want := range []string{"12 loaded, 11 of them published", "0 loaded, 0 of them published, 0 refused, 12 loaded before"} {
		if said, err := to.Imports("ada@example.org", filepath.Join(home, "items.jsonl"), "--doi-prefix", to.Cfg.DOIPrefix); err != nil || !strings.Contains(said, want) {
			t.Fatal(err, said)
		}
	}
	to.Boot()
	for _, item := range items {
		sameItem(t, from, to, item)
	}
	for _, doc := range to.Ada.Get("/v2/account/articles?page_size=100").Is(200).List() {
		if doc["title"] != "Never published" {
			continue
		}
		at := fmt.Sprintf("/v2/account/articles/%d", int64(doc["id"].(float64)))
		a, b := from.Ada.Get(draft).Is(200).Object(), to.Ada.Get(at).Is(200).Object()
		for _, key := range []string{"title", "description", "tags", "categories", "license", "defined_type", "status"} {
			if !reflect.DeepEqual(a[key], b[key]) {
				t.Errorf("the %s of the draft is %v, and was %v", key, b[key], a[key])
			}
		}
		files := fmt.Sprint(b["folder_structure"])
		if n := len(b["files"].([]any)); n != 2 || !strings.Contains(files, "raw/con") || !strings.Contains(string(asText(b["files"])), `"a:b?.txt"`) {
			t.Errorf("the draft has %d files: %v in %s", n, b["files"], files)
		}
		return
	}
	t.Error("the draft did not arrive")
}

// readable looks that each item in the folder of the first account has what its list of sums says, and returns that folder.
func readable(t *testing.T, dir string, items int) (home string) {
	t.Helper()
	home = filepath.Join(dir, "account-1")
	lists, _ := filepath.Glob(filepath.Join(home, "*", "manifest-sha256.txt"))
	if len(lists) != items {
		t.Errorf("%d items were written, want %d", len(lists), items)
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			sum, path, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
			b, err := os.ReadFile(filepath.Join(filepath.Dir(list), path))
			if got := sha256.Sum256(b); err != nil || hex.EncodeToString(got[:]) != sum {
				t.Errorf("%s: %s is not as the sum says (%v)", list, path, err)
			}
		}
	}
	for _, name := range []string{"account.json", "items.jsonl", "../README.txt"} {
		if b, err := os.ReadFile(filepath.Join(home, name)); err != nil || len(b) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	return home
}

// sameItem compares the versions of an item in two repositories.
func sameItem(t *testing.T, from, to *world.Server, item string) {
	t.Helper()
	kind, id, _ := strings.Cut(item, "/")
	was := fmt.Sprintf("/v2/%ss/%s", kind, id)
	doi := from.Anon.Get(was).Is(200).Object()["doi"].(string)
	list := to.Anon.Get("/v2/" + kind + "s?doi=" + doi).Is(200).List()
	if len(list) != 1 {
		t.Fatalf("%s: %d items with the DOI %s", item, len(list), doi)
	}
	is := fmt.Sprintf("/v2/%ss/%d", kind, int64(list[0]["id"].(float64)))
	versions := from.Anon.Get(was + "/versions").Is(200).List()
	if now := to.Anon.Get(is + "/versions").Is(200).List(); len(now) != len(versions) {
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
}

// A refused export changes nothing.
func TestExportRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Ada.Published("Alone")
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dir, want string
		args      []string
	}{
		{full, "the folder has other things in it", []string{"--all"}},
		{filepath.Join(s.Cfg.Data, "out"), "is in the data directory", []string{"--all"}},
		{filepath.Join(full, "x"), "one of --account, --group and --all", nil},
		{filepath.Join(full, "x"), "one of --account, --group and --all", []string{"--all", "--account", "1"}},
		{filepath.Join(full, "x"), `cannot find an account "nobody"`, []string{"--account", "nobody"}},
		{filepath.Join(full, "x"), "there is no group 77", []string{"--group", "77"}},
	} {
		if said, err := exports(s, c.dir, c.args...); err == nil || !strings.Contains(said, c.want) {
			t.Errorf("%v: %v %s", c.args, err, said)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(full, "mine.txt")); string(got) != "mine" {
		t.Error("what lay there was changed")
	}
	if _, err := os.Stat(filepath.Join(s.Cfg.Data, "out")); err == nil {
		t.Error("a folder was made in the data directory")
	}
}
