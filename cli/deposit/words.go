package deposit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"alcove/cli/deposit/metadata"
)

// Words are what was said of an item on the command line. They replace what a file says.
type Words struct {
	Title, Description, License, Type string
	Categories, Keywords, Authors     []string
	EmbargoUntil                      string
}

// flags are the words by the key of the body that each stands for, with the name of its flag.
func (w Words) flags() (map[string]any, map[string]string, error) {
	body, flags := map[string]any{}, map[string]string{}
	set := func(key, flag string, value any, said bool) {
		if said {
			body[key], flags[key] = value, flag
		}
	}
	set("title", "title", w.Title, w.Title != "")
	set("description", "description", metadata.Paragraphs(w.Description), w.Description != "")
	set("license", "license", w.License, w.License != "")
	set("defined_type", "type", strings.ToLower(w.Type), w.Type != "")
	set("categories", "category", w.Categories, len(w.Categories) > 0)
	set("keywords", "keyword", w.Keywords, len(w.Keywords) > 0)
	var authors []map[string]any
	for _, text := range w.Authors {
		a, err := metadata.Author(text)
		if err != nil {
			return nil, nil, fmt.Errorf("--author: %w", err)
		}
		authors = append(authors, a)
	}
	set("authors", "author", authors, len(authors) > 0)
	set("embargo_date", "embargo-until", w.EmbargoUntil, w.EmbargoUntil != "")
	return body, flags, nil
}

// described is what an item will be, without its files.
type described struct {
	item   item
	text   []byte // the line that says it
	source string // the file of metadata, empty for none
	skip   string // its path in the folder, when it is not deposited itself
	notes  []string
	left   []string // keys that have no place here
	doubts []string // values that were not understood
}

// describe puts together what a file of metadata and the command line say, and asks the server for the ids of
// licences and categories.
func describe(ctx context.Context, api *client, s source, file string, w Words) (*described, error) {
	found, notes, err := look(s, file)
	if err != nil {
		return nil, err
	}
	d := &described{notes: notes}
	body, from := map[string]any{}, ""
	if found != nil {
		d.source, d.left, d.doubts = found.Source, found.Left, found.Doubts
		body, from = found.Body, filepath.Base(found.Source)
		if s.dir != "" && from == metadata.AlcoveName && filepath.Dir(found.Source) == s.dir {
			d.skip = from
		}
	}
	words, flags, err := w.flags()
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(words)) {
		if _, there := body[key]; there {
			d.notes = append(d.notes, fmt.Sprintf("--%s counts, not %q of %s", flags[key], key, from))
		}
		body[key] = words[key]
	}
	if flags["keywords"] != "" {
		delete(body, "tags") // the same by its other name
	}
	if flags["embargo_date"] != "" {
		body["is_embargoed"] = true
		if body["embargo_type"] == nil {
			body["embargo_type"] = "file"
		}
	}
	if body["title"] == nil {
		return nil, fmt.Errorf("%s has no title: say it with --title, or in %s", s.name, strings.Join(metadata.Names, ", "))
	}
	if err := d.name(ctx, api, body, flags, from); err != nil {
		return nil, err
	}
	var list []member
	for _, key := range slices.Sorted(maps.Keys(body)) {
		value, err := encode(body[key])
		if err != nil {
			return nil, err
		}
		quote, err := encode(key)
		if err != nil {
			return nil, err
		}
		list = append(list, member{name: key, quote: quote, value: value})
	}
	d.text = joinObject(list)
	if d.item, err = parseItem(d.text, nil); err != nil {
		if from != "" {
			return nil, fmt.Errorf("%s: %w", d.source, err)
		}
		return nil, err
	}
	return d, nil
}

