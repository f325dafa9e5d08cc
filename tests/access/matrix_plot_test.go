package access

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// plot is a data directory with one article, one collection and one project of Ada's in every
// state, words planted in all private fields, and a caller of every kind. It is built once;
// worlds are servers on copies of it.
type plot struct {
	cfg      config.Config
	states   []string
	items    map[string]*planted // by state
	bens     *planted            // what the other account has itself
	callers  []caller
	signedIn []caller          // by session, who get what the caller of another name gets
	secrets  map[string]secret // planted words and tokens
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
	s := world.StartWithin(t, stage.Branded(t))
	p := &plot{states: states, items: map[string]*planted{}, secrets: map[string]secret{}}
	group, other := s.Group("Sciences", 0), s.Group("Arts", 0)
	below, yes := s.Group("Reviewed sciences", group), true
	if _, err := operate.StoreGroup(t.Context(), s.DB(), operate.GroupEdit{ID: below, Review: &yes}); err != nil {
		t.Fatal(err)
	}
	people := map[string]world.Client{}
	for _, name := range []string{"Vera", "Cole", "Gina", "Rita", "Otto"} {
		people[name] = s.Person(name, false)
	}
	olga := s.Person("Olga", true)
	s.Account(olga.ID(), func(a *record.Account) { a.InstitutionID = 2 })
	s.Role(people["Gina"], group, "administrator")
	s.Role(people["Rita"], group, "reviewer")
	s.Role(people["Otto"], other, "administrator")
	s.Account(people["Rita"].ID(), func(a *record.Account) { a.GroupID = group })
	s.Account(s.Ada.ID(), func(a *record.Account) {
		a.GroupID, a.Email = group, p.word("mail", "any")+"@example.org"
	})
	for _, state := range states {
		s.Account(1, func(a *record.Account) { a.GroupID = map[bool]int64{true: below, false: group}[state == "review"] })
		p.items[state] = p.plant(s, state, people["Vera"], people["Cole"], people["Rita"])
	}
	for i, state := range states {
		p.items[state].other = p.items[states[(i+1)%len(states)]]
	}
	p.bens = plantBens(s)
	s.Alter(func(tx *bucket.Tx) error {
		if n, err := working.Reviews.Get(tx, 1); err != nil || n.Status != record.ReviewPending {
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
		{name: "disabled owner", token: s.Ada.Token, prepare: func(s *world.Server) {
			s.Account(1, func(a *record.Account) { a.Disabled = true })
		}},
		{name: "link of a disabled owner", link: func(i *planted) map[string]string { return i.edit }, prepare: func(s *world.Server) {
			s.Account(1, func(a *record.Account) { a.Disabled = true })
		}},
		{name: "other account", token: s.Ben.Token},
		{name: "account with link", token: s.Ben.Token, link: func(i *planted) map[string]string { return i.link }},
		{name: "account with expired link", token: s.Ben.Token, link: func(i *planted) map[string]string { return i.old }},
		{name: "reviewer", token: people["Rita"].Token},
		{name: "other group's administrator", token: people["Otto"].Token},
		{name: "other institution's administrator", token: olga.Token},
		{name: "viewer", token: people["Vera"].Token},
		{name: "collaborator", token: people["Cole"].Token},
		{name: "group's administrator", token: people["Gina"].Token},
		{name: "administrator", token: s.Root.Token},
		{name: "owner", token: s.Ada.Token},
	}
	owners := ""
	for i, c := range p.callers {
		if c.token != "" {
			p.callers[i].session = beginSession(t, s, c.token)
			owners = p.callers[i].session
		}
	}
	p.signedIn = []caller{
		{name: "owner with a session", like: "owner", session: owners},
		{name: "owner with a session, from another site", like: "anonymous", session: owners, site: "cross-site"},
		{name: "disabled owner with a session", like: "disabled owner", session: owners, prepare: func(s *world.Server) {
			s.Account(1, func(a *record.Account) { a.Disabled = true })
		}},
	}
	p.cfg = s.Cfg
	p.cfg.BaseURL = s.URL // documents are rendered under it
	s.Stop()
	return p
}

// beginSession begins a session of the account that has a token.
func beginSession(t *testing.T, s *world.Server, token string) string {
	t.Helper()
	account := world.Client{Server: s, Token: token}.ID()
	secret, err := auth.New(s.DB(), auth.Limits{Idle: time.Hour, Absolute: time.Hour}).Begin(t.Context(), account, "", false, nil)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// plant makes the items of a state. All articles but the private one are in projects;
// the projects are public but for those of the draft and the private article.
func (p *plot) plant(s *world.Server, state string, viewer, collaborator, reviewer world.Client) *planted {
	w := func(kind string) string { return p.word(kind, state) }
	number := func(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
	group := map[bool]int{true: 1}[state == "draft"]
	location := func(r *world.Reply) string { return strings.TrimPrefix(r.Is(201).Header.Get("Location"), s.URL) }
	project := location(s.Ada.Send("POST", "/v2/account/projects", fmt.Sprintf(`{"title": "%s project", "description": "%[1]s", "funding": "%[1]s", "group_id": %d}`, w("project"), group)))
	s.Ada.Invite(project, viewer, "viewer")
	s.Ada.Invite(project, collaborator, "collaborator")
	s.Ada.Send("POST", project+"/collaborators", fmt.Sprintf(`{"email": "%s@example.org", "role_name": "viewer", "comment": "%s"}`, w("invited"), w("comment"))).Is(201)
	note := location(s.Ada.Send("POST", project+"/notes", fmt.Sprintf(`{"text": "%s and more"}`, w("note"))))

	parent := project + "/articles"
	if state == "private" {
		parent = "/v2/account/articles"
	}
	text := fmt.Sprintf(`{"title": "%s title", "description": "%[1]s", "tags": ["%[1]s"], "references": ["https://example.org/%[1]s"], "funding": "%[1]s",
		"custom_fields": {"Field": "%[1]s"}, "categories": [37], "authors": [{"name": "%s person"}]}`, w("text"), w("name"))
	article := "/v2/account/articles/" + number(location(s.Ada.Send("POST", parent, text)))
	file := s.Ada.Upload(article, w("file")+".png", append(slices.Clone(disk.OnePixel), w("file")...)) // behind its end, where no picture looks
	s.Ada.Previews(file, "preview_available")
	author := fmt.Sprint(int64(s.Ada.Get(article + "/authors").List()[0]["id"].(float64)))
	switch state {
	case "private", "shared":
		s.Ada.Send("PATCH", article, `{}`).Is(205)
	case "filed", "opened", "held":
		kind, options := "file", "[]"
		switch state {
		case "opened":
			options = fmt.Sprintf(`[{"id": %d}]`, record.AdministratorOption)
		case "held":
			kind = "article"
		}
		s.Ada.Send("PUT", article+"/embargo", fmt.Sprintf(`{"is_embargoed": true, "embargo_type": %q, "embargo_date": "2999-01-01",
			"embargo_title": "%s", "embargo_reason": "%[2]s", "embargo_options": %s}`, kind, w("text"), options)).Is(205)
	}
	published := slices.Contains([]string{"filed", "opened", "held", "public", "gone"}, state)
	if published || state == "review" {
		s.Ada.Do("POST", article+"/publish", nil).Is(201)
		s.Ada.Send("PATCH", article, fmt.Sprintf(`{"title": "%s title", "description": "%[1]s"}`, w("work"))).Is(205)
	}
	_, upload := s.Ada.Begin(article, w("open")+".bin", []byte("hello"))

	collection := location(s.Ada.Send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": "%s collection", "description": "%[1]s", "categories": [37],
		"authors": [{"name": "Collecting Author"}], "articles": [%s]}`, w("set"), number(article))))
	collector := fmt.Sprint(int64(s.Ada.Get(collection + "/authors").List()[0]["id"].(float64)))
	if published {
		s.Ada.Do("POST", collection+"/publish", nil).Is(201)
		s.Ada.Send("PATCH", collection, fmt.Sprintf(`{"title": "%s collection", "description": "%[1]s"}`, w("setwork"))).Is(205)
	}
	if state == "gone" {
		p.unpublish(s, article)
	}
	if state != "draft" && state != "private" {
		s.Ada.Do("POST", project+"/publish", nil).Is(201)
	}

	pl := &planted{link: map[string]string{}, edit: map[string]string{}, old: map[string]string{}, off: map[string]string{}}
	for kind, item := range map[string]string{"articles": article, "collections": collection} {
		for to, body := range map[*map[string]string]string{&pl.link: `{}`, &pl.edit: `{"read_only": false}`, &pl.old: `{"read_only": false}`, &pl.off: `{"read_only": false}`} {
			(*to)[kind] = s.Ada.Link(item, body)
			p.secrets[(*to)[kind]] = secret{"link", state}
		}
		s.ExpireLink(pl.old[kind])
		s.Ada.Do("DELETE", item+"/private_links/"+pl.off[kind], nil).Is(204)
	}
	p.secrets[upload[strings.LastIndexByte(upload, '-')+1:]] = secret{"upload", state}
	account := map[string]string{":review_id": "1", ":account_id": fmt.Sprint(reviewer.ID()), ":group_id": "1", ":role_id": fmt.Sprint(record.RoleReviewer)}
	pl.ids = map[string]map[string]string{
		"articles": maps(account, ":id", number(article), ":file_id", number(file), ":preview_id", number(file), ":author_id", author, ":category_id", "37", ":version", "1", ":version_id", "1",
			":link_id", pl.link["articles"], ":token", number(upload), ":part", "1", ":first", number(article), ":second", "versions", ":third", "1"),
		"collections": {":id": number(collection), ":author_id": collector, ":category_id": "37", ":article_id": number(article), ":version": "1", ":link_id": pl.link["collections"]},
		"projects":    {":id": number(project), ":article_id": number(article), ":file_id": number(file), ":note_id": number(note), ":user_id": fmt.Sprint(viewer.UserID())},
	}
	return pl
}

// plantBens gives Ben a public article with a file, in a public project and collection.
func plantBens(s *world.Server) *planted {
	project := s.Ben.Project("Ben's project")
	inside, article := s.Ben.InProject(project, `{"title": "Ben's article", "categories": [37], "authors": [{"name": "Ben's Author"}]}`)
	file := s.Ben.Upload(article, "ben.txt", []byte("ben"))
	collection := s.Ben.NewCollection("Ben's collection")
	s.Ben.Send("PATCH", collection, `{"authors": [{"name": "Ben's Author"}]}`).Is(205)
	for _, at := range []string{article, collection, project} {
		s.Ben.Do("POST", at+"/publish", nil).Is(201)
	}
	id := func(path string) string { return fmt.Sprint(world.LastNumber(s.T, path)) }
	return &planted{ids: map[string]map[string]string{
		"articles":    {":id": id(article), ":file_id": id(file), ":version": "1", ":version_id": "1"},
		"collections": {":id": id(collection), ":version": "1"},
		"projects":    {":id": id(project), ":article_id": id(inside)},
	}}
}

// unpublish withdraws an article.
func (p *plot) unpublish(s *world.Server, article string) {
	s.Ada.Send("POST", article+"/unpublish", fmt.Sprintf(`{"reason": "%s"}`, p.word("reason", "gone"))).Is(204)
}
