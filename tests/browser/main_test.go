// Package browser opens pages in Chromium, as people do. Each test sees to it that no request leaves
// the server, that no policy is violated, no script fails and nothing opens a dialog.
package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/world"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

func TestMain(m *testing.M) { world.Main(m) }

// start starts one Chromium for all tests, each of which has a profile of its own in it.
var start = sync.OnceValues(func() (context.Context, error) {
	browser, quit, err := launch()
	if err == nil {
		world.AtEnd = append(world.AtEnd, quit)
	}
	return browser, err
})

// launch starts a Chromium.
func launch() (browser context.Context, quit context.CancelFunc, err error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, nil, fmt.Errorf("chromium is not installed; make tools installs it: %w", err)
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path),
		chromedp.Flag("disable-quic", true), chromedp.DisableGPU, chromedp.Flag("disable-component-update", true)}
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	browser, quit = chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(options...))
	return browser, quit, chromedp.Do(browser)
}

// tab is a window of a profile of its own.
type tab struct {
	t       *testing.T
	ctx     context.Context
	server  string // address that all requests go to
	mu      sync.Mutex
	faults  []string
	allowed []string // parts of faults that the test expects
}

// open opens a window at a server. At the end of the test it has met no fault.
func open(t *testing.T, server string) *tab {
	t.Helper()
	browser, err := start()
	if err != nil {
		t.Fatal(err)
	}
	return openIn(t, browser, server)
}

// openIn is open in another Chromium.
func openIn(t *testing.T, browser context.Context, server string) *tab {
	t.Helper()
	b := &tab{t: t, server: server}
	ctx, shut := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(b.watch))
	t.Cleanup(func() {
		shut()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, f := range b.faults {
			t.Error(f)
		}
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, late := context.WithTimeout(ctx, 30*time.Minute)
	t.Cleanup(late)
	b.ctx = ctx
	send(b, network.Enable, network.EnableParams{})
	send(b, log.Enable, cdp.Empty{})
	b.width(1440)
	return b
}

// send sends a command of the browser's protocol.
func send[P, R any](b *tab, command cdp.Command[P, R], with P) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, command, with); err != nil {
		b.t.Fatal(err)
	}
}

// watch notes what no page may do.
func (b *tab) watch(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; u != b.server && !strings.HasPrefix(u, b.server+"/") && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "about:") && !strings.HasPrefix(u, "chrome") {
			b.fault("a request left for " + u)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			b.fault(fmt.Sprintf("%s: %s (%s)", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *runtime.EventExceptionThrown:
		b.fault("a script failed: " + e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.fault("a script wrote to the console: " + string(e.Type))
	case *page.EventJavascriptDialogOpening:
		b.fault("a dialog opened: " + e.Message)
		go func() {
			if _, err := chromedp.Call(b.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{}); err != nil {
				b.fault(err.Error())
			}
		}()
	}
}

func (b *tab) fault(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range b.allowed {
		if strings.Contains(text, a) {
			return
		}
	}
	b.faults = append(b.faults, text)
}

// allow lets a fault with such a part in its text pass.
func (b *tab) allow(part string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.allowed = append(b.allowed, part)
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// told is what an action answers.
func told[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// at opens an address of the server, and waits until it is there.
func (b *tab) at(address string) *tab {
	b.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.server + address
	}
	if err := chromedp.Do(b.ctx, chromedp.Navigate(address)); err != nil {
		b.t.Fatalf("%s: %v", address, err)
	}
	return b
}

// width sets the size of the window, in CSS pixels.
func (b *tab) width(w int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(w, 900))
}

// dark sets whether the reader asks for dark pages.
func (b *tab) dark(on bool) {
	b.t.Helper()
	scheme := "light"
	if on {
		scheme = "dark"
	}
	send(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// script sets whether pages may run scripts.
func (b *tab) script(on bool) {
	b.t.Helper()
	send(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
}

// get is the value of an expression in the page.
func get[T any](b *tab, expression string) T {
	b.t.Helper()
	return told(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// text is what a reader sees of the page.
func (b *tab) text() string {
	b.t.Helper()
	return told(b, chromedp.Text(chromedp.CSS("body")))
}

// holds says which words a reader does not see.
func (b *tab) holds(words ...string) {
	b.t.Helper()
	seen := b.text()
	for _, w := range words {
		if !strings.Contains(seen, w) {
			b.t.Errorf("at %s there is no %q in\n%s", b.path(), w, seen)
		}
	}
}

// path is where the window is, without the address of the server.
func (b *tab) path() string {
	b.t.Helper()
	return strings.TrimPrefix(told(b, chromedp.Location()), b.server)
}

// follow presses a link or button that a selector finds, and waits for the page that it leads to. Where none comes in
// three minutes it says what the page that stayed shows.
func (b *tab) follow(selector string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 3*time.Minute)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible)); err != nil {
		b.ctx, cancel = context.WithTimeout(b.ctx, time.Minute) // a page that has died says nothing
		defer cancel()
		b.t.Fatalf("%s at %s (%s, from the top %v): %v\n%s", selector, b.path(), get[string](b, "document.readyState"), get[float64](b, "scrollY"), err, b.text())
	}
}

// picture writes what the window shows, all of the page, where pictures are asked for.
func (b *tab) picture(name string) {
	b.t.Helper()
	if *pictures == "" {
		return
	}
	disk.WriteFile(b.t, *pictures+"/"+url.PathEscape(name)+".png", told(b, chromedp.FullScreenshot(100)))
}
