package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/config"
	"alcove/handlers"
	"alcove/record"
)

// plot is a data directory with one article, one collection and one project of Ada's in every
// state, words planted in all private fields, and a caller of every kind. It is built once;
// worlds are servers on copies of it.
type plot struct {
	cfg     config.Config
	states  []string
	items   map[string]*planted // by state
	bens    *planted            // what the other account has itself
	callers []caller
	secrets map[string]secret // planted words and tokens
}

// planted is what a state has: the parts of paths, by what the path leads to, and links.
type planted struct {
	ids                  map[string]map[string]string // articles, collections or projects → parameter → value
	link, edit, old, off map[string]string            // articles or collections → private links: read-only, editing, expired, disabled
	other                *planted                     // of another state
}

// secret says what a planted word or token stands in.
type secret struct{ kind, state string }

// planted are the secrets in a text: planted words, private links, the ends of upload
// tokens. All are made of small letters and digits, and stand between other characters.
func (p *plot) planted(text string) (found []string) {
	begin := -1
	for i := range len(text) + 1 {
		if i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= '0' && text[i] <= '9') {
			if begin < 0 {
				begin = i
			}
			continue
		}
		if begin >= 0 {
			if _, ok := p.secrets[text[begin:i]]; ok {
				found = append(found, text[begin:i])
			}
		}
		begin = -1
	}
	return found
}

// word plants a word of a kind in a state.
func (p *plot) word(kind, state string) string {
	w := "zq" + state + kind
	p.secrets[w] = secret{kind, state}
	return w
}

// newPlot builds all states.
func newPlot(t *testing.T, states []string) *plot {
	t.Helper()
	s := start(t)
	p := &plot{states: states, items: map[string]*planted{}, secrets: map[string]secret{}}
	group, other := s.group("Sciences", 0), s.group("Arts", 0)
	below, yes := s.group("Reviewed sciences", group), true
	if _, err := handlers.StoreGroup(t.Context(), s.DB(), handlers.GroupEdit{ID: below, Review: &yes}); err != nil {
		t.Fatal(err)
	}
	people := map[string]client{}
	for _, name := range []string{"Vera", "Cole", "Gina", "Rita", "Otto"} {
		people[name] = s.person(name, false)
	}
	olga := s.person("Olga", true)
	s.account(olga.id(), func(a *record.Account) { a.InstitutionID = 2 })
	s.role(people["Gina"], group, "administrator")
	s.role(people["Rita"], group, "reviewer")
	s.role(people["Otto"], other, "administrator")
	s.account(people["Rita"].id(), func(a *record.Account) { a.GroupID = group })
	s.account(s.Ada.id(), func(a *record.Account) {
		a.GroupID, a.Email = group, p.word("mail", "any")+"@example.org"
	})
	for _, state := range states {
		s.account(1, func(a *record.Account) { a.GroupID = map[bool]int64{true: below, false: group}[state == "review"] })
		p.items[state] = p.plant(s, state, people["Vera"], people["Cole"], people["Rita"])
	}
	for i, state := range states {
		p.items[state].other = p.items[states[(i+1)%len(states)]]
	}
	p.bens = plantBens(s)
	s.alter(func(tx *bucket.Tx) error {
		if n, err := bucket.Reviews.Get(tx, 1); err != nil || n.Status != record.ReviewPending {
			t.Fatalf("the review is %v, %v", n, err)
		}
		return nil
	})
	p.callers = []caller{
		{name: "anonymous"},
		{name: "read-only link", link: func(i *planted) map[string]string { return i.link }},
		{name: "editing link", link: func(i *planted) map[string]string { return i.edit }},
		{name: "expired link", link: func(i *planted) map[string]string { return i.old }},
		{name: "disabled link", link: func(i *planted) map[string]string { return i.off }},
		{name: "link to something else", link: func(i *planted) map[string]string { return i.other.edit }},
		{name: "disabled owner", token: s.Ada.token, prepare: func(s *server) {
			s.account(1, func(a *record.Account) { a.Disabled = true })
		}},
		{name: "link of a disabled owner", link: func(i *planted) map[string]string { return i.edit }, prepare: func(s *server) {
			s.account(1, func(a *record.Account) { a.Disabled = true })
		}},
		{name: "other account", token: s.Ben.token},
		{name: "account with link", token: s.Ben.token, link: func(i *planted) map[string]string { return i.link }},
		{name: "account with expired link", token: s.Ben.token, link: func(i *planted) map[string]string { return i.old }},
		{name: "reviewer", token: people["Rita"].token},
		{name: "other group's administrator", token: people["Otto"].token},
		{name: "other institution's administrator", token: olga.token},
		{name: "viewer", token: people["Vera"].token},
		{name: "collaborator", token: people["Cole"].token},
		{name: "group's administrator", token: people["Gina"].token},
		{name: "administrator", token: s.Root.token},
		{name: "owner", token: s.Ada.token},
	}
	p.cfg = s.cfg
	p.cfg.BaseURL = s.URL // documents are rendered under it
	s.Stop()
	s.Server = nil
	return p
}

