package browser

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var updateTree = flag.Bool("update-tree", false, "write what a screen reader has of a deposit to tests/testdata")

// heard is a node of the tree that a screen reader has of a page.
type heard struct {
	role, name, about, url string
	within                 string // name of the nearest group or landmark around it
	level                  int
	invalid                bool
	depth                  int
}

// operated are the roles of nodes that a person can do something with.
var operated = []string{"button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "spinbutton", "slider", "DisclosureTriangle", "Date"}

// tree is the tree of the page, without nodes that say nothing.
func (b *tab) tree() (list []heard) {
	b.t.Helper()
	full, err := chromedp.Call(b.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.t.Fatal(err)
	}
	text := func(v *accessibility.Value) string {
		var any any
		if v == nil || json.Unmarshal(v.Value, &any) != nil {
			return ""
		}
		return strings.Join(strings.Fields(fmt.Sprint(any)), " ")
	}
	nodes, depths := map[accessibility.NodeID]*accessibility.Node{}, map[accessibility.NodeID]int{}
	for _, n := range full.Nodes {
		nodes[n.NodeID] = n
	}
	var walk func(id accessibility.NodeID, depth int, within string)
	walk = func(id accessibility.NodeID, depth int, within string) {
		n := nodes[id]
		if n == nil || depths[id] > 0 {
			return
		}
		depths[id] = 1
		h := heard{role: text(n.Role), name: text(n.Name), about: text(n.Description), depth: depth, within: within}
		for _, p := range n.Properties {
			switch value := text(p.Value); p.Name {
			case "level":
				fmt.Sscan(value, &h.level)
			case "invalid":
				h.invalid = value == "true"
			case "url":
				h.url = value
			}
		}
		if !n.Ignored && !slices.Contains([]string{"none", "generic", "InlineTextBox", "LineBreak"}, h.role) {
			list = append(list, h)
			depth++
		}
		if slices.Contains([]string{"group", "search", "form", "region", "navigation", "radiogroup", "complementary", "table"}, h.role) && h.name != "" {
			within = h.name
		}
		for _, child := range n.ChildIDs {
			walk(child, depth, within)
		}
	}
	if len(full.Nodes) > 0 {
		walk(full.Nodes[0].NodeID, 0, "")
	}
	return list
}

var digits = regexp.MustCompile(`[0-9a-f]{32}|[0-9]+`)

// said is the tree as text, in which numbers are all alike.
func said(list []heard) string {
	var out strings.Builder
	for _, h := range list {
		if h.role == "StaticText" {
			continue
		}
		fmt.Fprintf(&out, "%s%s", strings.Repeat(" ", h.depth), h.role)
		if h.level > 0 && h.role == "heading" {
			fmt.Fprintf(&out, " %d", h.level)
		}
		if h.name != "" {
			fmt.Fprintf(&out, " %q", h.name)
		}
		if h.about != "" && h.about != h.name {
			fmt.Fprintf(&out, " (%s)", h.about)
		}
		if h.invalid {
			out.WriteString(" invalid")
		}
		out.WriteByte('\n')
	}
	lines := strings.SplitAfter(out.String(), "\n")
	for i, line := range lines {
		if !strings.Contains(line, "heading") {
			lines[i] = digits.ReplaceAllString(line, "0")
		}
	}
	return strings.Join(lines, "")
}

// faultsOf are the ways in which a tree tells its person too little.
func faultsOf(list []heard) (faults []string) {
	seen, level, tops := map[string]string{}, 0, 0
	for _, h := range list {
		if h.role == "heading" {
			if h.level == 1 {
				tops++
			}
			if h.level > level+1 {
				faults = append(faults, fmt.Sprintf("the heading %q is of level %d below one of level %d", h.name, h.level, level))
			}
			level = h.level
		}
		if h.invalid && h.about == "" {
			faults = append(faults, fmt.Sprintf("the %s %q is wrong, and nothing says why", h.role, h.name))
		}
		if !slices.Contains(operated, h.role) {
			continue
		}
		if h.name == "" {
			faults = append(faults, "a "+h.role+" has no name")
			continue
		}
		key := h.role + " " + h.name
		if h.role != "button" || h.within != "" && strings.Contains(strings.ToLower(h.within), strings.ToLower(h.name)) { // what a button acts on is in its own name, but for those of a search
			key += " in " + h.within
		}
		if to, twice := seen[key]; twice && (h.role != "link" || to != h.url) && h.role != "radio" {
			faults = append(faults, fmt.Sprintf("there are two of %s", key))
		}
		seen[key] = h.url
	}
	if tops != 1 {
		faults = append(faults, fmt.Sprintf("there are %d headings of level 1", tops))
	}
	return faults
}

// A deposit as a screen reader has it, from the new draft to the public page: everything that can be operated has a name
// that no other of its kind has, headings are in order, mistakes are said at their fields, and saving and uploading are
// announced. A golden file has the trees, so that a change of them is seen.
func TestTreeOfDeposit(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	b := open(t, s.URL)
	b.signIn(mail)
	var golden strings.Builder
	step := func(name string) []heard {
		t.Helper()
		list := b.tree()
		for _, fault := range faultsOf(list) {
			t.Errorf("%s: %s", name, fault)
		}
		fmt.Fprintf(&golden, "== %s\n%s", name, said(list))
		b.picture("tree-" + name)
		return list
	}
	announces := func(name, words string) {
		t.Helper()
		if !slices.ContainsFunc(b.tree(), func(h heard) bool { return h.role == "StaticText" && strings.Contains(h.name, words) }) {
			t.Errorf("%s: nothing says %q", name, words)
		}
	}
	b.allow("the server responded with a status of 422")
	b.at("/account/items")
	step("my data")
	b.do(chromedp.SendKeys(chromedp.CSS("#title"), "x"), chromedp.KeyEvent(kb.Enter))
	b.soon(`document.querySelector(".wrong") !== null`)
	if list := step("a title that is too short"); !slices.ContainsFunc(list, func(h heard) bool { return h.invalid && strings.Contains(h.about, "3 characters") }) {
		t.Error("the field does not say what is wrong with it")
	}
	b.do(chromedp.SetValue(chromedp.CSS("#title"), "Rainfall in Ny-Ålesund"), chromedp.Focus(chromedp.CSS("#title")), chromedp.KeyEvent(kb.Enter))
	b.soon(`document.querySelector(".rows.live") !== null`)
	edit := b.path()
	step("form")

	b.click(".tree summary")
	b.soon(`document.querySelector(".tree ul input") !== null`)
	b.do(chromedp.SendKeys(chromedp.CSS("#tree-filter"), "ecology animal"))
	b.click(".tree ul input")
	b.soon(savedNow)
	announces("saving", "Saved at")
	rows := get[int](b, `document.querySelectorAll("#authors .row").length`)
	b.click("#authors .rows + button")
	b.soon(fmt.Sprintf(`document.querySelectorAll("#authors .row").length === %d`, rows+1))
	step("two authors, and categories")
	b.do(chromedp.Focus(chromedp.CSS("#authors .row:last-of-type [data-part=name]")), chromedp.KeyEvent("Grace Hopper"), chromedp.Focus(chromedp.CSS("#title")))
	b.soon(`document.querySelector("#authors .row:last-of-type [data-part=id]").value !== ""`)

	files := strings.TrimSuffix(edit, "edit") + "files"
	b.at(files)
	b.until(`!document.querySelector("file-upload").hidden`)
	step("no files")
	dir := t.TempDir()
	for _, name := range []string{"rain.csv", "raw/rain.csv", "raw/snow.csv"} {
		at := filepath.Join(dir, "2024", name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		disk.WriteFile(t, at, []byte(name))
	}
	b.choose("#pick-folder", filepath.Join(dir, "2024"))
	b.until(uploadIs + ` === "done"`)
	announces("uploading", "3 of 3 files stored")
	b.until(`document.querySelectorAll("#own-files tbody tr").length === 3`)
	step("three files")

	// A file goes up by keyboard, and the arrow keeps the focus; another one is dragged onto the name of a folder.
	b.do(chromedp.Focus(chromedp.CSS(`[aria-label="Move 2024/raw/snow.csv up"]`)), chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelector('[data-folder="2024/raw"] tbody tr').textContent.includes("snow.csv")`)
	b.until(`document.activeElement.getAttribute("aria-label") === "Move 2024/raw/snow.csv up"`)
	announces("ordering", "The order was changed.")
	b.do(chromedp.Evaluate[chromedp.Void](`{
		const data = new DataTransfer(), row = document.querySelector('[data-folder="2024"] tbody tr'), to = document.querySelector('[data-folder="2024/raw"] caption');
		row.dispatchEvent(new DragEvent("dragstart", { bubbles: true, dataTransfer: data }));
		to.dispatchEvent(new DragEvent("dragover", { bubbles: true, cancelable: true, dataTransfer: data }));
		to.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
	}`))
	b.until(`document.querySelectorAll('[data-folder="2024/raw"] tbody tr').length === 3 && !document.querySelector('[data-folder="2024"]')`)

	b.at(edit)
	b.soon(`document.querySelector(".rows.live") !== null`)
	b.write("#description", "Daily sums")
	b.soon(savedNow)
	step("checklist")
	b.at(strings.TrimSuffix(edit, "edit") + "publish")
	step("publish")
	b.follow("main form .button")
	b.soon(`location.search.includes("published")`)
	public := strings.TrimPrefix(get[string](b, `[...document.querySelectorAll("aside a")].find((a) => a.textContent.includes("public page")).href`), s.URL)
	b.at(public)
	step("public page")

	at := disk.Testdata("deposit_tree.txt")
	if *updateTree {
		disk.WriteFile(t, at, []byte(golden.String()))
	}
	want, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	got, was := strings.Split(golden.String(), "\n"), strings.Split(string(want), "\n")
	for i := range got {
		if i >= len(was) || got[i] != was[i] {
			t.Fatalf("line %d of the tree is %q; if that is meant, -update-tree writes the file again", i+1, got[i])
		}
	}
}
