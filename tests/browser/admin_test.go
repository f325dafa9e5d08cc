package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"alcove/tests/doubles"
	"alcove/tests/world"
)

// The pages of the administration fit a narrow screen, hold to the rules of accessibility in both themes, and their
// tree, search and forms are used by keyboard.
func TestAdminInBrowser(t *testing.T) {
	t.Parallel()
	registrar := doubles.StartDataCite(t)
	registrar.Always(&doubles.Trouble{Status: 422})
	s := world.Start(t, registrar.Used)
	at := "Anning"
	email := s.Member(at)
	s.Operate("account_edit", map[string]any{"account": email, "admin": true}, nil)
	faculty := s.Group("Sciences", 0)
	s.Group("Limnology and the science of all inland waters", faculty)
	s.Operate("account_edit", map[string]any{"account": "ben@example.org", "group_id": faculty}, nil)
	s.Ben.Upload(s.Ben.Article(`{"title": "Depths of ponds"}`), "a.csv", []byte("pond"))
	s.Ada.Published("Depths of lakes")
	s.Ada.Published("Temperatures of all lakes and ponds of the north, measured by hand on the first day of each month")
	b := open(t, s.URL)
	b.at("/sign-in?next=/account/admin")
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), email), chromedp.SendKeys(chromedp.CSS("#password"), world.Password))
	b.press(kb.Enter)
	b.holds("Administration", "Search index")
	world.WaitFor(t, "a DOI is refused", func() bool { return registrar.Begun() >= 4 })
	for name, page := range map[string]string{
		"health": "", "people": "/people", "person": "/people/2", "invite": "/people/invite", "hand-over": "/people/2/hand-over", "groups": "/groups", "group": "/groups/1",
		"storage": "/storage", "dois": "/dois", "settings": "/settings", "audit": "/audit", "export": "/export",
	} {
		for _, wide := range []int64{360, 1440} {
			b.width(wide)
			b.at("/account/admin" + page)
			if got := get[int64](b, "document.documentElement.scrollWidth"); got > wide {
				t.Errorf("%s is %d pixels wide at %d", name, got, wide)
			}
			for _, dark := range []bool{false, true} {
				b.dark(dark)
				if *axe != "" {
					b.rules(fmt.Sprint("/account/admin", page, ", ", wide, ", dark ", dark))
				}
				b.picture(fmt.Sprint("admin-", name, "-", wide, "-", map[bool]string{true: "dark", false: "light"}[dark]))
			}
			b.dark(false)
		}
	}
	b.at("/account/admin/people")
	b.do(chromedp.SendKeys(chromedp.CSS("#name"), "ben"))
	b.press(kb.Enter)
	b.holds("Ben Tester", "Sciences")
	b.follow(`a[href="/account/admin/people/2"]`)
	b.do(chromedp.SendKeys(chromedp.CSS("#quota"), "2.5"))
	b.press(kb.Enter)
	b.holds("The quota was stored")
}
