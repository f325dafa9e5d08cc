package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// newcomer is a person who has the address of the repository and a sign-in, and finds everything else by the words on
// the pages. It counts what it does: links and buttons pressed, fields written or chosen.
type newcomer struct {
	*tab
	actions int
}

// mark finds the first visible thing of some kinds whose words are those given, or begin with them, and marks it.
func (n *newcomer) mark(kinds, words string) string {
	n.t.Helper()
	text, err := json.Marshal(words)
	if err != nil {
		n.t.Fatal(err)
	}
	n.actions++
	found := fmt.Sprintf(`(() => {
		document.querySelectorAll("[data-task]").forEach(e => e.removeAttribute("data-task"));
		const wanted = %s, said = e => (e.getAttribute("aria-label") || e.innerText || e.value || "").trim().replace(/\s+/g, " ");
		const all = [...document.querySelectorAll(%q)].filter(e => e.checkVisibility() && !e.disabled);
		const one = all.find(e => said(e) === wanted) || all.find(e => said(e).startsWith(wanted));
		if (!one) return false;
		const field = one.tagName === "LABEL" ? one.control : one;
		(field || one).setAttribute("data-task", "");
		return true;
	})()`, text, kinds)
	if !get[bool](n.tab, found) {
		n.t.Fatalf("at %s a newcomer looks for %q among %s, and sees\n%s", n.path(), words, kinds, n.text())
	}
	return "[data-task]"
}

// opens presses a link or a button that leads to another page.
func (n *newcomer) opens(words ...string) {
	n.t.Helper()
	for _, w := range words {
		n.follow(n.mark("a, button", w))
	}
}

// presses presses something that stays on the page.
func (n *newcomer) presses(words string) {
	n.t.Helper()
	n.do(chromedp.Click(chromedp.CSS(n.mark("a, button, summary, label", words))))
}

// writes writes into fields by their labels.
func (n *newcomer) writes(pairs ...string) {
	n.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		field := n.mark("label", pairs[i])
		if get[bool](n.tab, `document.querySelector("[data-task]").type === "date"`) { // how a day is typed is the browser's affair
			told(n.tab, chromedp.Evaluate[any](fmt.Sprintf(`{ const e = document.querySelector("[data-task]"); e.value = %q; e.dispatchEvent(new Event("input", { bubbles: true })); } 1`, pairs[i+1])))
			continue
		}
		n.tab.write(field, pairs[i+1])
	}
}

// A new user does ten tasks with nothing but the address, a sign-in and what the pages say. testdata/tasks.txt has how
// many actions each takes.
func TestTenTasks(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.RepositoryName = "Northern Data" })
	ada, grace, mary := s.Member("Lovelace"), s.Member("Hopper"), s.Member("Somerville")
	s.Operate("account_edit", map[string]any{"account": mary, "admin": true}, nil)
	group := s.Group("Limnology", 0)
	s.AsksForReview(group, true)
	signedIn := func(mail string) *newcomer {
		n := &newcomer{tab: open(t, s.URL)}
		n.at("/")
		n.opens("Sign in")
		n.do(chromedp.SendKeys(chromedp.CSS("#email"), mail), chromedp.SendKeys(chromedp.CSS("#password"), world.Password))
		n.press(kb.Enter)
		return n
	}
	var table strings.Builder
	task := func(name string, n *newcomer, do func()) {
		n.opens("Northern Data")
		n.actions = 0
		do()
		fmt.Fprintf(&table, "%-36s %2d\n", name, n.actions)
		n.picture("task " + name)
	}
	a, m := signedIn(ada), signedIn(mary)

	dir := filepath.Join(t.TempDir(), "measured")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		disk.WriteFile(t, filepath.Join(dir, fmt.Sprintf("day%d.csv", i)), fmt.Appendf(nil, "hour,mm\n1,%d\n", i))
	}
	edit := ""
	task("deposit ten files", a, func() {
		a.opens("My data")
		a.writes("Title of the new item", "Rain in the north")
		a.opens("New item")
		edit = a.path()
		a.opens("Files of this item")
		a.actions++
		a.drop(dir)
		a.soon(`document.querySelector("main").innerText.includes("10 files")`)
		a.soon(`document.querySelector("main").innerText.includes("This page may be closed")`)
		a.opens("Rain in the north")
		a.writes("Description", "Daily sums of rain.")
		a.soon(savedNow)
	})
	task("add a co-author", a, func() {
		a.opens("My data", "Rain in the north")
		a.presses("Add a row: People")
		n := a.actions
		a.do(chromedp.KeyEvent("Mary Anning"))
		a.actions = n + 1
	})
	task("hold the files back", a, func() {
		a.opens("My data", "Rain in the north")
		if got := get[string](a.tab, `[...document.querySelectorAll("#authors [data-part=name]")].map((e) => e.value).join()`); !strings.HasPrefix(got, "Tester,Anning") {
			t.Errorf("the authors are %s", got)
		}
		a.presses("The files")
		a.writes("Until", "2099-05-04")
		a.soon(savedNow)
	})
	secret := ""
	task("share with a reviewer", a, func() {
		a.opens("My data", "Rain in the north", "Private links", "Make link")
		secret = regexp.MustCompile(`/s/\S+`).FindString(a.text())
	})
	reader := open(t, s.URL)
	reader.at(secret)
	reader.holds("Rain in the north")

	a.at(edit)
	a.opens("Publish")
	a.follow("main form button.button")
	task("mend a typo after publishing", a, func() {
		a.opens("My data", "Rain in the north")
		a.writes("Title", "Rain in the far north")
		a.soon(savedNow)
		a.opens("Publish")
		a.opens("Publish")
		a.holds("Rain in the far north")
	})
	task("find how much it was used", a, func() {
		a.opens("My data")
		a.holds("view")
	})
	task("make a token and use it", a, func() {
		a.opens("Lovelace Tester", "Applications and tokens")
		a.writes("Name of the token", "My script")
		a.opens("Make the token")
		token := get[string](a.tab, `document.getElementById("secret").textContent.trim()`)
		world.Client{Server: s, Token: token}.Get("/v2/account/articles").Is(200)
	})
	task("invite a colleague", m, func() {
		m.opens("Somerville Tester", "Administration", "People", "Invite people")
		m.writes("Mail address", "new@example.org")
		m.opens("Invite")
		m.holds("new@example.org", "/one-time/")
	})
	g := signedIn(grace)
	s.Operate("account_edit", map[string]any{"account": grace, "group_id": group}, nil)
	g.opens("My data")
	g.writes("Title of the new item", "Depths of ponds")
	g.opens("New item", "Hand in")
	g.follow("main form button.button")
	task("approve a review", m, func() {
		m.opens("Somerville Tester", "Reviews", "Depths of ponds")
		m.writes("Comment", "It is good.")
		m.opens("Approve and publish")
		m.holds("Approved")
	})
	task("hand over a leaver's items", m, func() {
		m.opens("Somerville Tester", "Administration", "People", "Hopper Tester", "Hand over")
		m.writes("To whom", ada)
		m.opens("See")
		m.opens("Hand over all of it")
		m.holds("Everything was handed over.")
	})
	const golden = "../testdata/tasks.txt"
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != table.String() {
		t.Errorf("the tasks take\n%s%s has (%v)\n%s", table.String(), golden, err, want)
	}
}

