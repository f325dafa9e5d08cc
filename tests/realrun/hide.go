package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// hoard is what the second act has made: every id that was ever given out, and the words
// that were planted on the way.
type hoard struct {
	*words
	mu          sync.Mutex
	articles    []int64
	collections []int64
	projects    []int64
	files       map[int64][]int64 // article → files
}

// heap is how many items share a collection and a project.
const heap = 40

// hide puts every item into collections and, described again, into projects of three
// accounts, with private links, notes, members and embargoes, and plants words on the
// way. An item is by its number
//
//	0 mod 4  a draft
//	1 mod 4  public, its files under an embargo
//	2 mod 4  published, but wholly under an embargo
//	3 mod 4  public, and changed since
func (b *bench) hide(ctx context.Context, items []expected, ids map[string]int64, depositor *person) (*hoard, error) {
	h := &hoard{words: newWords(), files: map[int64][]int64{}}
	people := []*person{}
	for _, name := range []string{"Ada", "Ben", "Cy"} {
		p, err := b.person(ctx, name, h.hide("the address of %s", name)+"@example.org")
		if err != nil {
			return nil, err
		}
		people = append(people, p)
	}
	for _, id := range ids {
		h.articles = append(h.articles, id)
	}
	slices.Sort(h.articles)

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var work sync.WaitGroup
	for n, p := range people {
		var own []expected
		for i := n; i < len(items); i += len(people) {
			own = append(own, items[i])
		}
		work.Go(func() {
			for k := 0; k*heap < len(own) && ctx.Err() == nil; k++ {
				part := own[k*heap : min(len(own), (k+1)*heap)]
				if err := h.fill(ctx, p, people[(n+1)%len(people)], k, part, ids); err != nil {
					cancel(err)
				}
			}
		})
	}
	work.Go(func() { // later changes are the owner's only
		for i := 0; i < len(items) && ctx.Err() == nil; i += 10 {
			id := ids[items[i].entry.Slug]
			_, _, err := depositor.call(ctx, http.MethodPatch, fmt.Sprintf("/v2/account/articles/%d", id),
				map[string]any{"description": h.hide("a later description of %d", id), "tags": []string{h.hide("a later tag of %d", id)}})
			if err != nil {
				cancel(err)
			}
		}
	})
	work.Wait()
	return h, context.Cause(ctx)
}

// fill makes a project and a collection for some items.
func (h *hoard) fill(ctx context.Context, p, other *person, k int, items []expected, ids map[string]int64) error {
	project, err := h.project(ctx, p, other, k)
	if err != nil {
		return err
	}
	members := []int64{}
	for i, x := range items {
		id, err := h.describe(ctx, p, project, i, x)
		if err != nil {
			return err
		}
		members = append(members, ids[x.entry.Slug], id)
	}
	return h.collect(ctx, p, k, members)
}

// project makes a project, every second one public, with notes and members.
func (h *hoard) project(ctx context.Context, p, other *person, k int) (at string, err error) {
	word := h.hide
	if k%2 == 0 {
		word = h.show
	}
	name := fmt.Sprintf("project %d of %s", k, p.name)
	at, id, err := p.make(ctx, "/v2/account/projects", map[string]any{
		"title": "Notebook " + word("the title of %s", name), "description": word("the description of %s", name), "funding": word("the funding of %s", name),
	})
	if err != nil {
		return "", err
	}
	h.mu.Lock()
	h.projects = append(h.projects, id)
	h.mu.Unlock()
	for _, step := range []struct {
		path string
		body any
	}{
		{"/notes", map[string]any{"text": "Remember " + h.hide("a note in %s", name)}},
		{"/collaborators", map[string]any{"user_id": other.user, "role_name": []string{"viewer", "collaborator"}[k%2], "comment": h.hide("the comment to a member of %s", name)}},
		{"/collaborators", map[string]any{"email": h.hide("the address of a guest of %s", name) + "@example.org", "role_name": "viewer"}},
	} {
		if _, _, err := p.call(ctx, http.MethodPost, at+step.path, step.body); err != nil {
			return "", err
		}
	}
	if k%2 == 0 {
		_, _, err = p.call(ctx, http.MethodPost, at+"/publish", nil)
	}
	return at, err
}

