package browser

import (
	"encoding/json"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"alcove/tests/disk"

	"github.com/chromedp/chromedp"
)

var (
	axe = flag.String("axe", "", "axe.min.js of axe-core; make check-site gets it")
	vnu = flag.String("vnu", "", "vnu.jar, the validator of the W3C; make check-site gets it")
)

// Every page, at each width, light and dark, keeps all rules of axe.
func TestAxe(t *testing.T) {
	if *axe == "" {
		t.Skip("make check-site has axe")
	}
	t.Parallel()
	s := newScene(t)
	b := open(t, s.URL)
	pages := 0
	for _, p := range s.pages {
		if p.refused {
			b.allow(p.at)
		}
		for _, dark := range []bool{false, true} {
			b.dark(dark)
			for _, wide := range []int64{360, 800, 1440} {
				b.width(wide)
				b.at(p.at)
				if wide > 360 { // what can be opened is looked at too, once as it comes and otherwise open
					told(b, chromedp.Evaluate[any](`document.querySelectorAll("details:not([name])").forEach(e => { e.open = true; }); 1`))
				}
				pages++
				b.rules(fmt.Sprintf("%s at %d, dark %v", p.name, wide, dark))
			}
		}
	}
	t.Logf("%d pages, widths and themes", pages)
}

// rules looks at the page with axe.
func (b *tab) rules(name string) {
	b.t.Helper()
	told(b, chromedp.Evaluate[any](string(read(b.t, *axe))+"; 1"))
	got := get[string](b, `axe.run(document, {resultTypes: ["violations"], rules: {"target-size": {enabled: true}, "label-content-name-mismatch": {enabled: true}}}).then(r => JSON.stringify(r.violations.map(v => ({Rule: v.id, Help: v.help, Where: v.nodes.map(n => n.html + " " + n.failureSummary)}))))`)
	var broken []struct {
		Rule, Help string
		Where      []string
	}
	if err := json.Unmarshal([]byte(got), &broken); err != nil {
		b.t.Fatal(err)
	}
	for _, v := range broken {
		b.t.Errorf("%s: %s: %s\n%s", name, v.Rule, v.Help, strings.Join(v.Where, "\n"))
	}
}

// Every page is valid HTML.
func TestValidHTML(t *testing.T) {
	if *vnu == "" {
		t.Skip("make check-site has the validator")
	}
	t.Parallel()
	s := newScene(t)
	dir := t.TempDir()
	for n, p := range s.pages {
		r := s.Anon.Get(p.at, "Accept", "text/html")
		for r.StatusCode == 301 || r.StatusCode == 302 {
			r = s.Anon.Get(r.Header.Get("Location"), "Accept", "text/html")
		}
		disk.WriteFile(t, filepath.Join(dir, fmt.Sprintf("%d-%s.html", n, p.name)), r.Bytes)
	}
	validate(t, dir)
}

// validate asks the validator of all files in a folder.
func validate(t *testing.T, dir string) {
	t.Helper()
	if said, err := exec.Command("java", "-jar", *vnu, "--skip-non-html", "--errors-only", dir).CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("%v\n%s", err, said)
	}
}
