package pages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// An operator's name, sentence, logo, colour, links and texts stand on the pages; without them there is
// nothing at their addresses.
func TestBranding(t *testing.T) {
	t.Parallel()
	plain := world.Start(t)
	for _, none := range []string{"/about", "/terms", "/privacy", "/accessibility", "/assets/brand.css", "/assets/logo"} {
		plain.Anon.Get(none, "Accept", browser).Is(404)
	}
	lacks(t, page(t, plain.Anon, "/", 200), "brand.css", "/about", "<img")
	s := world.Start(t, func(c *config.Config) {
		c.RepositoryName, c.SiteText = "Data of Example University", "All that we measured, <b>openly</b>."
		c.SiteAccent, c.SiteLinks = "#5a1a6b", []string{"Our library https://library.example.org/"}
		c.SiteLogo = filepath.Join(c.Data, "logo.png")
		disk.WriteFile(t, c.SiteLogo, disk.OnePixel)
		pages := filepath.Join(c.Data, "pages")
		if err := os.MkdirAll(pages, 0o700); err != nil {
			t.Fatal(err)
		}
		disk.WriteFile(t, filepath.Join(pages, "about.md"), []byte("# Who we are\n\nA *small* group, see [the terms](/terms).\n\n## Where\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<script>alert(1)</script><img src=x onerror=alert(1)>[x](javascript:alert(1))\n"))
		disk.WriteFile(t, filepath.Join(pages, "about.de.md"), []byte("# Wer wir sind\n\nEine *kleine* Gruppe\n"))
		disk.WriteFile(t, filepath.Join(pages, "terms.md"), []byte("Be kind.\n"))
	})
	home := page(t, s.Anon, "/", 200)
	holds(t, home, "All that we measured, &lt;b&gt;openly", `alt="Data of Example University"`, `<a href="https://library.example.org/">Our library</a>`, `<a href="/about">About</a>`, `<a href="/terms">Terms of use</a>`)
	lacks(t, home, "/privacy")
	for _, part := range []string{"/assets/brand.css?v=", "/assets/logo?v="} {
		at := home[strings.Index(home, part):]
		r := s.Anon.Get(at[:strings.IndexByte(at, '"')]).Is(200)
		if !strings.Contains(r.Header.Get("Cache-Control"), "immutable") || r.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(r.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s has the headers %v", part, r.Header)
		}
	}
	holds(t, string(s.Anon.Get("/assets/brand.css").Is(200).Bytes), "--accent:#5a1a6b", "prefers-color-scheme: dark")
	if got := s.Anon.Get("/assets/logo").Is(200); got.Header.Get("Content-Type") != "image/png" {
		t.Errorf("the logo is %s", got.Header.Get("Content-Type"))
	}
	about := page(t, s.Anon, "/about", 200)
	holds(t, about, "<h1>Who we are</h1>", "A <em>small</em> group", `<a href="/terms">`, "<h2>Where</h2>", "<td>1</td>")
	lacks(t, about, "alert(1)", "javascript:", "onerror")
	holds(t, page(t, s.Anon, "/about", 200, "Accept-Language", "de"), "<h1>Wer wir sind</h1>")
	holds(t, page(t, s.Anon, "/terms", 200, "Accept-Language", "de"), "<h1>Nutzungsbedingungen</h1>", "Be kind.")
	page(t, s.Anon, "/privacy", 404)

	// A logo or text that cannot be shown stops the start and says why.
	for name, change := range map[string]func(dir string) []string{
		"site_logo must be a PNG or SVG file": func(dir string) []string {
			disk.WriteFile(t, dir+"/logo", []byte("GIF89a"))
			return []string{"--site-logo", dir + "/logo"}
		},
		"cannot read site_logo": func(dir string) []string { return []string{"--site-logo", dir + "/none"} },
		"cannot read the page about.md": func(dir string) []string {
			if err := os.MkdirAll(dir+"/data/pages", 0o700); err != nil {
				t.Fatal(err)
			}
			disk.WriteFile(t, dir+"/data/pages/about.md", make([]byte, 65<<10))
			return nil
		},
		"#8fb1c9 has a contrast of": func(string) []string { return []string{"--site-accent", "#8fb1c9"} },
	} {
		dir := t.TempDir()
		if _, msg, status := world.AlcoveRun(t, append([]string{"serve", "--data", dir + "/data", "--listen", "127.0.0.1:0", "--tls", "off"}, change(dir)...)...); status == 0 || !strings.Contains(msg, name) {
			t.Errorf("%s: %d, %s", name, status, msg)
		}
	}
}
