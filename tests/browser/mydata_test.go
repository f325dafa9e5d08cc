package browser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/doubles"
	"alcove/tests/world"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// soon waits until an expression is true in the page, which may be left meanwhile: it asks again and again, as a
// window behind another one draws nothing that it could wait for.
func (b *tab) soon(expression string) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if is, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.readyState === "complete" && Boolean(`+expression+`)`)); err == nil && is {
			return
		}
	}
	b.t.Fatalf("at %s it never is so that %s:\n%s", b.path(), expression, b.text())
}

// signIn signs a person in by the form.
func (b *tab) signIn(mail string) {
	b.t.Helper()
	b.at("/sign-in")
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), mail), chromedp.SendKeys(chromedp.CSS("#password"), world.Password), chromedp.KeyEvent(kb.Enter))
	b.soon(`!location.pathname.startsWith("/sign-in")`)
}

// write replaces the text of a field with the keyboard, and leaves the field.
func (b *tab) write(selector, text string) {
	b.t.Helper()
	told(b, chromedp.Evaluate[any](fmt.Sprintf(`{ const e = document.querySelector(%q); e.focus(); e.select(); } 1`, selector)))
	b.do(chromedp.KeyEvent(text), chromedp.KeyEvent(kb.Tab))
}

// click presses what a selector finds, without waiting for anything.
func (b *tab) click(selector string) {
	b.t.Helper()
	told(b, chromedp.Evaluate[any](fmt.Sprintf(`setTimeout(() => document.querySelector(%q).click()), 1`, selector)))
}

const savedNow = `document.querySelector("#saved").textContent.startsWith("Saved at")`

// The form of an item saves itself. Two windows with one draft lose nothing: the second says that it was changed
// elsewhere and stops, then shows both values, and in the end there is the one that its person chose.
func TestEditInBrowser(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	me, _ := s.Depositor("Lovelace")
	draft := me.Article(`{"title": "Rainfall, by hand"}`)
	form := strings.TrimPrefix(draft, "/v2") + "/edit"
	one, two := open(t, s.URL), open(t, s.URL)
	for _, b := range []*tab{one, two} {
		b.signIn("lovelace@example.org")
		b.at(form)
		b.soon(`document.querySelector(".rows.live") !== null`)
	}
	one.write("#title", "Rainfall, the first window")
	one.write("#tags", "rain")
	one.soon(savedNow)
	one.write("#description", "Daily sums")
	one.soon(savedNow + ` && document.querySelector("#description").value === "Daily sums"`)
	s.Soon("the description is stored", func() bool { return me.Get(draft).Object()["description"] == "Daily sums" })
	one.at(form)
	if got := get[string](one, `["title", "tags", "description"].map((n) => document.getElementById(n).value).join("|")`); got != "Rainfall, the first window|rain|Daily sums" {
		t.Errorf("after a reload it says %q", got)
	}
	one.soon(`document.querySelector(".rows.live") !== null`)
	one.write("#authors [data-part=name]", "Ada Lovelace")
	one.write("#authors [data-part=orcid_id]", "0000-0002-1825-0097")
	one.do(chromedp.Focus(chromedp.CSS("#title")))
	one.soon(`document.querySelector("#authors [data-part=id]").value !== ""`)
	if people := me.Get(draft).Object()["authors"].([]any); len(people) != 1 || people[0].(map[string]any)["orcid_id"] != "0000-0002-1825-0097" {
		t.Errorf("the authors are %v", people)
	}

	// A refusal is said in the words of the form, and nothing is stored.
	one.allow("the server responded with a status of 422")
	one.write("#title", "x")
	one.soon(`document.querySelector("#saved").textContent === "Not saved: A title has at least 3 characters" && document.querySelector("#title").getAttribute("aria-invalid") === "true"`)
	one.write("#title", "Rainfall, the first window")
	one.soon(`document.querySelector("#title").getAttribute("aria-invalid") === null && ` + savedNow)

	// The second window has the draft of before.
	two.allow("the server responded with a status of 412")
	two.write("#title", "Rainfall, the second window")
	two.soon(`document.querySelector("#saved").textContent.includes("changed in another window")`)
	if got := me.Get(draft).Object()["title"]; got != "Rainfall, the first window" {
		t.Errorf("the title is %q", got)
	}
	two.click("#saved button")
	two.soon(`document.body.innerText.includes("Saved meanwhile: Rainfall, the first window")`)
	if got := get[string](two, `["title", "tags", "description"].map((n) => document.getElementById(n).value).join("|")`); got != "Rainfall, the second window|rain|Daily sums" {
		t.Errorf("the second window shows %q", got)
	}
	two.click("#edit > p > .button:not(.second)")
	two.soon(`location.search.includes("saved=1")`)
	if doc := me.Get(draft).Object(); doc["title"] != "Rainfall, the second window" || fmt.Sprint(doc["tags"]) != "[rain]" || doc["description"] != "Daily sums" || len(doc["authors"].([]any)) != 1 {
		t.Errorf("in the end it is %v", doc)
	}

	// Categories are chosen in a tree, and rows come and go.
	two.soon(`document.querySelector(".tree summary") !== null`)
	two.click(".tree summary")
	two.soon(`document.querySelector(".tree ul input") !== null`)
	two.do(chromedp.SendKeys(chromedp.CSS("#tree-filter"), "ecology animal"))
	two.click(".tree ul input")
	two.soon(savedNow)
	if got := fmt.Sprint(me.Get(draft).Object()["categories"]); !strings.Contains(got, "cology") {
		t.Errorf("the categories are %s", got)
	}
	before := get[int](two, `document.querySelectorAll("#related .row").length`)
	two.click("#related .rows + button")
	two.soon(fmt.Sprintf(`document.querySelectorAll("#related .row").length === %d`, before+1))
}

// peoplePages are pages of a person who has something of everything.
func peoplePages(t *testing.T, s *world.Server) (mail string, pages []place) {
	t.Helper()
	group := s.Group("Limnology", 0)
	ada, _ := s.Depositor("Lovelace")
	grace, _ := s.Depositor("Hopper")
	s.Joins(ada, group)
	s.Role(ada, group, "administrator")
	add := func(name, at string) { pages = append(pages, place{name: name, at: at}) }
	below := func(api string) string { return strings.TrimPrefix(api, "/v2") }
	draft := ada.Article(`{"title": "Rainfall <i>in</i> Ny-Ålesund", "description": "Daily sums", "tags": ["rain"], "categories": [37], "funding_list": [{"title": "NSF 123"}], "related_materials": [{"identifier": "https://example.org/paper"}], "authors": [{"name": "Ada Lovelace", "orcid_id": "0000-0002-1825-0097"}]}`)
	ada.Upload(draft, "rain.csv", []byte("day,mm\n1,2\n"))
	ada.Link(draft, "")
	empty := ada.Article(`{"title": "Nothing yet"}`)
	public := ada.Article(`{"title": "Snow depth", "authors": [{"name": "Ada Lovelace"}]}`)
	ada.Do("POST", public+"/publish", nil).Is(201)
	col := ada.Wrote("/v2/account/collections", fmt.Sprintf(`{"title": "Weather of the Arctic", "authors": [{"name": "Ada Lovelace"}], "articles": [%d]}`, world.LastNumber(t, public)))
	s.AsksForReview(group, true)
	ada.Send("PATCH", draft, fmt.Sprintf(`{"group_id": %d}`, group)).Is(205)
	ada.Do("POST", draft+"/publish", nil).Is(201)

	project := ada.Project("Stations of the north")
	ada.Invite(project, grace, "collaborator")
	ada.Send("POST", project+"/collaborators", `{"email": "new@example.org", "role_name": "viewer"}`).Is(201)
	note := below(ada.Send("POST", project+"/notes", `{"text": "Ask Grace about the masts"}`).Is(201).Header.Get("Location")[len(s.URL):])
	inside, _ := ada.InProject(project, `{"title": "Masts", "description": "How tall they are"}`)
	foreign := grace.Project("Masts of the south")
	grace.Send("POST", foreign+"/collaborators", `{"email": "lovelace@example.org", "role_name": "viewer"}`).Is(201)

	add("items", "/account/items")
	add("items-search", "/account/items?q=nothing+found")
	for name, item := range map[string]string{"draft": draft, "empty": empty, "public": public, "collection": col} {
		for _, page := range []string{"edit", "publish", "unpublish", "delete", "links"} {
			add(name+"-"+page, below(item)+"/"+page)
		}
	}
	add("preview", below(draft)+"/preview")
	add("files", below(draft)+"/files")
	add("files-empty", below(empty)+"/files")
	add("collections", "/account/collections")
	add("collection-items", below(col)+"/articles?q=rainfall")
	add("projects", "/account/projects")
	add("invited", below(foreign))
	add("invited-members", below(foreign)+"/members")
	for _, page := range []string{"", "/notes", "/members", "/members?q=hopper", "/edit", "/publish", "/unpublish", "/delete"} {
		add("project"+strings.ReplaceAll(strings.ReplaceAll(page, "/", "-"), "?", "-"), below(project)+page)
	}
	add("note", note)
	add("project-item", below(inside))
	add("bulk", fmt.Sprintf("/account/bulk?item=%d&item=%d", world.LastNumber(t, draft), world.LastNumber(t, empty)))
	add("import", "/account/items/import")
	add("reviews", "/account/reviews")
	list := ada.Get("/v2/account/institution/reviews").List()
	if len(list) > 0 {
		add("review", fmt.Sprintf("/account/reviews/%.0f", list[0]["id"]))
	}
	for _, page := range []string{"", "/applications", "/sessions", "/password", "/email", "/passkeys", "/second-factor", "/profile", "/sign-in-methods"} {
		add("account"+strings.ReplaceAll(page, "/", "-"), "/account"+page)
	}
	own := filepath.Join(s.Cfg.Data, "pages")
	if err := os.MkdirAll(own, 0o700); err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, filepath.Join(own, "agreement.md"), []byte("# We agree\n\nThe files may be kept for ever.\n"))
	s.Restart() // which reads it
	add("agreement", "/agreement")
	slices.SortFunc(pages, func(a, b place) int { return strings.Compare(a.name, b.name) })
	return "lovelace@example.org", pages
}

// Pages of people fit the window, keep the rules of axe at each width, light and dark, and name every control.
func TestPeoplePages(t *testing.T) {
	t.Parallel()
	s := world.Start(t, doubles.StartMail(t, false).Used)
	mail, pages := peoplePages(t, s)
	b := open(t, s.URL)
	b.signIn(mail)
	widths, themes := []int64{320}, []bool{false}
	if *axe != "" {
		widths, themes = []int64{360, 1440}, []bool{false, true}
	}
	for _, p := range pages {
		for _, dark := range themes {
			b.dark(dark)
			for _, wide := range widths {
				b.width(wide)
				b.at(p.at)
				told(b, chromedp.Evaluate[any](`document.querySelectorAll("main details").forEach(e => { e.open = true; }); 1`))
				if over := get[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
					t.Errorf("%s is %d pixels too wide at %d", p.name, over, wide)
				}
				b.picture(fmt.Sprintf("people-%s-%d-%v", p.name, wide, dark))
				if *axe != "" {
					b.rules(fmt.Sprintf("%s at %d, dark %v", p.name, wide, dark))
				}
			}
		}
		b.named(p.name)
	}
	// Forms that come back with mistakes, or with what another window saved.
	b.allow("422")
	b.allow("412")
	at := map[string]string{}
	for _, p := range pages {
		at[p.name] = p.at
	}
	for _, back := range []struct{ name, at, write string }{
		{"email", "/account/email", `email.value = "x"`},
		{"profile", "/account/profile", `orcid.value = "0000"`},
		{"draft", at["draft-edit"], `title.value = "x"; f.namedItem("authors.0.orcid").value = "1"`},
		{"draft in two windows", at["draft-edit"], `tag.value = "x"; made.value = ""; title.value = "Another"; tags.value = "snow"; funding.value = "A fund"`},
		{"project", at["project-edit"], `title.value = "x"`},
		{"project in two windows", at["project-edit"], `tag.value = "x"; title.value = "Another"; funding_list.value = "A fund"`},
		{"note in two windows", at["note"], `tag.value = "x"; text.value = "Another text"`},
	} {
		for _, dark := range themes {
			b.dark(dark)
			for _, wide := range widths {
				b.width(wide)
				b.at(back.at)
				// The form is sent past its script, as by a browser that has none.
				told(b, chromedp.Evaluate[any](fmt.Sprintf(`(() => { const form = document.querySelector("main form[method=post]:has([name=tag]), main form[method=post]"); const f = form.elements; with (f) { %s } HTMLFormElement.prototype.submit.call(form); return 1 })()`, back.write)))
				b.soon(`document.querySelector("main .wrong[role=alert]") !== null`)
				if over := get[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
					t.Errorf("%s is %d pixels too wide at %d when it comes back", back.name, over, wide)
				}
				b.picture(fmt.Sprintf("people-back-%s-%d-%v", strings.ReplaceAll(back.name, " ", "-"), wide, dark))
				if *axe != "" {
					b.rules(fmt.Sprintf("%s when it comes back, at %d, dark %v", back.name, wide, dark))
				}
			}
		}
		b.named(back.name + " when it comes back")
	}
	for _, at := range []string{"/account/password", "/account/second-factor"} {
		for _, wide := range widths {
			b.width(wide)
			b.at(at)
			b.click("main form[method=post] button")
			b.soon(`document.querySelector("main [aria-invalid=true]") !== null`)
			if *axe != "" {
				b.rules(fmt.Sprintf("%s with mistakes at %d", at, wide))
			}
		}
		b.named(at + " with mistakes")
	}
	t.Logf("%d pages", len(pages))
}

// The same pages are valid HTML.
func TestPeopleValidHTML(t *testing.T) {
	if *vnu == "" {
		t.Skip("make check-site has the validator")
	}
	t.Parallel()
	s := world.Start(t)
	mail, pages := peoplePages(t, s)
	b := s.SignedIn(mail, world.Password)
	dir := t.TempDir()
	for n, p := range pages {
		disk.WriteFile(t, filepath.Join(dir, fmt.Sprintf("%d-%s.html", n, p.name)), b.Open(p.at).Is(200).Bytes)
	}
	for n, p := range refusedPages(t, s, b, pages) {
		disk.WriteFile(t, filepath.Join(dir, fmt.Sprintf("refused-%d.html", n)), p)
	}
	validate(t, dir)
}

// refusedPages are forms that come back with mistakes, and pages that show what several items become.
func refusedPages(t *testing.T, s *world.Server, b *world.Browser, pages []place) (list [][]byte) {
	t.Helper()
	at := map[string]string{}
	for _, p := range pages {
		at[p.name] = p.at
	}
	add := func(path string, status int, fields string) {
		t.Helper()
		f, err := url.ParseQuery(fields)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b.Post(path, f).Is(status).Bytes)
	}
	items := strings.Replace(at["bulk"][strings.IndexByte(at["bulk"], '?')+1:], "&", "&item=999&", 1)
	add("/account/items", 422, "title=x")
	add("/account/projects", 422, "title=x")
	add(at["project"], 422, "title=x")
	add(at["project-edit"], 422, "title=x")
	add(at["project-members"], 422, "do=invite&role=viewer&email=x")
	add(at["project-notes"], 422, "text=x")
	add(at["note"], 422, "text=Another+text")
	add(at["project-item"], 422, "")
	add(at["draft-edit"], 422, "title=x&authors.0.name=Ada")
	add(at["draft-edit"], 412, "tag=x&title=Another+title&tags=snow")
	add("/account/bulk", 422, "do=preview")
	add("/account/bulk", 200, "do=preview&license=2&tags=rain%0D%0Asnow&embargo=file&until=2001-01-01&"+items)
	add("/account/bulk", 200, "do=preview&license=2&"+items)
	add("/account/bulk", 200, "do=find&sought=ecology&categories=37&"+items)
	return list
}

// controls are the roles of which each has a name.
var controls = []string{"button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "spinbutton", "Date", "DisclosureTriangle", "progressbar", "option", "form", "navigation", "table"}

// named answers the tree of the page as screen readers have it, in which every control has a name.
func (b *tab) named(name string) string {
	b.t.Helper()
	got, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.t.Fatal(err)
	}
	text := func(v *accessibility.Value) (s string) {
		if v != nil && json.Unmarshal([]byte(v.Value), &s) != nil {
			s = string(v.Value)
		}
		return s
	}
	var tree strings.Builder
	for _, n := range got.Nodes {
		role, called := text(n.Role), strings.TrimSpace(text(n.Name))
		if n.Ignored || !slices.Contains(controls, role) {
			continue
		}
		fmt.Fprintf(&tree, "%s: %s\n", role, called)
		if called == "" && role != "form" && role != "table" && role != "option" && role != "navigation" {
			b.t.Errorf("%s has a %s without a name:\n%s", name, role, tree.String())
		}
	}
	if tree.Len() == 0 {
		b.t.Errorf("%s has no controls", name)
	}
	if *pictures != "" {
		disk.WriteFile(b.t, filepath.Join(*pictures, "tree-"+strings.ReplaceAll(name, "/", "-")+".txt"), []byte(tree.String()))
	}
	return tree.String()
}

// A person deposits with the keyboard alone: title, author, file, publication. The answer of the file dialog is put into
// the field that opens it.
func TestDepositWithKeyboard(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	me, _ := s.Depositor("Lovelace")
	b := open(t, s.URL)
	b.at("/sign-in")
	b.walk("#email")
	b.do(chromedp.KeyEvent("lovelace@example.org"))
	b.walk("#password")
	b.do(chromedp.KeyEvent(world.Password), chromedp.KeyEvent(kb.Enter))
	b.soon(`location.pathname === "/account"`)
	b.walk(`main a[href="/account/items"]`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.soon(`location.pathname === "/account/items"`)
	b.named("items")
	b.walk(".begin input[name=title]")
	b.do(chromedp.KeyEvent("Rainfall, by hand"), chromedp.KeyEvent(kb.Enter))
	b.soon(`location.pathname.endsWith("/edit") && document.querySelector(".rows.live") !== null`)
	form := b.path()
	tree := b.named("edit")
	for _, control := range []string{"textbox: Title", "textbox: Description", "textbox: Family name or organisation", "textbox: Given name", "textbox: ORCID iD or ROR ID", "combobox: Type", "radio: CC0", "button: Save", "link: Publish version 1", "link: Files of this item", "textbox: Keywords", "button: Add a row"} {
		if !strings.Contains(tree, control) {
			t.Errorf("the form has no %q:\n%s", control, tree)
		}
	}
	b.walk("#authors [data-part=name]")
	b.do(chromedp.KeyEvent("Ada Lovelace"))
	b.walk("#tags")
	b.do(chromedp.KeyEvent("rain"))
	b.soon(savedNow)
	s.Soon("the author is stored", func() bool {
		return len(me.Get("/v2" + strings.TrimSuffix(form, "/edit")).Object()["authors"].([]any)) == 1
	})
	b.walk(`#files a`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.soon(`location.pathname.endsWith("/files") && document.querySelector("file-upload") && !document.querySelector("file-upload").hidden`)
	b.named("files")
	b.walk("#pick-files")
	file := filepath.Join(t.TempDir(), "rain.csv")
	if err := os.WriteFile(file, []byte("day,mm\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.choose("#pick-files", file)
	b.soon(uploadIs + ` === "done"`)
	b.at(b.path())
	b.walk(`main .kind a`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.soon(`location.pathname.endsWith("/edit")`)
	b.walk(`aside a.button`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.soon(`location.pathname.endsWith("/publish")`)
	tree = b.named("publish")
	if !strings.Contains(tree, "button: Publish version 1") {
		t.Errorf("the page to publish has\n%s", tree)
	}
	b.walk(`main form button.button`)
	b.do(chromedp.KeyEvent(kb.Enter))
	b.soon(`location.search.includes("published=1")`)
	b.holds("It is published")
	item := strings.Replace("/v2"+strings.TrimSuffix(form, "/edit"), "/account", "", 1)
	if doc := s.Anon.Get(item).Is(200).Object(); doc["title"] != "Rainfall, by hand" || len(doc["files"].([]any)) != 1 {
		t.Errorf("published is %v", doc)
	}
}
