package samples

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"alcove/record/catalogue"
)

// The bounds are those of the API: what breaks one here would be refused there.
func TestItemsKeepTheBounds(t *testing.T) {
	items := Items()
	if len(items) < 20 {
		t.Errorf("only %d items", len(items))
	}
	titles := map[string]bool{}
	for _, item := range items {
		t.Run(item.Title, func(t *testing.T) {
			checkText(t, item.Title, item.Description)
			if titles[item.Title] {
				t.Error("another item has this title")
			}
			titles[item.Title] = true
			if _, ok := catalogue.ItemTypeByName(item.DefinedType); !ok {
				t.Errorf("item type %q", item.DefinedType)
			}
			if !slices.ContainsFunc(catalogue.PublicLicenses(), func(l catalogue.License) bool {
				return l.Value == item.LicenseID
			}) {
				t.Errorf("licence %d", item.LicenseID)
			}
			for _, id := range item.CategoryIDs {
				if c, ok := catalogue.CategoryByID(id); !ok || !c.IsSelectable {
					t.Errorf("category %d", id)
				}
			}
			if item.Publish && len(item.CategoryIDs) == 0 {
				t.Error("no category")
			}
			checkDistinct(t, "category", item.CategoryIDs)
			checkDistinct(t, "author", item.Authors)
			checkDistinct(t, "tag", item.Tags)
			if n := len(item.Authors); n < 1 || n > 10 {
				t.Errorf("%d authors", n)
			}
			for _, ref := range item.References {
				if u, err := url.Parse(ref); err != nil || u.Scheme != "https" || u.Host == "" {
					t.Errorf("reference %q", ref)
				}
			}
			for _, f := range item.CustomFields {
				if f.Name == "" || f.Value == "" {
					t.Errorf("custom field %+v", f)
				}
			}
			if e := item.Embargo; e != nil && (e.Days < 2 || e.Title == "" || e.Reason == "" || len(item.Files) == 0) {
				t.Errorf("embargo %+v on %d files", e, len(item.Files))
			}
			if item.Owner != 0 && item.Owner != 1 {
				t.Errorf("owner %d", item.Owner)
			}
			checkNames(t, item.Files)
			if r := item.SecondVersion; r != nil {
				checkText(t, r.Title, r.Description)
				left := slices.DeleteFunc(slices.Clone(item.Files), func(f File) bool {
					return slices.Contains(r.Removes, f.Name)
				})
				if len(left)+len(r.Removes) != len(item.Files) || !item.Publish {
					t.Errorf("the second version removes %q", r.Removes)
				}
				checkNames(t, append(left, r.Files...))
			}
		})
	}
}

func checkText(t *testing.T, title, description string) {
	t.Helper()
	if n := utf8.RuneCountInString(title); n < 3 || n > 1000 || title != strings.TrimSpace(title) {
		t.Errorf("title of %d characters", n)
	}
	if n := utf8.RuneCountInString(description); n > 20_000 {
		t.Errorf("description of %d characters", n)
	}
	if !strings.Contains(description, "demonstration") {
		t.Error("the description does not say what the item is for")
	}
}

func checkDistinct[T comparable](t *testing.T, what string, all []T) {
	t.Helper()
	for i, one := range all {
		if slices.Contains(all[:i], one) {
			t.Errorf("%s %v is there twice", what, one)
		}
	}
}

func checkNames(t *testing.T, all []File) {
	t.Helper()
	seen := map[string]bool{}
	for _, f := range all {
		full := path.Join(f.FolderPath, f.Name)
		if seen[full] || f.Name == "" || strings.ContainsAny(f.Name, "/\\\x00") || !utf8.ValidString(full) {
			t.Errorf("file %q in %q", f.Name, f.FolderPath)
		}
		if f.FolderPath != "" && (path.Clean(f.FolderPath) != f.FolderPath || f.FolderPath[0] == '/' || f.FolderPath[0] == '.') {
			t.Errorf("folder %q", f.FolderPath)
		}
		seen[full] = true
	}
}

// allFiles returns every file of every version, under its item's title and name.
func allFiles(items []Item) map[string]File {
	all := map[string]File{}
	for _, item := range items {
		for _, f := range item.Files {
			all[path.Join(item.Title, f.FolderPath, f.Name)] = f
		}
		if item.SecondVersion != nil {
			for _, f := range item.SecondVersion.Files {
				all[path.Join(item.Title, "second version", f.FolderPath, f.Name)] = f
			}
		}
	}
	return all
}

// made is the bytes of every file, made once for all tests, which do not change
// them: with the race detector on, making them takes seconds.
var made = sync.OnceValues(func() (map[string][]byte, error) {
	all := map[string][]byte{}
	for name, f := range allFiles(Items()) {
		data, err := f.Data()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = data
	}
	return all, nil
})

func TestDataAreTheSameEveryTime(t *testing.T) {
	first, err := made()
	if err != nil {
		t.Fatal(err)
	}
	total, empty := 0, 0
	for name, f := range allFiles(Items()) {
		sum, size := sha256.Sum256(first[name]), len(first[name])
		second, err := f.Data()
		if err != nil || sha256.Sum256(second) != sum {
			t.Errorf("%s differs the second time (%v)", name, err)
		}
		clear(second)
		if sha256.Sum256(first[name]) != sum {
			t.Errorf("%s: two calls share their bytes", name)
		}
		if size != MaxFileSize && size > 1<<20 {
			t.Errorf("%s has %d bytes: a second large file, or one too large", name, size)
		}
		if size == 0 {
			empty++
		}
		total += size
	}
	if empty != 1 {
		t.Errorf("%d empty files", empty)
	}
	if total < MaxFileSize || total > MaxFileSize+4<<20 {
		t.Errorf("%d bytes in all", total)
	}
}

// The demonstration has all its items.
func TestVariety(t *testing.T) {
	types, licenses, owners := map[string]int{}, map[int64]int{}, map[int]int{}
	extensions := map[string]bool{}
	drafts, revised, withoutFiles, manyFiles := 0, 0, 0, 0
	for _, item := range Items() {
		types[item.DefinedType]++
		licenses[item.LicenseID]++
		owners[item.Owner]++
		if !item.Publish {
			drafts++
		}
		if item.SecondVersion != nil {
			revised++
		}
		switch n := len(item.Files); {
		case n == 0:
			withoutFiles++
		case n > 10: // more than a page of a list
			manyFiles++
		}
		for _, f := range item.Files {
			extensions[path.Ext(f.Name)] = true
		}
	}
	if len(types) < 10 || len(licenses) < 5 || len(owners) != 2 {
		t.Errorf("types %v, licences %v, owners %v", types, licenses, owners)
	}
	if drafts != 1 || revised != 1 || withoutFiles != 1 || manyFiles != 1 {
		t.Errorf("%d drafts, %d revised, %d without files, %d with many", drafts, revised, withoutFiles, manyFiles)
	}
	for _, ext := range strings.Fields(".csv .json .geojson .png .gif .svg .txt .md .go .py .R .tsv .gz .wav .nc .xml .f32") {
		if !extensions[ext] {
			t.Errorf("no %s file", ext)
		}
	}
}

// BenchmarkData makes every file once, as filling a demo repository does.
func BenchmarkData(b *testing.B) {
	for b.Loop() {
		for name, f := range allFiles(Items()) {
			if _, err := f.Data(); err != nil {
				b.Fatal(name, err)
			}
		}
	}
}
