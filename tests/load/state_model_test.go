package load

import (
	"slices"
	"strings"
)

// model is the stated content of a repository after a sequence of calls, in memory and written
// without a look at the server.
type model struct {
	articles    map[int]*modelArticle
	collections map[int]*modelCollection

	goneCollections []int // that were deleted
	projects        map[int]*modelProject
	files           []*modelFile // all there ever were
}

// person is Ada or Ben, by number.
type person int

const (
	ada person = iota
	ben
	noAccount
)

type modelFile struct {
	id       int
	article  int
	name     string
	data     string
	complete bool // uploaded, checked and available
}

// modelVersion is what a publication froze.
type modelVersion struct {
	title, text, kind string
	tags, authors     []string
	files             []*modelFile
	embargo           string // "", article, file or permanent
}

type modelArticle struct {
	modelVersion // the working copy
	id           int
	owner        person
	project      int
	versions     map[int]*modelVersion // public ones
	last         int                   // number of the latest version there ever was
	held         *modelVersion         // waits for the end of an embargo
	links        map[string]bool       // private links, and whether they open anything
}

type modelCollection struct {
	id       int
	owner    person
	title    string
	authors  int
	articles []int
	versions []modelCollectionVersion // that are public
	last     int                      // the latest number of a version
}

type modelCollectionVersion struct {
	title    string
	articles []int
}

type modelProject struct {
	id      int
	owner   person
	title   string
	public  bool
	members map[person]bool // besides the owner
}

func newModel() *model {
	return &model{articles: map[int]*modelArticle{}, collections: map[int]*modelCollection{}, projects: map[int]*modelProject{}}
}

func (v *modelVersion) frozen() *modelVersion {
	out := *v
	out.tags, out.authors, out.files = slices.Clone(v.tags), slices.Clone(v.authors), slices.Clone(v.files)
	return &out
}

// has reports whether a word search finds it.
func (v *modelVersion) has(word string) bool {
	return slices.Contains(strings.Fields(v.title+" "+v.text+" "+strings.Join(v.tags, " ")), word)
}

// withheld reports whether readers get no files.
func (v *modelVersion) withheld() bool { return v.embargo == "file" || v.embargo == "permanent" }

// shown are the files that readers get.
func (v *modelVersion) shown() []*modelFile {
	if v.withheld() {
		return nil
	}
	return v.files
}

// latest is the version that readers get, nil where nothing is public.
func (a *modelArticle) latest() *modelVersion { return a.versions[a.last] }

func (a *modelArticle) public() bool { return a.latest() != nil }

// publishable says why publishing is refused, if it is.
func (a *modelArticle) publishable() bool {
	return len(a.authors) > 0 && !slices.ContainsFunc(a.files, func(f *modelFile) bool { return !f.complete })
}

// publish makes a new version, or one that waits.
func (a *modelArticle) publish() {
	if a.embargo == "article" {
		a.held = a.frozen()
		return
	}
	a.last++
	a.versions[a.last] = a.frozen()
}

// setEmbargo changes the working copy, and what waits with it: it appears when nothing
// holds it any more.
func (a *modelArticle) setEmbargo(kind string) {
	a.embargo = kind
	if a.held == nil {
		return
	}
	a.held.embargo = kind
	if kind != "article" {
		a.last++
		a.versions[a.last], a.held = a.held, nil
	}
}

// unpublish takes all that is public, and what waits, away. Numbers are not given again.
func (a *modelArticle) unpublish() (done bool) {
	if !a.public() && a.held == nil {
		return false
	}
	a.held, a.versions = nil, map[int]*modelVersion{}
	return true
}

// readable reports whether a file is public: one public version shows it.
func (m *model) readable(f *modelFile) bool {
	a := m.articles[f.article]
	if a == nil {
		return false
	}
	for _, v := range a.versions {
		if slices.Contains(v.shown(), f) {
			return true
		}
	}
	return false
}

// usable reports whether an account may put an article into a collection.
func (m *model) usable(who person, id int) bool {
	a := m.articles[id]
	return a != nil && (a.owner == who || a.public())
}

func (m *model) publishCollection(c *modelCollection) {
	v := modelCollectionVersion{title: c.title}
	for _, id := range c.articles {
		if a := m.articles[id]; a != nil && a.public() {
			v.articles = append(v.articles, id)
		}
	}
	c.versions = append(c.versions, v)
	c.last++
}

// member reports whether an account sees a project before it is public.
func (p *modelProject) member(who person) bool { return p.owner == who || p.members[who] }

// deleteProject moves the project's items to their owners.
func (m *model) deleteProject(p *modelProject) {
	for _, a := range m.articles {
		if a.project == p.id {
			a.project = 0
		}
	}
	delete(m.projects, p.id)
}

func (m *model) projectHasPublic(id int) bool {
	for _, a := range m.articles {
		if a.project == id && a.public() {
			return true
		}
	}
	return false
}

// idsWhere are the ids of items that pass, ascending.
func idsWhere[T any](items map[int]T, pass func(T) bool) []int {
	ids := []int{}
	for id, item := range items {
		if pass(item) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
