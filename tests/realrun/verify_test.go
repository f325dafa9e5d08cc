package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// fixture lays three items and returns them with the public documents that a
// right server would show.
func fixture(t *testing.T) ([]expected, []map[string]any, string) {
	t.Helper()
	dir := t.TempDir()
	var entries []entry
	for i, title := range []string{"Glacier velocity mosaics of Greenland", "Coastal bathymetry soundings archive", "Pollen counts"} {
		text := fmt.Sprintf(`{"slug":"s%d","title":%q,"description":"text %d","tags":["t"],"managed_by":"[Lab](x)","license":"MIT License"}`, i, title, i)
		var e entry
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		e.text = []byte(text)
		entries = append(entries, e)
	}
	items, err := lay(dir, entries, map[int]bool{3: true}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var docs []map[string]any
	for i, x := range items {
		files, folders := []any{}, map[string]string{}
		id := 100 * (i + 1)
		for name, f := range x.files {
			id++
			files = append(files, map[string]any{"id": id, "name": name, "size": f.size, "supplied_md5": f.md5, "computed_md5": f.md5,
				"path": fmt.Sprintf("files/%04d/%s", i+1, name)})
			if f.folder != "" {
				folders[strconv.Itoa(id)] = f.folder
			}
		}
		custom := []any{}
		for name, value := range x.article.Custom {
			custom = append(custom, map[string]any{"name": name, "value": value})
		}
		docs = append(docs, map[string]any{"id": i + 1, "title": x.article.Title, "description": x.article.Description,
			"tags": x.article.Tags, "references": x.article.References, "defined_type_name": "dataset", "version": 1,
			"authors": []any{map[string]any{"full_name": "Lab"}}, "license": map[string]any{"value": 3},
			"custom_fields": custom, "files": files, "folder_structure": folders})
	}
	return items, docs, dir
}

// serve shows the documents as a public server does.
func serve(t *testing.T, docs []map[string]any, dir string) *site {
	mux := http.NewServeMux()
	mux.Handle("/bytes/", http.StripPrefix("/bytes/", http.FileServer(http.Dir(dir))))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	for _, d := range docs {
		for _, f := range d["files"].([]any) {
			file := f.(map[string]any)
			file["download_url"] = server.URL + "/bytes/" + file["path"].(string)
		}
	}
	answer := func(w http.ResponseWriter, v any) {
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("GET /v2/articles", func(w http.ResponseWriter, r *http.Request) { answer(w, docs) })
	mux.HandleFunc("POST /v2/articles/search", func(w http.ResponseWriter, r *http.Request) { answer(w, docs[:1]) })
	mux.HandleFunc("GET /v2/articles/{id}", func(w http.ResponseWriter, r *http.Request) {
		for _, d := range docs {
			if fmt.Sprint(d["id"]) != r.PathValue("id") {
				continue
			}
			answer(w, d)
			return
		}
		http.NotFound(w, r)
	})
	return newSite(server.URL)
}

func TestVerifyFindsNothingWhereNothingIsWrong(t *testing.T) {
	items, docs, dir := fixture(t)
	r, err := verify(context.Background(), serve(t, docs, dir), items)
	if err != nil || len(r.differences) > 0 {
		t.Fatalf("%v %v", err, r.differences)
	}
	if r.published != 3 || r.failed != 0 || r.md5s != 0 || r.files != 9 {
		t.Errorf("%d published, %d failed, %d md5, %d files", r.published, r.failed, r.md5s, r.files)
	}
	if err := r.conclude(); err != nil {
		t.Error(err)
	}
}

// Every kind of damage must be found and counted.
func TestVerifyFindsEveryDifference(t *testing.T) {
	file := func(d map[string]any, i int) map[string]any { return d["files"].([]any)[i].(map[string]any) }
	tests := []struct {
		name   string
		damage func(docs []map[string]any, dir string) []map[string]any
		want   string
		failed int
		md5s   int
	}{
		{"missing", func(d []map[string]any, _ string) []map[string]any { return d[1:] }, "s0 is not there", 1, 0},
		{"twice", func(d []map[string]any, _ string) []map[string]any {
			copied := map[string]any{}
			for k, v := range d[0] {
				copied[k] = v
			}
			copied["id"] = 99
			return append(d, copied)
		}, "s0 is there twice", 1, 0},
		{"stranger", func(d []map[string]any, _ string) []map[string]any {
			return append(d, map[string]any{"id": 99, "files": []any{}})
		}, "was never sent", 0, 0},
		{"title", set("title", "Other"), "title: sent", 1, 0},
		{"description", set("description", "text  0"), "description: 6 bytes were sent, 7 came back, from byte 5", 1, 0},
		{"tags", set("tags", []string{}), "tags: sent", 1, 0},
		{"references", set("references", []string{"x"}), "references: sent", 1, 0},
		{"authors", set("authors", []any{}), "authors: sent", 1, 0},
		{"licence", set("license", map[string]any{"value": 1}), "licence: sent", 1, 0},
		{"custom", set("custom_fields", []any{map[string]any{"name": "slug", "value": "s0"}}), "custom field license: sent", 1, 0},
		{"version", set("version", 2), "it is version 2", 1, 0},
		{"no files", set("files", []any{}), "3 files were sent, 0 are there", 1, 0},
		{"folder", set("folder_structure", map[string]string{}), "in the folder", 1, 0},
		{"record of a file", func(d []map[string]any, _ string) []map[string]any {
			file(d[0], 0)["computed_md5"] = "0"
			return d
		}, "its record says", 1, 0},
		{"bytes of a file", func(d []map[string]any, dir string) []map[string]any {
			if err := os.WriteFile(filepath.Join(dir, file(d[0], 0)["path"].(string)), []byte("other"), 0o644); err != nil {
				panic(err)
			}
			return d
		}, "came back", 1, 1},
		{"no bytes", func(d []map[string]any, dir string) []map[string]any {
			file(d[0], 0)["path"] = "nowhere"
			return d
		}, "answered 404", 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			items, docs, dir := fixture(t)
			r, err := verify(context.Background(), serve(t, tt.damage(docs, dir), dir), items)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(r.differences, "\n"), tt.want) || r.failed != tt.failed || r.md5s != tt.md5s {
				t.Errorf("%d failed, %d md5: %q", r.failed, r.md5s, r.differences)
			}
			if r.conclude() != errDiffers {
				t.Error("the run would pass")
			}
		})
	}
}

