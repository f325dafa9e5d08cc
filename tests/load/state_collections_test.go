package load

import (
	"fmt"

	"pgregory.net/rapid"

	"alcove/tests/world"
)

func (c *modelCollection) at() string { return fmt.Sprintf("/v2/account/collections/%d", c.id) }

func (p *modelProject) at() string { return fmt.Sprintf("/v2/account/projects/%d", p.id) }

func (r *run) createCollection(t *rapid.T) {
	if len(r.m.collections) >= mostItems-1 {
		return
	}
	c := &modelCollection{owner: r.who(t), title: r.words(t)}
	body := fmt.Sprintf(`{"title": %q`, c.title)
	if rapid.Bool().Draw(t, "with an author") {
		body, c.authors = body+`, "authors": [{"name": "Grace Hopper"}]`, 1
	}
	_, h := r.change(201, c.owner, "POST", "/v2/account/collections", body+"}")
	c.id = r.idOf(h)
	r.m.collections[c.id] = c
}

// collect gives a collection other articles, which may not be there or be another's.
func (r *run) collect(t *rapid.T) {
	c := pick(t, r.m.collections)
	if c == nil {
		return
	}
	who := r.whoOf(t, c.owner)
	var ids []int
	for _, id := range idsWhere(r.m.articles, func(*modelArticle) bool { return true }) {
		if rapid.Bool().Draw(t, "this one") {
			ids = append(ids, id)
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "one that is not there") == 0 {
		ids = append(ids, 999)
	}
	want := 205
	text := ""
	for i, id := range ids {
		if !r.m.usable(c.owner, id) {
			want = 422
		}
		text += map[bool]string{true: "", false: ", "}[i == 0] + fmt.Sprint(id)
	}
	r.change(either(who, c.owner, want), who, "PUT", c.at()+"/articles", `{"articles": [`+text+`]}`)
	if who == c.owner && want == 205 {
		c.articles = ids
	}
}

func (r *run) publishCollection(t *rapid.T) {
	c := pick(t, r.m.collections)
	if c == nil {
		return
	}
	who := r.whoOf(t, c.owner)
	want := 201
	if c.authors == 0 {
		want = 428
	}
	r.change(either(who, c.owner, want), who, "POST", c.at()+"/publish", "")
	if who == c.owner && want == 201 {
		r.m.publishCollection(c)
	}
}

func (r *run) deleteCollection(t *rapid.T) {
	c := pick(t, r.m.collections)
	if c == nil || rapid.IntRange(0, 2).Draw(t, "sure") > 0 {
		return
	}
	who := r.whoOf(t, c.owner)
	r.change(either(who, c.owner, 204), who, "DELETE", c.at(), "")
	if who == c.owner {
		delete(r.m.collections, c.id)
		r.m.goneCollections = append(r.m.goneCollections, c.id)
	}
}

func (r *run) unpublishCollection(t *rapid.T) {
	c := pick(t, r.m.collections)
	if c == nil {
		return
	}
	who := r.whoOf(t, c.owner)
	want := 400
	if len(c.versions) > 0 {
		want = 204
	}
	r.change(either(who, c.owner, want), who, "POST", c.at()+"/unpublish", world.WhyWithdrawn)
	if who == c.owner {
		c.versions = nil
	}
}

func (r *run) unpublishProject(t *rapid.T) {
	p := pick(t, r.m.projects)
	if p == nil {
		return
	}
	who := r.whoOf(t, p.owner)
	want := 400
	if p.public {
		want = 204
	}
	r.change(p.standing(who, want), who, "POST", p.at()+"/unpublish", world.WhyWithdrawn)
	if who == p.owner {
		p.public = false
	}
}

func (r *run) createProject(t *rapid.T) {
	if len(r.m.projects) >= mostItems-1 {
		return
	}
	p := &modelProject{owner: r.who(t), title: r.words(t), members: map[person]bool{}}
	_, h := r.change(201, p.owner, "POST", "/v2/account/projects", fmt.Sprintf(`{"title": %q}`, p.title))
	p.id = r.idOf(h)
	r.m.projects[p.id] = p
}

// standing is a status for the owner of a project, 403 for a member, 404 for all others.
func (p *modelProject) standing(who person, status int) int {
	switch {
	case who == p.owner:
		return status
	case p.members[who]:
		return 403
	}
	return 404
}

func (r *run) invite(t *rapid.T) {
	p := pick(t, r.m.projects)
	if p == nil {
		return
	}
	who := r.whoOf(t, p.owner)
	guest := ben - p.owner
	email := map[person]string{ada: "ada@example.org", ben: "ben@example.org"}[guest]
	r.change(p.standing(who, 201), who, "POST", p.at()+"/collaborators", fmt.Sprintf(`{"email": %q, "role_name": "collaborator"}`, email))
	if who == p.owner {
		p.members[guest] = true
	}
}

func (r *run) createInProject(t *rapid.T) {
	p := pick(t, r.m.projects)
	if p == nil || len(r.m.articles) > mostItems {
		return
	}
	who := r.whoOf(t, p.owner)
	a, body := r.newArticle(t, who)
	if !p.member(who) {
		r.change(404, who, "POST", p.at()+"/articles", body)
		return
	}
	_, h := r.change(201, who, "POST", p.at()+"/articles", body)
	a.id, a.project = r.idOf(h), p.id
	r.m.articles[a.id] = a
}

func (r *run) publishProject(t *rapid.T) {
	p := pick(t, r.m.projects)
	if p == nil {
		return
	}
	who := r.whoOf(t, p.owner)
	r.change(p.standing(who, 201), who, "POST", p.at()+"/publish", "")
	if who == p.owner {
		p.public = true
	}
}

func (r *run) deleteProject(t *rapid.T) {
	p := pick(t, r.m.projects)
	if p == nil {
		return
	}
	who := r.whoOf(t, p.owner)
	want := 204
	if p.public || r.m.projectHasPublic(p.id) {
		want = 403
	}
	r.change(p.standing(who, want), who, "DELETE", p.at(), "")
	if who == p.owner && want == 204 {
		r.m.deleteProject(p)
	}
}
