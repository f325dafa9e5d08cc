package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// crawler reads a server as a stranger: every address that its own description names,
// with every id there is.
type crawler struct {
	*site
	*hoard
	reads atomic.Int64
}

var kinds = []string{"articles", "collections", "projects"}

// crawl reads everything that a stranger may ask for and reports what it should not have
// seen, and what it should have.
func (s *site) crawl(ctx context.Context, h *hoard) (differences []string, err error) {
	c := &crawler{site: s, hoard: h}
	patterns, err := c.patterns(ctx)
	if err != nil {
		return nil, err
	}
	jobs := make(chan func(context.Context) error)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for job := range jobs {
				if err := job(ctx); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, pattern := range patterns {
		for _, path := range c.addresses(pattern) {
			if ctx.Err() != nil {
				break
			}
			jobs <- func(ctx context.Context) error { return c.read(ctx, path) }
		}
	}
	for _, kind := range kinds {
		jobs <- func(ctx context.Context) error { return c.pages(ctx, "/v2/"+kind) }
		for _, words := range c.queries() {
			jobs <- func(ctx context.Context) error { return c.search(ctx, kind, words) }
		}
	}
	var blind sync.Map
	for word, where := range h.decoys {
		if strings.HasPrefix(where, "the title of") {
			jobs <- func(ctx context.Context) error {
				found, err := c.finds(ctx, word)
				if err == nil && !found {
					blind.Store(fmt.Sprintf("no search finds %s (%s)", where, word), true)
				}
				return err
			}
		}
	}
	close(jobs)
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	list, leaks, missed := h.differences()
	for text := range blind.Range {
		list = append(list, text.(string))
	}
	fmt.Printf("hidden in %d articles, %d collections and %d projects: a stranger reads %d addresses of %d patterns and sees %d of %d hidden words and links, %d of %d decoys\n",
		len(h.articles), len(h.collections), len(h.projects), c.reads.Load(), len(patterns),
		leaks, len(h.hidden)+len(h.keys), len(h.decoys)-missed, len(h.decoys))
	return list, nil
}

// patterns are the addresses that the server's description has a GET for.
func (c *crawler) patterns(ctx context.Context) ([]string, error) {
	var description struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := c.json(ctx, http.MethodGet, "/v2/openapi.json", nil, &description); err != nil {
		return nil, err
	}
	var list []string
	for path, methods := range description.Paths {
		if methods["get"] != nil {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list, nil
}

// addresses are a pattern with everything in its gaps that the crawler knows. Of own
// things, which a stranger has no business with, a few must do.
func (c *crawler) addresses(pattern string) []string {
	ids := c.articles
	switch {
	case strings.Contains(pattern, "/collections"):
		ids = c.collections
	case strings.Contains(pattern, "/projects"):
		ids = c.projects
	}
	own := strings.Contains(pattern, "/account")
	if own {
		ids = ids[max(0, len(ids)-5):]
	}
	var files []int64
	for _, id := range c.articles {
		files = append(files, c.files[id]...)
	}
	list := []string{""}
	for part := range strings.SplitSeq(strings.TrimPrefix(pattern, "/"), "/") {
		gap := strings.HasPrefix(part, "{")
		var longer []string
		for _, begun := range list {
			values := []string{part}
			switch {
			case !gap:
			case strings.HasPrefix(part, "{version"):
				values = []string{"1", "2"}
			case part == "{file_id}" && strings.Count(begun, "/articles/") == 0 && !own:
				values = texts(files)
			case part == "{file_id}":
				values = texts(append(c.filesBelow(begun), files[:min(1, len(files))]...))
			case begun == "/v2/articles" || part == "{id}":
				values = texts(ids)
			default:
				values = []string{"1"}
			}
			for _, v := range values {
				longer = append(longer, begun+"/"+v)
			}
		}
		list = longer
	}
	return list
}

// filesBelow are the files of the article that an address leads to.
func (c *crawler) filesBelow(path string) []int64 {
	var id int64
	_, rest, _ := strings.Cut(path, "/articles/")
	if _, err := fmt.Sscan(strings.SplitN(rest, "/", 2)[0], &id); err != nil {
		return nil
	}
	return slices.Clone(c.files[id])
}

func texts(ids []int64) []string {
	list := []string{}
	for _, id := range ids {
		list = append(list, fmt.Sprint(id))
	}
	return list
}

// read asks for an address and looks at what comes: the first megabyte, with the headers.
func (c *crawler) read(ctx context.Context, path string) error {
	_, err := c.text(ctx, http.MethodGet, path, "")
	return err
}

func (c *crawler) text(ctx context.Context, method, path, body string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("cannot make the request: %w", err)
	}
	res, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(res.Body, most))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	c.reads.Add(1)
	if res.StatusCode >= 500 {
		return nil, fmt.Errorf("%s %s answered %s: %.200s", method, path, res.Status, text)
	}
	where := method + " " + path
	c.look(where, text)
	for name, values := range res.Header {
		c.look(where+" in "+name, []byte(strings.Join(values, " ")))
	}
	return text, nil
}

// pages reads a list to its end, from both ends.
func (c *crawler) pages(ctx context.Context, path string) error {
	for _, direction := range []string{"asc", "desc"} {
		const size = 100
		for page := 1; page*size <= retrievable; page++ {
			text, err := c.text(ctx, http.MethodGet, fmt.Sprintf("%s?page=%d&page_size=%d&order_direction=%s", path, page, size, direction), "")
			if err != nil {
				return err
			}
			var list []json.RawMessage
			if err := json.Unmarshal(text, &list); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if len(list) < size {
				break
			}
		}
	}
	return nil
}

// queries are the hidden words, some at a time.
func (c *crawler) queries() [][]string {
	var all []string
	for word := range c.hidden {
		all = append(all, word)
	}
	slices.Sort(all)
	const some = 20
	return slices.Collect(slices.Chunk(all, some))
}

// search asks for hidden words, which nothing may be found by.
func (c *crawler) search(ctx context.Context, kind string, words []string) error {
	body, err := json.Marshal(map[string]string{"search_for": strings.Join(words, " OR ")})
	if err != nil {
		return fmt.Errorf("cannot encode a search: %w", err)
	}
	path := "/v2/" + kind + "/search"
	text, err := c.text(ctx, http.MethodPost, path, string(body))
	if err != nil || strings.TrimSpace(string(text)) == "[]" {
		return err
	}
	for _, word := range words { // which of them is it?
		if found, err := c.findsIn(ctx, kind, word); err != nil {
			return err
		} else if found {
			c.look("POST "+path+" for it", []byte(word))
		}
	}
	return nil
}

// finds tells whether any kind of thing is found by a word.
func (c *crawler) finds(ctx context.Context, word string) (found bool, err error) {
	for _, kind := range kinds {
		if found, err = c.findsIn(ctx, kind, word); found || err != nil {
			break
		}
	}
	return found, err
}

func (c *crawler) findsIn(ctx context.Context, kind, word string) (bool, error) {
	text, err := c.text(ctx, http.MethodPost, "/v2/"+kind+"/search", fmt.Sprintf(`{"search_for": %q}`, word))
	return strings.TrimSpace(string(text)) != "[]", err
}
