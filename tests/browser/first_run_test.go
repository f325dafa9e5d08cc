package browser

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"alcove/tests/world"
)

// fill writes into fields of a form, by their ids.
func (b *tab) fill(pairs ...string) {
	b.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		b.do(chromedp.SendKeys(chromedp.CSS("#"+pairs[i]), pairs[i+1]))
	}
}

// An empty directory becomes a repository with a public item: the address that the first start prints makes an
// administrator, who invites a colleague, who deposits a folder over a bad network, describes and publishes it, and a
// reader finds it and has all its bytes.
func TestFirstRunToDownload(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	var out, log world.LockedBuffer
	cmd := exec.Command("alcove", "serve", "--data", dir, "--listen", "127.0.0.1:0", "--tls", "off")
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	serving, link := regexp.MustCompile(`msg=serving address=(\S+)`), regexp.MustCompile(`http://[^/]+(/one-time/\S+)`)
	world.WaitFor(t, "it serves and prints the address", func() bool { return serving.MatchString(log.String()) && link.MatchString(out.String()) })
	s := &world.Server{T: t, URL: serving.FindStringSubmatch(log.String())[1], Logs: &log}
	s.Anon = world.Client{Server: s}

	admin := open(t, s.URL)
	admin.at(link.FindStringSubmatch(out.String())[1])
	admin.holds("The first administrator")
	begin := func(b *tab, email, first, last string) {
		t.Helper()
		if email != "" {
			b.fill("email", email)
		}
		b.fill("first_name", first, "last_name", last, "new", world.Password, "again", world.Password)
		b.press(kb.Enter)
		b.holds(first + " " + last)
	}
	begin(admin, "mary@example.org", "Mary", "Somerville")

	admin.at("/account/admin/people/invite")
	admin.fill("email", "ada@example.org")
	admin.press(kb.Enter)
	invited := link.FindStringSubmatch(admin.text())
	if invited == nil {
		t.Fatalf("there is no link in %s", admin.text())
	}
	b := open(t, s.URL)
	b.at(invited[1])
	begin(b, "", "Ada", "Lovelace")

	b.at("/account/items")
	b.fill("title", "Rain in the north")
	b.press(kb.Enter)
	form := b.path()
	id := world.LastNumber(t, strings.TrimSuffix(form, "/edit"))
	files, sums := folder(t, *uploadFiles)
	b.at(fmt.Sprintf("/account/articles/%d/files", id))
	b.interrupted(files, len(sums))

	b.at(form)
	b.fill("description", "Daily sums of rain and snow.", "tags", "rain")
	b.do(chromedp.Click(chromedp.CSS("details.tree summary")))
	b.until(`document.getElementById("tree-filter") !== null`)
	b.fill("tree-filter", "hydrology")
	b.until(`document.querySelector("details.tree ul input") !== null`)
	b.do(chromedp.Click(chromedp.CSS("details.tree ul input")))
	b.until(`document.getElementById("saved").textContent.startsWith("Saved")`)
	b.follow(`aside a.button`)
	b.holds("Rain in the north")
	b.follow(`main form button.button`)
	b.holds("public")

	reader := open(t, s.URL)
	reader.at("/")
	reader.fill("q", "northern rain")
	reader.press(kb.Enter)
	reader.follow("article.card h3 a")
	reader.holds("Rain in the north", "Ada Lovelace", "Daily sums of rain and snow.")
	downloaded(t, s, id, sums)
}
