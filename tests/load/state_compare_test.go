package load

import (
	"fmt"
	"slices"
	"strings"
)

// item is what is compared of an article, a collection or a project.
type item struct {
	ID          int    `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Version     int    `json:"version"`
	Published   string `json:"published_date"`
	Tags        []string
	Authors     []struct {
		Name string `json:"full_name"`
	}
	Files        []fileItem
	IsEmbargoed  bool   `json:"is_embargoed"`
	EmbargoType  string `json:"embargo_type"`
	IsPublic     bool   `json:"is_public"`
	ProjectID    int    `json:"project_id"`
	ArticleCount int    `json:"articles_count"`
}

type fileItem struct {
	ID     int
	Name   string
	Size   int
	MD5    string `json:"computed_md5"`
	Status string
}

// equal ends the sequence when two things are not written alike.
func (r *run) equal(what string, got, want any) {
	r.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		r.Fatalf("%s: the server has\n%s\nand the model\n%s\n%s", what, g, w, r.told())
	}
}

func itemIDs(items []item) []int {
	ids := []int{}
	for _, i := range items {
		ids = append(ids, i.ID)
	}
	return ids
}

func sorted(ids []int) []int {
	out := slices.Clone(ids)
	slices.Sort(out)
	return out
}

func reversed(ids []int) []int {
	out := slices.Clone(ids)
	slices.Reverse(out)
	return out
}

// compare compares all that callers can read.
func (r *run) compare() {
	for id, a := range r.m.articles {
		r.ownArticle(a)
		r.publicArticle(id, a)
	}
	for id := 1; id <= 200 && len(r.m.files) > 0; id++ { // what was deleted is not there
		if r.m.articles[id] == nil && id <= r.m.files[len(r.m.files)-1].article {
			r.publicArticle(id, nil)
			r.status(404, ada, fmt.Sprintf("/v2/account/articles/%d", id))
		}
	}
	for _, f := range r.m.files {
		r.file(f)
	}
	r.articleLists()
	r.collections()
	r.projects()
}

func (r *run) version(what string, got item, want *modelVersion, files []*modelFile) {
	r.Helper()
	names, authors := []string{}, []string{}
	for _, f := range got.Files {
		names = append(names, f.Name)
	}
	for _, a := range got.Authors {
		authors = append(authors, a.Name)
	}
	kind := map[string]string{"article": "article", "file": "file", "permanent": "file"}[want.embargo]
	r.equal(what, []any{got.Title, got.Description, got.Tags, authors, names, got.IsEmbargoed, got.EmbargoType},
		[]any{want.title, want.text, append([]string{}, want.tags...), append([]string{}, want.authors...), namesOf(files), want.embargo != "", kind})
}

func namesOf(files []*modelFile) []string {
	names := []string{}
	for _, f := range files {
		names = append(names, f.name)
	}
	return names
}

func (r *run) ownArticle(a *modelArticle) {
	var got item
	r.get(a.owner, a.at(), &got)
	r.version(a.at(), got, &a.modelVersion, a.files)
	r.equal(a.at()+" is public", got.IsPublic, a.public())
	var files []fileItem
	r.get(a.owner, a.at()+"/files", &files)
	if len(files) != len(a.files) {
		r.Fatalf("%s has files %+v, and should have %v\n%s", a.at(), files, namesOf(a.files), r.told())
	}
	for i, f := range files {
		want := a.files[i]
		status, sum := "created", ""
		if want.complete {
			status, sum = "available", sumOf(want.data)
		}
		r.equal(a.at()+"/files", f, fileItem{want.id, want.name, len(want.data), sum, status})
	}
	for _, below := range []string{"", "/files", "/authors", "/embargo", "/confidentiality", "/private_links"} {
		r.status(404, ben-a.owner, a.at()+below)
		r.status(401, noAccount, a.at()+below)
	}
	var links []struct {
		Active bool `json:"is_active"`
	}
	r.get(a.owner, a.at()+"/private_links", &links)
	open := 0
	for _, l := range links {
		if l.Active {
			open++
		}
	}
	wanted := 0
	for _, active := range a.links {
		if active {
			wanted++
		}
	}
	r.equal(a.at()+"/private_links", []int{len(links), open}, []int{len(a.links), wanted})
}

// publicArticle compares what readers get; a is nil for what was deleted.
func (r *run) publicArticle(id int, a *modelArticle) {
	at := fmt.Sprintf("/v2/articles/%d", id)
	if a == nil || !a.public() {
		for _, who := range []person{noAccount, ada, ben} {
			for _, below := range []string{"", "/versions", "/versions/1", "/files"} {
				r.status(404, who, at+below)
			}
		}
		return
	}
	who := []person{noAccount, ben - a.owner}[id%2]
	var got item
	r.get(who, at, &got)
	r.version(at, got, a.latest(), a.latest().shown())
	r.equal(at+" version", got.Version, a.last)
	var list []struct{ Version int }
	r.get(who, at+"/versions", &list)
	numbers := []int{}
	for _, v := range list {
		numbers = append(numbers, v.Version)
	}
	r.equal(at+"/versions", sorted(numbers), idsWhere(a.versions, func(*modelVersion) bool { return true }))
	for n := 1; n <= a.last+1; n++ {
		v := a.versions[n]
		if v == nil {
			r.status(404, who, fmt.Sprintf("%s/versions/%d", at, n))
			continue
		}
		var got item
		r.get(who, fmt.Sprintf("%s/versions/%d", at, n), &got)
		r.version(fmt.Sprintf("%s/versions/%d", at, n), got, v, v.shown())
	}
	var files []fileItem
	r.get(who, at+"/files", &files)
	if len(files) != len(a.latest().shown()) {
		r.Fatalf("%s/files has %+v\n%s", at, files, r.told())
	}
}

// file compares the callers that get the bytes of a file.
func (r *run) file(f *modelFile) {
	at, a := fmt.Sprintf("/files/%d", f.id), r.m.articles[f.article]
	gets := func(who person, query string, allowed bool) {
		r.Helper()
		got, b, _ := r.call(who, "GET", at+query, "")
		if allowed && (got != 200 || string(b) != f.data) || !allowed && got != 404 {
			r.Fatalf("GET %s%s answered %d %q to %d, and should open: %v\n%s", at, query, got, b, who, allowed, r.told())
		}
	}
	gets(noAccount, "", r.m.readable(f))
	own := a != nil && f.complete && slices.Contains(a.files, f)
	if a == nil {
		return
	}
	p := r.m.projects[a.project]
	gets(ben-a.owner, "", r.m.readable(f) || own && p != nil && p.member(ben-a.owner))
	if own {
		gets(a.owner, "", true)
	}
	for token, active := range a.links {
		gets(noAccount, "?private_link="+token, active && own || r.m.readable(f))
	}
}

func (r *run) articleLists() {
	var public []item
	r.get(noAccount, "/v2/articles?page_size=1000", &public)
	open := func(a *modelArticle) bool { return a.public() }
	r.equal("GET /v2/articles", sorted(itemIDs(public)), idsWhere(r.m.articles, open))
	if !slices.IsSortedFunc(public, func(a, b item) int { return strings.Compare(b.Published, a.Published) }) {
		r.Fatalf("the public list is not in order: %+v", public)
	}
	for _, i := range public {
		r.equal("a title in GET /v2/articles", i.Title, r.m.articles[i.ID].latest().title)
	}
	for kind, number := range map[string]int{"dataset": 3, "figure": 1} {
		var list []item
		r.get(noAccount, fmt.Sprintf("/v2/articles?page_size=1000&item_type=%d", number), &list)
		want := idsWhere(r.m.articles, func(a *modelArticle) bool { return a.public() && a.latest().kind == kind })
		r.equal("GET /v2/articles of type "+kind, sorted(itemIDs(list)), want)
	}
	for _, word := range stateWords {
		body := fmt.Sprintf(`{"search_for": %q, "page_size": 100}`, word)
		var list []item
		r.ask(noAccount, "POST", "/v2/articles/search", body, &list)
		r.equal("public search for "+word, sorted(itemIDs(list)), idsWhere(r.m.articles, func(a *modelArticle) bool { return a.public() && a.latest().has(word) }))
		for _, who := range []person{ada, ben} {
			var list []item
			r.ask(who, "POST", "/v2/account/articles/search", body, &list)
			r.equal(fmt.Sprintf("own search of %d for %s", who, word), sorted(itemIDs(list)), idsWhere(r.m.articles, func(a *modelArticle) bool { return a.owner == who && a.has(word) }))
		}
	}
	for _, who := range []person{ada, ben} {
		var own []item
		r.get(who, "/v2/account/articles?page_size=1000", &own)
		r.equal(fmt.Sprintf("own list of %d", who), itemIDs(own), reversed(idsWhere(r.m.articles, func(a *modelArticle) bool { return a.owner == who })))
	}
}

func (r *run) collections() {
	for id, c := range r.m.collections {
		var own item
		r.get(c.owner, c.at(), &own)
		members := slices.DeleteFunc(slices.Clone(c.articles), func(id int) bool { return !r.m.usable(c.owner, id) })
		r.equal(c.at(), []any{own.Title, own.ArticleCount}, []any{c.title, len(members)})
		var list []item
		r.get(c.owner, c.at()+"/articles?page_size=100", &list)
		r.equal(c.at()+"/articles", sorted(itemIDs(list)), sorted(members))
		r.status(404, ben-c.owner, c.at())
		at := fmt.Sprintf("/v2/collections/%d", id)
		if len(c.versions) == 0 {
			r.status(404, noAccount, at)
			r.status(404, noAccount, at+"/articles")
			continue
		}
		latest := c.versions[len(c.versions)-1]
		var public item
		r.get(noAccount, at, &public)
		shown := slices.DeleteFunc(slices.Clone(latest.articles), func(id int) bool { return r.m.articles[id] == nil || !r.m.articles[id].public() })
		r.equal(at, []any{public.Title, public.Version, public.ArticleCount}, []any{latest.title, c.last, len(shown)})
		list = nil
		r.get(noAccount, at+"/articles?page_size=100", &list)
		r.equal(at+"/articles", sorted(itemIDs(list)), sorted(shown))
		var versions []item
		r.get(noAccount, at+"/versions", &versions)
		r.equal(at+"/versions", len(versions), len(c.versions))
	}
	for _, id := range r.m.goneCollections {
		r.status(404, noAccount, fmt.Sprintf("/v2/collections/%d", id))
		r.status(404, noAccount, fmt.Sprintf("/v2/collections/%d/versions/1", id))
		r.status(404, ada, fmt.Sprintf("/v2/account/collections/%d", id))
		r.status(404, ben, fmt.Sprintf("/v2/account/collections/%d", id))
	}
	var public []item
	r.get(noAccount, "/v2/collections?page_size=1000", &public)
	r.equal("GET /v2/collections", sorted(itemIDs(public)), idsWhere(r.m.collections, func(c *modelCollection) bool { return len(c.versions) > 0 }))
	for _, who := range []person{ada, ben} {
		var own []item
		r.get(who, "/v2/account/collections?page_size=1000", &own)
		r.equal(fmt.Sprintf("own collections of %d", who), itemIDs(own), reversed(idsWhere(r.m.collections, func(c *modelCollection) bool { return c.owner == who })))
	}
}

func (r *run) projects() {
	for id, p := range r.m.projects {
		inside := func(a *modelArticle) bool { return a.project == id }
		for _, who := range []person{ada, ben} {
			if !p.member(who) {
				r.status(404, who, p.at())
				r.status(404, who, p.at()+"/articles")
				continue
			}
			var list []item
			r.get(who, p.at()+"/articles?page_size=100", &list)
			r.equal(p.at()+"/articles", sorted(itemIDs(list)), idsWhere(r.m.articles, inside))
		}
		at := fmt.Sprintf("/v2/projects/%d", id)
		if !p.public {
			r.status(404, noAccount, at)
			continue
		}
		var public item
		r.get(noAccount, at, &public)
		r.equal(at, public.Title, p.title)
		var list []item
		r.get(noAccount, at+"/articles?page_size=100", &list)
		r.equal(at+"/articles", sorted(itemIDs(list)), idsWhere(r.m.articles, func(a *modelArticle) bool { return inside(a) && a.public() }))
	}
	var public []item
	r.get(noAccount, "/v2/projects?page_size=100", &public)
	r.equal("GET /v2/projects", sorted(itemIDs(public)), idsWhere(r.m.projects, func(p *modelProject) bool { return p.public }))
	for _, who := range []person{ada, ben} {
		var own []item
		r.get(who, "/v2/account/projects?page_size=100", &own)
		r.equal(fmt.Sprintf("own projects of %d", who), sorted(itemIDs(own)), idsWhere(r.m.projects, func(p *modelProject) bool { return p.member(who) }))
	}
}