// describe makes a project article out of a record, with a file and a private link.
func (h *hoard) describe(ctx context.Context, p *person, project string, i int, x expected) (int64, error) {
	name := "the copy of " + x.entry.Slug
	word, fileWord := h.hide, h.hide
	switch i % 4 {
	case 1:
		word = h.show
	case 3:
		word, fileWord = h.show, h.show
	}
	a := x.article
	_, id, err := p.make(ctx, project+"/articles", map[string]any{
		"title": fmt.Sprintf("%.200s %s", a.Title, word("the title of %s", name)), "description": a.Description + " " + word("the description of %s", name),
		"tags": []string{word("a tag of %s", name)}, "authors": []author{{Name: "Author " + word("an author of %s", name)}},
		"custom_fields": map[string]string{"code": word("a custom field of %s", name)}, "references": []string{"https://example.org/" + word("a reference of %s", name)},
		"funding": word("the funding of %s", name), "defined_type": a.Type,
	})
	if err != nil {
		return 0, err
	}
	at := fmt.Sprintf("/v2/account/articles/%d", id)
	var files []int64
	add := func(word func(string, ...any) string, what string) {
		if err != nil {
			return
		}
		var file int64
		file, err = p.upload(ctx, at, word("the name of a %s of %s", what, name)+".txt", word("a folder of a %s of %s", what, name), "Content: "+word("the bytes of a %s of %s", what, name))
		files = append(files, file)
	}
	do := func(method, path string, body any) {
		if err == nil {
			_, _, err = p.call(ctx, method, at+path, body)
		}
	}
	add(fileWord, "file")
	switch i % 4 {
	case 1:
		do(http.MethodPut, "/embargo", map[string]any{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-01-01", "embargo_reason": word("the reason of the embargo of %s", name)})
		do(http.MethodPost, "/publish", nil)
	case 2:
		do(http.MethodPut, "/embargo", map[string]any{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2099-01-01", "embargo_reason": word("the reason of the embargo of %s", name)})
		do(http.MethodPost, "/publish", nil)
	case 3:
		do(http.MethodPost, "/publish", nil)
		do(http.MethodPatch, "", map[string]any{"title": "Later: " + h.hide("the later title of %s", name), "description": h.hide("the later description of %s", name)})
		add(h.hide, "later file")
	}
	if err == nil {
		err = p.link(ctx, h.words, at, nil)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.articles = append(h.articles, id)
	h.files[id] = files
	return id, err
}

// collect makes a collection of articles, two of three public, of which one is changed
// afterwards.
func (h *hoard) collect(ctx context.Context, p *person, k int, articles []int64) error {
	word := h.show
	if k%3 == 1 {
		word = h.hide
	}
	name := fmt.Sprintf("collection %d of %s", k, p.name)
	const few = 10 // articles of one request
	at, id, err := p.make(ctx, "/v2/account/collections", map[string]any{
		"title": "Shelf " + word("the title of %s", name), "description": word("the description of %s", name), "tags": []string{word("a tag of %s", name)},
		"authors": []author{{Name: "Curator " + word("an author of %s", name)}}, "articles": articles[:min(few, len(articles))],
	})
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.collections = append(h.collections, id)
	h.mu.Unlock()
	for part := range slices.Chunk(articles[min(few, len(articles)):], few) {
		if _, _, err := p.call(ctx, http.MethodPost, at+"/articles", map[string]any{"articles": part}); err != nil {
			return err
		}
	}
	if err := p.link(ctx, h.words, at, map[string]any{"read_only": k%2 == 0}); err != nil || k%3 == 1 {
		return err
	}
	if _, _, err := p.call(ctx, http.MethodPost, at+"/publish", nil); err != nil || k%3 == 2 {
		return err
	}
	_, _, err = p.call(ctx, http.MethodPut, at, map[string]any{"description": h.hide("the later description of %s", name)})
	return err
}