// plant makes the items of a state. All articles but the private one are in projects;
// the projects are public but for those of the draft and the private article.
func (p *plot) plant(s *server, state string, viewer, collaborator, reviewer client) *planted {
	w := func(kind string) string { return p.word(kind, state) }
	number := func(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
	group := map[bool]int{true: 1}[state == "draft"]
	location := func(r *reply) string { return strings.TrimPrefix(r.is(201).Header.Get("Location"), s.URL) }
	project := location(s.Ada.send("POST", "/v2/account/projects", fmt.Sprintf(`{"title": "%s project", "description": "%[1]s", "funding": "%[1]s", "group_id": %d}`, w("project"), group)))
	s.Ada.invite(project, viewer, "viewer")
	s.Ada.invite(project, collaborator, "collaborator")
	s.Ada.send("POST", project+"/collaborators", fmt.Sprintf(`{"email": "%s@example.org", "role_name": "viewer", "comment": "%s"}`, w("invited"), w("comment"))).is(201)
	note := location(s.Ada.send("POST", project+"/notes", fmt.Sprintf(`{"text": "%s and more"}`, w("note"))))

	parent := project + "/articles"
	if state == "private" {
		parent = "/v2/account/articles"
	}
	text := fmt.Sprintf(`{"title": "%s title", "description": "%[1]s", "tags": ["%[1]s"], "references": ["https://example.org/%[1]s"], "funding": "%[1]s",
		"custom_fields": {"Field": "%[1]s"}, "categories": [37], "authors": [{"name": "%s person"}]}`, w("text"), w("name"))
	article := "/v2/account/articles/" + number(location(s.Ada.send("POST", parent, text)))
	file := s.Ada.upload(article, w("file")+".png", append(slices.Clone(onePixel), w("file")...)) // behind its end, where no picture looks
	s.Ada.previews(file, "preview_available")
	author := fmt.Sprint(int64(s.Ada.get(article + "/authors").list()[0]["id"].(float64)))
	switch state {
	case "private", "shared":
		s.Ada.send("PATCH", article, `{}`).is(205)
	case "filed", "opened", "held":
		kind, options := "file", "[]"
		switch state {
		case "opened":
			options = fmt.Sprintf(`[{"id": %d}]`, record.AdministratorOption)
		case "held":
			kind = "article"
		}
		s.Ada.send("PUT", article+"/embargo", fmt.Sprintf(`{"is_embargoed": true, "embargo_type": %q, "embargo_date": "2999-01-01",
			"embargo_title": "%s", "embargo_reason": "%[2]s", "embargo_options": %s}`, kind, w("text"), options)).is(205)
	}
	published := slices.Contains([]string{"filed", "opened", "held", "public", "gone"}, state)
	if published || state == "review" {
		s.Ada.do("POST", article+"/publish", nil).is(201)
		s.Ada.send("PATCH", article, fmt.Sprintf(`{"title": "%s title", "description": "%[1]s"}`, w("work"))).is(205)
	}
	_, upload := s.Ada.begin(article, w("open")+".bin", []byte("hello"))

	collection := location(s.Ada.send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": "%s collection", "description": "%[1]s", "categories": [37],
		"authors": [{"name": "Collecting Author"}], "articles": [%s]}`, w("set"), number(article))))
	collector := fmt.Sprint(int64(s.Ada.get(collection + "/authors").list()[0]["id"].(float64)))
	if published {
		s.Ada.do("POST", collection+"/publish", nil).is(201)
		s.Ada.send("PATCH", collection, fmt.Sprintf(`{"title": "%s collection", "description": "%[1]s"}`, w("setwork"))).is(205)
	}
	if state == "gone" {
		p.unpublish(s, article)
	}
	if state != "draft" && state != "private" {
		s.Ada.do("POST", project+"/publish", nil).is(201)
	}

	pl := &planted{link: map[string]string{}, edit: map[string]string{}, old: map[string]string{}, off: map[string]string{}}
	for kind, item := range map[string]string{"articles": article, "collections": collection} {
		for to, body := range map[*map[string]string]string{&pl.link: `{}`, &pl.edit: `{"read_only": false}`, &pl.old: `{"read_only": false}`, &pl.off: `{"read_only": false}`} {
			(*to)[kind] = s.Ada.link(item, body)
			p.secrets[(*to)[kind]] = secret{"link", state}
		}
		s.expireLink(pl.old[kind])
		s.Ada.do("DELETE", item+"/private_links/"+pl.off[kind], nil).is(204)
	}
	p.secrets[upload[strings.LastIndexByte(upload, '-')+1:]] = secret{"upload", state}
	account := map[string]string{":review_id": "1", ":account_id": fmt.Sprint(reviewer.id()), ":group_id": "1", ":role_id": fmt.Sprint(record.RoleReviewer)}
	pl.ids = map[string]map[string]string{
		"articles": maps(account, ":id", number(article), ":file_id", number(file), ":preview_id", number(file), ":author_id", author, ":category_id", "37", ":version", "1", ":version_id", "1",
			":link_id", pl.link["articles"], ":token", number(upload), ":part", "1", ":first", number(article), ":second", "versions", ":third", "1"),
		"collections": {":id": number(collection), ":author_id": collector, ":category_id": "37", ":article_id": number(article), ":version": "1", ":link_id": pl.link["collections"]},
		"projects":    {":id": number(project), ":article_id": number(article), ":file_id": number(file), ":note_id": number(note), ":user_id": fmt.Sprint(viewer.userID())},
	}
	return pl
}

// plantBens gives Ben a public article with a file, in a public project and collection.
func plantBens(s *server) *planted {
	project := s.Ben.project("Ben's project")
	inside, article := s.Ben.inProject(project, `{"title": "Ben's article", "categories": [37], "authors": [{"name": "Ben's Author"}]}`)
	file := s.Ben.upload(article, "ben.txt", []byte("ben"))
	collection := s.Ben.newCollection("Ben's collection")
	s.Ben.send("PATCH", collection, `{"authors": [{"name": "Ben's Author"}]}`).is(205)
	for _, at := range []string{article, collection, project} {
		s.Ben.do("POST", at+"/publish", nil).is(201)
	}
	id := func(path string) string { return fmt.Sprint(lastNumber(s.t, path)) }
	return &planted{ids: map[string]map[string]string{
		"articles":    {":id": id(article), ":file_id": id(file), ":version": "1", ":version_id": "1"},
		"collections": {":id": id(collection), ":version": "1"},
		"projects":    {":id": id(project), ":article_id": id(inside)},
	}}
}

// unpublish withdraws an article.
func (p *plot) unpublish(s *server, article string) {
	s.Ada.send("POST", article+"/unpublish", fmt.Sprintf(`{"reason": "%s"}`, p.word("reason", "gone"))).is(204)
}