// Parts of an item that have an address of their own, many authors and the embargo, are saved by the form as the rest is,
// and an author who is still being written when a link is followed is saved before that.
func TestFormSavesParts(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	me, _ := s.Depositor("Lovelace")
	at := me.Article(`{"title": "Measured by many"}`)
	me.Send("PUT", at+"/authors", `{"authors": `+world.JSONList(11, `{"name": "Person #"}`)+`}`).Is(205)
	b := open(t, s.URL)
	b.signIn("lovelace@example.org")
	b.at(strings.TrimPrefix(at, "/v2") + "/edit")
	b.write("#authors .row:nth-child(11) [data-part=name]", "Grace Hopper")
	b.click("[name=embargo_type][value=file]")
	b.soon(`document.querySelector("[name=embargo_type][value=file]").checked && document.querySelector("#saved").textContent === document.querySelector("#saved").dataset.unsaved`)
	b.follow(`a[href="/account"]`)
	got := me.Get(at).Is(200).Object()
	if names := fmt.Sprint(got["authors"]); !strings.Contains(names, "Grace Hopper") || !strings.Contains(names, "Person 9") || got["embargo_type"] != "file" {
		t.Errorf("stored: %v, %v", names, got["embargo_type"])
	}
}

// The form saves what is written while it saves after that: the page never says that all is saved when it is not, and
// a link that was pressed is followed then.
func TestFormSavesWhatComesMeanwhile(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	me, _ := s.Depositor("Lovelace")
	at := me.Article(`{"title": "Measured twice", "authors": [{"name": "Ada Lovelace"}]}`)
	b := open(t, s.URL)
	b.signIn("lovelace@example.org")
	b.at(strings.TrimPrefix(at, "/v2") + "/edit")
	const name, elsewhere = "#authors .row:nth-child(1) [data-part=name]", `document.querySelector("[data-key=title] input").focus();`
	// held lets the next PATCH wait until release is called.
	const held = `const plain = fetch; window.release = null; window.fetch = (...a) => a[1].method !== "PATCH" ? plain(...a) :
		new Promise((answer) => { window.release = () => { window.fetch = plain; answer(plain(...a)); }; });`
	do := func(script string) {
		t.Helper()
		told(b, chromedp.Evaluate[any]("{ "+script+" } 1"))
	}
	stored := func(want string) {
		t.Helper()
		if got := fmt.Sprint(me.Get(at).Is(200).Object()); !strings.Contains(got, want) {
			t.Errorf("%s is not stored: %s", want, got)
		}
	}
	b.write(name, "Grace")
	do(held + elsewhere)
	b.soon(`window.release`)
	b.write(name, "Grace Hopper")
	do("release();" + elsewhere)
	b.soon(savedNow)
	stored("full_name:Ada Grace Hopper")

	do(held)
	b.write("[data-key=title] input", "Measured three times")
	do(`document.querySelector('a[href="/account"]').click();`)
	b.soon(`window.release`)
	b.write("[data-key=title] input", "Measured four times")
	do("release();")
	b.soon(`location.pathname === "/account"`)
	stored("title:Measured four times")
}