// encode is a value as JSON, with letters as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("cannot encode the metadata: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// look finds the file that says what the item is: the one that was named, alcove.json in the folder, the row of a
// table beside it, or one of the other formats in the folder. It tells of those that do not count.
func look(s source, file string) (found *metadata.Found, notes []string, err error) {
	if file != "" {
		if !strings.EqualFold(filepath.Ext(file), ".csv") {
			found, err = metadata.Read(file)
			return found, nil, err
		}
		if s.dir == "" {
			return nil, nil, errors.New("a table has rows for folders, and files were named")
		}
		if found, err = metadata.Row(file, s.dir); err == nil && found == nil {
			err = fmt.Errorf("%s has no row for the folder %s", file, s.name)
		}
		return found, nil, err
	}
	if s.dir == "" {
		return nil, nil, nil
	}
	take := func(path string, read func() (*metadata.Found, error)) error {
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			return nil
		}
		if found != nil {
			notes = append(notes, fmt.Sprintf("%s is not read: %s counts", filepath.Base(path), filepath.Base(found.Source)))
			return nil
		}
		var err error
		found, err = read()
		return err
	}
	for i, name := range metadata.Names {
		path := filepath.Join(s.dir, name)
		err := take(path, func() (*metadata.Found, error) { return metadata.Read(path) })
		if table := filepath.Join(filepath.Dir(s.dir), metadata.TableName); err == nil && i == 0 {
			err = take(table, func() (*metadata.Found, error) { return metadata.Row(table, s.dir) })
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return found, notes, nil
}

// name replaces the names of licences and categories by the ids that the server has for them.
func (d *described) name(ctx context.Context, api *client, body map[string]any, flags map[string]string, from string) error {
	// A flag must be understood. Of a file it is told when it is not.
	missed := func(key, text string) error {
		if flags[key] != "" {
			return fmt.Errorf("--%s: %s", flags[key], text)
		}
		d.doubts = append(d.doubts, text)
		return nil
	}
	if name, ok := body["license"].(string); ok {
		delete(body, "license")
		if n, err := strconv.ParseInt(name, 10, 64); err == nil {
			body["license"] = n
		} else if id, why, err := api.licence(ctx, name); err != nil {
			return err
		} else if why == "" {
			body["license"] = id
		} else if err := missed("license", why); err != nil {
			return err
		}
	}
	if names, ok := body["categories"].([]string); ok {
		ids := []int64{}
		for _, name := range names {
			if n, err := strconv.ParseInt(name, 10, 64); err == nil {
				ids = append(ids, n)
			} else if id, why, err := api.category(ctx, name); err != nil {
				return err
			} else if why == "" {
				ids = append(ids, id)
			} else if err := missed("categories", why); err != nil {
				return err
			}
		}
		if body["categories"] = ids; len(ids) == 0 && len(names) > 0 {
			delete(body, "categories")
		}
	}
	return nil
}

// offered reads a list that an account may choose from, or the public one of a server that has no other.
func (c *client) offered(ctx context.Context, name string, out any) error {
	err := c.get(ctx, "/account/"+name, out)
	if notFound(err) {
		err = c.get(ctx, "/"+name, out)
	}
	if err != nil {
		return fmt.Errorf("cannot read which %s there are: %w", name, err)
	}
	return nil
}

// licence finds the number of a licence by its name, its identifier at SPDX or its address. It says why there is none.
func (c *client) licence(ctx context.Context, name string) (id int64, why string, err error) {
	var list []struct {
		Value int64  `json:"value"`
		Name  string `json:"name"`
		URL   string `json:"url"`
	}
	if err := c.offered(ctx, "licenses", &list); err != nil {
		return 0, "", err
	}
	var names []string
	for _, l := range list {
		names = append(names, l.Name)
		if sameLicence(name, l.Name, l.URL) {
			return l.Value, "", nil
		}
	}
	return 0, fmt.Sprintf("the server has no licence %q; it has %s", clean(name), strings.Join(names, ", ")), nil
}

var notInName = regexp.MustCompile(`[^a-z0-9.+]`)

// sameLicence compares a name, an identifier at SPDX or an address with a licence.
func sameLicence(said, name, address string) bool {
	plain := func(s string) string {
		s = notInName.ReplaceAllString(strings.ToLower(s), "")
		s = strings.TrimPrefix(strings.TrimPrefix(s, "the"), "gnu")
		s = strings.Replace(s, "orlater", "+", 1)
		return strings.TrimSuffix(strings.TrimSuffix(s, "license"), "licence")
	}
	said = strings.TrimSpace(said)
	if of, ok := strings.CutPrefix(addressOf(said), "spdx.org/licenses/"); ok {
		said = strings.TrimSuffix(of, ".html")
	}
	if said != "" && (plain(said) == plain(name) || addressOf(said) == addressOf(address)) {
		return true
	}
	// CC0 has its version only in its identifier.
	return plain(said) == "cc01.0" && plain(name) == "cc0"
}

// addressOf is an address without what the same page has in several spellings.
func addressOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return strings.ToLower(text)
	}
	path := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/legalcode")
	for _, end := range []string{".html", ".txt", "/deed", "/legalcode", ".en"} {
		path = strings.TrimSuffix(path, end)
	}
	return strings.ToLower(strings.TrimPrefix(u.Host, "www.") + path)
}

// category finds the id of a category by its name or the code of its source.
func (c *client) category(ctx context.Context, name string) (id int64, why string, err error) {
	var list []struct {
		ID     int64  `json:"id"`
		Title  string `json:"title"`
		Source string `json:"source_id"`
	}
	if err := c.offered(ctx, "categories", &list); err != nil {
		return 0, "", err
	}
	var titles []string
	var found []int64
	for _, k := range list {
		titles = append(titles, k.Title)
		if strings.EqualFold(k.Title, strings.TrimSpace(name)) || k.Source != "" && k.Source == name {
			found = append(found, k.ID)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], "", nil
	case len(found) > 1:
		return 0, fmt.Sprintf("several categories are called %q: give the id of one (%s)", clean(name), strings.Trim(fmt.Sprint(found), "[]")), nil
	case len(titles) == 0:
		return 0, fmt.Sprintf("the server has no category %q", clean(name)), nil
	}
	return 0, fmt.Sprintf("the server has no category %q; the nearest is %q", clean(name), nearest(name, titles)), nil
}
