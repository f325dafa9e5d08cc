package browser

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A reader comes to the first page, finds an item, narrows, reads, copies the citation, looks at a
// file and stores it.
func TestReaderInBrowser(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	b := open(t, s.URL)
	for _, name := range []string{"clipboard-write", "clipboard-read"} {
		b.permit(name)
	}
	b.at("/").holds("Snow depth at station 24", "Grace Hopper")
	b.do(chromedp.KeyEvent("/"))
	if got := get[string](b, "document.activeElement.name"); got != "q" {
		t.Errorf("the key / leads to %q", got)
	}
	b.do(chromedp.KeyEvent("rainf"), chromedp.WaitVisible(chromedp.CSS(".suggested a")))
	b.do(chromedp.KeyEvent("all"))
	b.press(kb.Enter)
	b.holds("Rainfall in Ny-Ålesund, 1974–2026", "1 result")

	b.at("/search?q=snow")
	before := get[int](b, "document.querySelectorAll('.card').length")
	b.follow(`nav.facet a[href*="type=figure"]`)
	b.holds("Figure")
	if now := get[int](b, "document.querySelectorAll('.card').length"); now >= before || now == 0 {
		t.Errorf("%d cards, narrowed %d", before, now)
	}
	b.follow(".chosen a")
	if got := b.path(); got != "/search?q=snow" {
		t.Errorf("without the filter the search is at %s", got)
	}

	b.at("/search?q=rainfall").follow(".card a")
	if got := decoded(b.path()); got != decoded(s.item) {
		t.Errorf("the item is at %s, want %s", got, s.item)
	}
	b.holds("Ada Lovelace", "Daily sums of rain", "rainfall.csv", "raw/", "CC BY 4.0", "Version 2")
	b.do(chromedp.Click(chromedp.CSS(".cite details[open] copy-text button")))
	told(b, chromedp.Poll[bool](`document.querySelector(".cite details[open] copy-text button").textContent === "Copied"`))
	copied := get[string](b, "navigator.clipboard.readText()")
	if want := get[string](b, `document.querySelector(".cite details[open] p").textContent`); copied != want || !strings.Contains(copied, "Lovelace") {
		t.Errorf("copied %q, want %q", copied, want)
	}
	b.follow(`a[href*="folder=raw"]`)
	b.holds("plots/", "read.py")
	b.at(s.item).follow(`a[aria-label$="rainfall.csv"][href$="/view"]`)
	b.holds("station", "1974-01-01")
	if got, want := b.stored(".line a.button"), s.Anon.Get(strings.TrimSuffix(b.path(), "/view")).Is(200).Bytes; got != sum(want) {
		t.Errorf("the browser stored a file of MD5 %s, want %s", got, sum(want))
	}
}

// Everything can be done without script: search, narrow, turn the page, open, read, look at a file, store it, cite.
func TestWithoutScript(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	b := open(t, s.URL)
	b.script(false)
	b.at("/")
	b.do(chromedp.SendKeys(chromedp.CSS("main input[name=q]"), "snow"))
	b.follow("main .searchbox button")
	if got := b.path(); !strings.HasPrefix(got, "/search?q=snow") {
		t.Fatalf("the search is at %s", got)
	}
	b.follow(`nav.pager a[rel=next]`)
	b.follow(`nav.pager a[rel=prev]`)
	b.follow(`nav.facet a[href*="type=figure"]`)
	b.at("/search?q=rainfall").follow(".card a")
	b.holds("Lovelace", "rainfall.csv")
	if n := get[int](b, `[...document.querySelectorAll("[hidden]")].filter(e => e.getClientRects().length).length`); n > 0 {
		t.Errorf("%d parts that need a script are shown without one", n)
	}
	b.do(chromedp.Click(chromedp.CSS(".cite details:not([open]) summary")))
	b.follow(`a[href*="folder=raw"]`)
	b.follow(`a[aria-label$="read.py"][href$="/view"]`)
	b.holds("def total(path)")
	if got, want := b.stored(".line a.button"), s.Anon.Get(strings.TrimSuffix(b.path(), "/view")).Is(200).Bytes; got != sum(want) {
		t.Errorf("the browser stored a file of MD5 %s, want %s", got, sum(want))
	}
}