func set(field string, value any) func([]map[string]any, string) []map[string]any {
	return func(docs []map[string]any, _ string) []map[string]any {
		docs[0][field] = value
		return docs
	}
}

func TestSearches(t *testing.T) {
	items, docs, dir := fixture(t)
	list := queries(items, 3)
	want := []query{{`"Glacier velocity mosaics"`, "s0"}, {"Coastal AND bathymetry", "s1"}}
	if len(list) != 2 || list[0] != want[0] || list[1] != want[1] {
		t.Errorf("queries %v", list)
	}
	differences := serve(t, docs, dir).searches(context.Background(), list, map[string]int64{"s0": 1, "s1": 2})
	if len(differences) != 1 || !strings.Contains(differences[0], "s1 is not among the 1 results") {
		t.Errorf("differences %v", differences)
	}
}

// A phrase that many records hold proves nothing and is not chosen.
func TestCommonWordsAreNotChosen(t *testing.T) {
	texts := &corpus{holders: map[string][]int{}}
	for range mostResults + 1 {
		texts.add(stems("annual rainfall totals gridded"))
	}
	words := titleWords("Annual rainfall totals")
	if p, b := phrase(words, texts), both(words, texts); p != "" || b != "" {
		t.Errorf("chosen: %q %q", p, b)
	}
	if p := phrase(titleWords("Annual snowfall totals"), texts); p != `"Annual snowfall totals"` {
		t.Errorf("not chosen: %q", p)
	}
}
