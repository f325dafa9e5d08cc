package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// detail is what the verification reads of a public article.
type detail struct {
	ID          int64    `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	References  []string `json:"references"`
	Type        string   `json:"defined_type_name"`
	Version     int      `json:"version"`
	Authors     []struct {
		Name string `json:"full_name"`
	} `json:"authors"`
	License struct {
		Value int `json:"value"`
	} `json:"license"`
	Custom []struct {
		Name  string `json:"name"`
		Value any    `json:"value"`
	} `json:"custom_fields"`
	Files []struct {
		ID       int64  `json:"id"`
		Name     string `json:"name"`
		Size     int64  `json:"size"`
		URL      string `json:"download_url"`
		Supplied string `json:"supplied_md5"`
		Computed string `json:"computed_md5"`
	} `json:"files"`
	Folders map[string]string `json:"folder_structure"`
}

func (d *detail) custom() map[string]string {
	fields := map[string]string{}
	for _, f := range d.Custom {
		fields[f.Name] = fmt.Sprint(f.Value)
	}
	return fields
}

// result is what the verification found.
type result struct {
	mu          sync.Mutex
	published   int   // items found once
	failed      int   // records missing, doubled or different
	md5s        int   // files whose bytes differ
	files       int   // files downloaded
	bytes       int64 // their sum
	ids         map[string]int64
	differences []string
}

func (r *result) differ(format string, args ...any) {
	r.differences = append(r.differences, fmt.Sprintf(format, args...))
}

// verify reads everything that is public and compares it with what was sent.
func verify(ctx context.Context, s *site, items []expected) (*result, error) {
	r := &result{ids: map[string]int64{}}
	ids, differences, err := s.walk(ctx)
	if err != nil {
		return nil, err
	}
	r.differences = append(r.differences, differences...)
	bySlug := map[string]*expected{}
	for i := range items {
		bySlug[items[i].entry.Slug] = &items[i]
	}
	bad := map[string]bool{}
	queue := make(chan int64)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for id := range queue {
				s.compare(ctx, r, id, bySlug, bad)
			}
		})
	}
	for _, id := range ids {
		queue <- id
	}
	close(queue)
	workers.Wait()
	for _, x := range items {
		if r.ids[x.entry.Slug] == 0 {
			r.differ("%s is not there", x.entry.Slug)
			bad[x.entry.Slug] = true
		}
	}
	r.published = len(ids)
	r.failed = len(bad)
	slices.Sort(r.differences)
	return r, ctx.Err()
}

// compare reads one article and its files. It marks the slug in bad when
// anything differs.
func (s *site) compare(ctx context.Context, r *result, id int64, bySlug map[string]*expected, bad map[string]bool) {
	var d detail
	err := s.json(ctx, http.MethodGet, fmt.Sprintf("/v2/articles/%d", id), nil, &d)
	slug := d.custom()["slug"]
	x := bySlug[slug]
	r.mu.Lock()
	switch {
	case err != nil:
		r.differ("article %d: %v", id, err)
	case x == nil:
		r.differ("article %d has the key %q, which was never sent", id, slug)
	case r.ids[slug] != 0:
		r.differ("%s is there twice: articles %d and %d", slug, r.ids[slug], id)
		bad[slug] = true
		x = nil
	default:
		r.ids[slug] = id
	}
	r.mu.Unlock()
	if err != nil || x == nil {
		return
	}
	differences := compareFields(x, &d)
	files, sum, wrong := 0, int64(0), 0
	for _, f := range d.Files {
		want, ok := x.files[f.Name]
		if !ok {
			differences = append(differences, fmt.Sprintf("a file %q that was never sent", f.Name))
			continue
		}
		n, md5, err := s.download(ctx, f.URL)
		files++
		sum += n
		switch {
		case err != nil:
			differences = append(differences, fmt.Sprintf("file %s: %v", f.Name, err))
			wrong++
		case n != want.size || md5 != want.md5:
			differences = append(differences, fmt.Sprintf("file %s: %d bytes with md5 %s came back, %d with %s were sent", f.Name, n, md5, want.size, want.md5))
			wrong++
		case f.Size != want.size || f.Computed != want.md5 || f.Supplied != want.md5:
			differences = append(differences, fmt.Sprintf("file %s: its record says %d bytes, md5 %s supplied, %s computed", f.Name, f.Size, f.Supplied, f.Computed))
		}
		if got := d.Folders[strconv.FormatInt(f.ID, 10)]; strings.Trim(got, "/") != strings.Trim(want.folder, "/") {
			differences = append(differences, fmt.Sprintf("file %s is in the folder %q, not %q", f.Name, got, want.folder))
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files += files
	r.bytes += sum
	r.md5s += wrong
	for _, text := range differences {
		r.differ("%s (article %d): %s", slug, id, text)
		bad[slug] = true
	}
}

// compareFields compares everything but the contents of files.
func compareFields(x *expected, d *detail) []string {
	var list []string
	field := func(name string, sent, got any) {
		if a, b := fmt.Sprintf("%q", sent), fmt.Sprintf("%q", got); a != b {
			list = append(list, fmt.Sprintf("%s: sent %.120s, got %.120s", name, a, b))
		}
	}
	a := x.article
	field("title", a.Title, d.Title)
	if a.Description != d.Description {
		list = append(list, fmt.Sprintf("description: %d bytes were sent, %d came back, %s", len(a.Description), len(d.Description), firstDifference(a.Description, d.Description)))
	}
	field("tags", a.Tags, d.Tags)
	field("references", a.References, d.References)
	field("type", a.Type, d.Type)
	names := []string{}
	for _, author := range d.Authors {
		names = append(names, author.Name)
	}
	field("authors", []string{a.Authors[0].Name}, names)
	licence := a.License
	if licence == 0 {
		licence = 1 // the default of the API
	}
	field("licence", fmt.Sprint(licence), fmt.Sprint(d.License.Value))
	got := d.custom()
	for name, value := range a.Custom {
		field("custom field "+name, value, got[name])
		delete(got, name)
	}
	for name := range got {
		list = append(list, fmt.Sprintf("a custom field %q that was never sent", name))
	}
	if d.Version != 1 {
		list = append(list, fmt.Sprintf("it is version %d", d.Version))
	}
	if len(d.Files) != len(x.files) {
		list = append(list, fmt.Sprintf("%d files were sent, %d are there", len(x.files), len(d.Files)))
	}
	return list
}

func firstDifference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("from byte %d on %.30q became %.30q", i, a[i:], b[i:])
}