// With a keyboard alone the same is possible: the first stop leads past the head of the page, each stop
// can be seen, and what is done with a click is done with a key.
func TestWithKeyboard(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	b := open(t, s.URL)
	b.at("/")
	b.do(chromedp.KeyEvent(kb.Tab))
	if got := get[string](b, "document.activeElement.hash"); got != "#main" {
		t.Errorf("the first stop leads to %q", got)
	}
	b.do(chromedp.KeyEvent(kb.Enter), chromedp.KeyEvent("/"), chromedp.KeyEvent("snow"))
	b.press(kb.Enter)
	b.walk(`nav.facet a[href*="type=figure"]`)
	b.press(kb.Enter)
	b.walk(".chosen a")
	b.press(kb.Enter)
	b.walk("nav.pager a[rel=next]")
	b.press(kb.Enter)
	b.at("/search?q=rainfall").walk(".card a")
	b.press(kb.Enter)
	b.walk(`a[href*="folder=raw"]`)
	b.at(s.item).walk(".cite details:not([open]) summary")
	b.do(chromedp.KeyEvent(kb.Enter))
	if got := get[bool](b, "document.activeElement.parentNode.open"); !got {
		t.Error("a style of citation does not open")
	}
	b.at(s.item).walk(`a[aria-label$="rainfall.csv"][href$="/view"]`)
	b.press(kb.Enter)
	b.holds("1974-01-01")
	b.walk(".line a.button")
}

// No page leaves the server, violates its policy or is wider than the window. The whole matrix of
// widths and themes is make check-site.
func TestPagesInBrowser(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	b := open(t, s.URL)
	widths, themes := []int64{320}, []bool{false}
	if *pictures != "" {
		widths, themes = []int64{320, 360, 800, 1440}, []bool{false, true}
	}
	for _, p := range s.pages {
		if p.refused {
			b.allow(p.at)
		}
		for _, dark := range themes {
			b.dark(dark)
			for _, wide := range widths {
				b.width(wide)
				b.at(p.at)
				if over := get[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
					t.Errorf("%s is %d pixels too wide at %d", p.name, over, wide)
				}
				b.picture(fmt.Sprintf("%s-%d-%s", p.name, wide, map[bool]string{false: "light", true: "dark"}[dark]))
			}
		}
	}
}

// press presses a key, and waits for the page that it leads to.
func (b *tab) press(key string) {
	b.t.Helper()
	if _, err := chromedp.RunResponse(b.ctx, chromedp.KeyEvent(key)); err != nil {
		b.t.Fatalf("after a key at %s: %v", b.path(), err)
	}
}

// stop is where the focus is.
type stop struct {
	Found         bool // it is what was looked for
	Outline, Path string
}

// walk goes from stop to stop with the Tab key until one is what a selector finds. Each stop has an
// outline.
func (b *tab) walk(selector string) {
	b.t.Helper()
	seen := map[string]bool{}
	for range 300 {
		b.do(chromedp.KeyEvent(kb.Tab))
		at := get[stop](b, fmt.Sprintf(`(() => {
			const e = document.activeElement, s = getComputedStyle(e);
			return {Found: e.matches(%q), Outline: s.outlineStyle + " " + s.outlineWidth, Path: e.outerHTML.slice(0, 200)};
		})()`, selector))
		if strings.HasPrefix(at.Path, "<body") {
			continue // between the last stop and the first
		}
		if strings.HasPrefix(at.Outline, "none") || strings.HasSuffix(at.Outline, " 0px") {
			b.t.Errorf("at %s the stop %s cannot be seen: %s", b.path(), at.Path, at.Outline)
		}
		if at.Found {
			return
		}
		seen[at.Path] = true
	}
	b.t.Fatalf("at %s no stop of %d is %s", b.path(), len(seen), selector)
}

// stored presses a link, and answers the MD5 of the file that the browser stores.
func (b *tab) stored(selector string) string {
	b.t.Helper()
	dir := b.t.TempDir()
	ctx, end := context.WithTimeout(b.ctx, time.Minute)
	defer end()
	progress := chromedp.BrowserEvents(ctx, browser.DownloadProgress)
	yes := true
	if _, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName,
		DownloadPath: dir, EventsEnabled: &yes, BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID}); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.Click(chromedp.CSS(selector)))
	for e, err := range progress {
		if err != nil {
			b.t.Fatalf("%s at %s stores nothing: %v", selector, b.path(), err)
		}
		if e.State != browser.DownloadProgressStateCompleted {
			continue
		}
		// The events are those of all windows of the browser, and may come a moment before the file has its name.
		for range 100 {
			if b, err := os.ReadFile(dir + "/" + e.GUID); err == nil {
				return sum(b)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return ""
}

func sum(b []byte) string {
	s := md5.Sum(b)
	return hex.EncodeToString(s[:])
}

func decoded(at string) string {
	if u, err := url.PathUnescape(at); err == nil {
		return u
	}
	return at
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// permit lets pages of the server do what browsers ask people for.
func (b *tab) permit(name string) {
	b.t.Helper()
	if _, err := chromedp.CallBrowser(b.ctx, browser.SetPermission, browser.SetPermissionParams{Permission: &browser.PermissionDescriptor{Name: name},
		Setting: browser.PermissionSettingGranted, Origin: b.server, BrowserContextID: chromedp.FromContext(b.ctx).BrowserContextID}); err != nil {
		b.t.Fatal(err)
	}
}
