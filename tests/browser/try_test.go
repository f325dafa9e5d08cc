package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"alcove/tests/world"
)

// A person reads and changes an own item by calls of the API, and takes the line for a shell.
func TestTryInBrowser(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	email := s.Member("Lovelace")
	b := open(t, s.URL)
	b.allow("422")
	b.width(360)
	b.at("/sign-in?next=/account/try%3Fcall%3Dpost_account_articles")
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), email), chromedp.SendKeys(chromedp.CSS("#password"), world.Password))
	b.press(kb.Enter)
	answer := func() string { return get[string](b, `document.getElementById("answer").innerText`) }
	send := func(want string) {
		t.Helper()
		b.do(chromedp.Click(chromedp.CSS("#send")))
		b.until(fmt.Sprintf(`document.getElementById("answer").innerText.includes(%q)`, want))
	}
	b.holds("Try the API", "POST")
	get[bool](b, `(document.getElementById("body").value = JSON.stringify({title: "Grace's pond"}), true)`)
	b.do(chromedp.SendKeys(chromedp.CSS("#body"), " "))
	if line := get[string](b, `document.getElementById("curl").textContent`); !strings.Contains(line, `-d '{"title":"Grace'\''s pond"}' '`+s.URL+`/v2/account/articles'`) {
		t.Errorf("the line is %s", line)
	}
	send("201")
	b.at("/account/try?call=get_account_articles_id")
	send("Fill in id.")
	b.do(chromedp.SendKeys(chromedp.CSS("#path-id"), "1"))
	send("Grace's pond")
	if got := answer(); !strings.Contains(got, "200") || !strings.Contains(strings.ToLower(got), "etag:") {
		t.Errorf("the answer is %s", got)
	}
	if wide := get[int](b, "document.documentElement.scrollWidth"); wide > 360 {
		t.Errorf("the page is %d pixels wide", wide)
	}
	if *axe != "" {
		for _, dark := range []bool{false, true} {
			b.dark(dark)
			b.rules(fmt.Sprint("/account/try, dark ", dark))
		}
	}
	b.picture("try")
	b.at("/account/try?call=get_account_articles")
	b.do(chromedp.SendKeys(chromedp.CSS("#query-page_size"), "x"))
	send("422")
}
