package ocfl

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The examples of the extension 0003.
func TestPathOf(t *testing.T) {
	long := strings.Repeat("abcdefghij", 10) + "a"
	for id, want := range map[string]string{
		"object-01":        "3c0/ff4/240/object-01",
		"..hor/rib:le-$id": "487/326/d8c/%2e%2ehor%2frib%3ale-%24id",
		"..Hor/rib:lè-$id": "373/529/21a/%2e%2eHor%2frib%3al%c3%a8-%24id",
		long:               "5cc/73e/648/" + long[:100] + "-5cc73e648fbcff136510e330871180922ddacf193b68fdeff855683a01464220",
	} {
		if got := PathOf(id); got != want {
			t.Errorf("%s is at %s, want %s", id, got, want)
		}
	}
}

var someone = User{Name: "Alcove", Address: "https://example.org"}

const objectID = "urn:alcove:r:article:7"

// newRoot is a root with an object of two versions.
func newRoot(t *testing.T) (r *Root, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "root")
	r, err := Make(dir, Mark{Repository: "r", Position: "0:"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	one, two := Made("files/a/one.txt", []byte("one")), Made("files/two.txt", []byte("two"))
	item := Made("metadata/item.json", []byte("{}\n"))
	c, err := r.Begin(objectID, nil, nil)
	if err == nil {
		err = c.Add([]File{one, item}, Message(1, "published"), someone, at)
	}
	if err == nil {
		err = c.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	inv, err := r.Inventory(objectID)
	if err != nil {
		t.Fatal(err)
	}
	copied := one
	copied.Path = "files/again.txt"
	if c, err = r.Begin(objectID, inv, nil); err == nil {
		err = c.Add([]File{one, two, copied, item}, Message(2, "published"), someone, at)
	}
	if err == nil {
		err = c.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func faults(t *testing.T, r *Root) (codes []string) {
	t.Helper()
	err := r.Validate(t.Context(), Validation{Found: func(f Fault) {
		codes = append(codes, f.Code)
		t.Log(f.Path, f.Code, f.Reason)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

// A root that was made is valid, and the same bytes are stored once.
func TestValid(t *testing.T) {
	r, dir := newRoot(t)
	if codes := faults(t, r); len(codes) > 0 {
		t.Error(codes)
	}
	if _, err := os.Stat(filepath.Join(dir, PathOf(objectID), "v2", "content", "files", "again.txt")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("bytes that were there are stored again", err)
	}
	if names, err := os.ReadDir(filepath.Join(dir, "extensions", "alcove")); err != nil || len(names) != 1 {
		t.Error("something is left of what was made", names, err)
	}
}

// resum makes the checksums of an inventory again.
func resum(t *testing.T, dir string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, inventoryFile))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	put(t, filepath.Join(dir, sidecarFile), hex.EncodeToString(sum[:])+"  "+inventoryFile+"\n")
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// Each kind of damage is told with the code of the specification.
func TestDamage(t *testing.T) {
	one := Made("", []byte("one"))
	// edit replaces a text in the inventories of the object and of its newest version.
	edit := func(old, new string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			for _, at := range []string{dir, filepath.Join(dir, "v2")} {
				b, err := os.ReadFile(filepath.Join(at, inventoryFile))
				if err != nil || !strings.Contains(string(b), old) {
					t.Fatalf("%q is not in the inventory: %v\n%s", old, err, b)
				}
				put(t, filepath.Join(at, inventoryFile), strings.Replace(string(b), old, new, 1))
				resum(t, at)
			}
		}
	}
	add := func(name, text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { put(t, filepath.Join(dir, filepath.FromSlash(name)), text) }
	}
	remove := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				t.Fatal(err)
			}
		}
	}
	link := func(t *testing.T, dir string) {
		if err := os.Symlink("one.txt", filepath.Join(dir, "v1", "content", "files", "a", "link")); err != nil {
			t.Skip(err)
		}
	}
	const root = "../../../../"
	for i, c := range []struct {
		code   string
		damage func(t *testing.T, dir string)
	}{
		{"E001", add("extra.txt", "x")},
		{"E001", add("drafts/a", "x")},
		{"E003", remove(objectDeclaration)},
		{"E003", add("0=ocfl_object_1.0", "ocfl_object_1.0\n")},
		{"E007", add(objectDeclaration, "ocfl_object_1.1")},
		{"E008", func(t *testing.T, dir string) { remove("v1")(t, dir); remove("v2")(t, dir) }},
		{"E009", edit(`"v1": {`, `"v3": {`)},
		{"E010", remove("v1")},
		{"E015", add("v1/extra.txt", "x")},
		{"E019", edit(`"head": "v2"`, `"head": "v2", "contentDirectory": "stuff"`)},
		{"E023", add("v1/content/extra.txt", "x")},
		{"E024", func(t *testing.T, dir string) { os.Mkdir(filepath.Join(dir, "v1", "content", "empty"), 0o700) }},
		{"E025", edit(`"digestAlgorithm": "sha256"`, `"digestAlgorithm": "md5"`)},
		{"E033", edit(`"type"`, `type`)},
		{"E036", edit(`"head": "v2",`, ``)},
		{"E036", edit(`"id": "`+objectID+`",`, ``)},
		{"E037", edit(objectID, "seven")},
		{"E038", edit("1.1/spec", "9.9/spec")},
		{"E040", edit(`"head": "v2"`, `"head": "v1"`)},
		{"E041", edit(`"manifest"`, `"manifesto"`)},
		{"E042", edit("v1/content/files/a/one.txt", "content/one.txt")},
		{"E043", edit(`"versions"`, `"editions"`)},
		{"E044", edit(`"versions": {`, `"versions": [], "also": {`)},
		{"E046", remove("v2")},
		{"E046", add("v3/inventory.json", "{}")},
		{"E047", edit(`"v1": {`, `"v1": 1, "v7": {`)},
		{"E048", edit(`"created"`, `"made"`)},
		{"E049", edit("2026-01-02T03:04:05Z", "2026-01-02")},
		{"E050", edit(`        "`+one.SHA256, `        "`+strings.Repeat("0", 64))},
		{"E052", edit(`"files/two.txt"`, `"files/../two.txt"`)},
		{"E053", edit(`"files/two.txt"`, `"/files/two.txt"`)},
		{"E054", edit(`"name": "Alcove", `, ``)},
		{"E056", edit(`"md5"`, `"crc32"`)},
		{"E057", edit(`"fixity": {`, `"fixity": {"sha1": {"00": ["v1/content/none"]},`)},
		{"E058", remove(sidecarFile)},
		{"E060", add(sidecarFile, strings.Repeat("0", 64)+"  inventory.json\n")},
		{"E061", add(sidecarFile, "nonsense")},
		{"E063", remove(inventoryFile)},
		{"E064", func(t *testing.T, dir string) {
			b, _ := os.ReadFile(filepath.Join(dir, inventoryFile))
			put(t, filepath.Join(dir, inventoryFile), string(b)+"\n")
			resum(t, dir)
		}},
		{"E066", func(t *testing.T, dir string) {
			b, _ := os.ReadFile(filepath.Join(dir, "v1", inventoryFile))
			put(t, filepath.Join(dir, "v1", inventoryFile), strings.Replace(string(b), `"files/a/one.txt"]`, `"files/b/one.txt"]`, 1))
			resum(t, filepath.Join(dir, "v1"))
		}},
		{"E067", add("extensions/file", "x")},
		{"E069", remove(root + rootDeclaration)},
		{"E070", add(root+layoutFile, `{"extension": "`+layoutName+`"}`)},
		{"E071", add(root+layoutFile, `{"extension": "other", "description": ""}`)},
		{"E073", func(t *testing.T, dir string) { os.MkdirAll(filepath.Join(dir, root, "abc", "def"), 0o700) }},
		{"E076", add(root+"0=ocfl_1.0", "ocfl_1.0\n")},
		{"E080", add(root+rootDeclaration, "ocfl")},
		{"E084", add("../stray.txt", "x")},
		{"E090", link},
		{"E092", remove("v1/content/files/a/one.txt")},
		{"E092", add("v1/content/files/a/one.txt", "another")},
		{"E093", edit(one.MD5, strings.Repeat("0", 32))},
		{"E094", edit(`"message": "Version 1: published"`, `"message": 1`)},
		{"E095", edit(`"files/two.txt"`, `"files/a"`)},
		{"E095", edit(`"files/two.txt"`, `"files/again.txt"`)},
		{"E096", edit(`"manifest": {`, `"manifest": {"`+strings.ToUpper(one.SHA256)+`": ["v1/content/files/a/one.txt"],`)},
		{"E097", edit(`"md5": {`, `"md5": {"`+strings.ToUpper(one.MD5)+`": ["v1/content/files/a/one.txt"],`)},
		{"E099", edit("v1/content/files/a/one.txt", "v1/content/files/../one.txt")},
		{"E100", edit("v1/content/files/a/one.txt", "/v1/content/files/a/one.txt")},
		{"E101", edit("v2/content/files/two.txt", "v1/content/files/a")},
		{"E102", edit(`"head"`, `"extra": 1, "head"`)},
		{"E104", edit(`"v1": {`, `"one": {`)},
		{"E106", edit(`"manifest": {`, `"manifest": [], "also": {`)},
		{"E107", edit(`"manifest": {`, `"manifest": {"`+strings.Repeat("0", 64)+`": ["v1/content/files/a/one.txt"],`)},
		{"E110", func(t *testing.T, dir string) {
			b, _ := os.ReadFile(filepath.Join(dir, "v1", inventoryFile))
			put(t, filepath.Join(dir, "v1", inventoryFile), strings.Replace(string(b), objectID, objectID+"0", 1))
			resum(t, filepath.Join(dir, "v1"))
		}},
		{"E111", edit(`"fixity": {`, `"fixity": [], "also": {`)},
		{"E112", add(root+"extensions/file", "x")},
	} {
		t.Run(fmt.Sprintf("%s/%d", c.code, i), func(t *testing.T) {
			t.Parallel()
			r, dir := newRoot(t)
			c.damage(t, filepath.Join(dir, filepath.FromSlash(PathOf(objectID))))
			if codes := faults(t, r); !slices.Contains(codes, c.code) {
				t.Errorf("found %v, want %s", codes, c.code)
			}
		})
	}
}

// A process may die between any two steps of a commit: the next look at the object completes it.
func TestCompleted(t *testing.T) {
	for _, missing := range [][]string{{inventoryFile, sidecarFile}, {sidecarFile}} {
		r, dir := newRoot(t)
		object := filepath.Join(dir, filepath.FromSlash(PathOf(objectID)))
		for _, name := range missing { // as version 1 had it
			b, err := os.ReadFile(filepath.Join(object, "v1", name))
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(object, name), string(b))
		}
		if len(faults(t, r)) == 0 {
			t.Fatal("an object that is half done counts as valid")
		}
		if inv, err := r.Inventory(objectID); err != nil || inv.Head != "v2" {
			t.Error(inv, err)
		}
		if codes := faults(t, r); len(codes) > 0 {
			t.Error(codes)
		}
	}
}

// A directory that Alcove did not make is refused and left alone; one that it began is not.
func TestForeign(t *testing.T) {
	for _, name := range []string{"0=ocfl_1.1", "file", "extensions/other/config.json", "lost+found/x"} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, filepath.FromSlash(name)), "text")
		if _, _, err := Open(dir); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: opened: %v", name, err)
		}
		if _, err := Make(dir, Mark{Repository: "r"}); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: made: %v", name, err)
		}
		if b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); string(b) != "text" {
			t.Errorf("%s was touched: %v", name, err)
		}
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "extensions", "alcove", "repository.json.new"), "half")
	if _, _, err := Open(dir); !errors.Is(err, ErrBlank) {
		t.Errorf("what was begun: %v", err)
	}
	if r, err := Make(dir, Mark{Repository: "r"}); err != nil {
		t.Error(err)
	} else if codes := faults(t, r); len(codes) > 0 {
		t.Error(codes)
	}
}
