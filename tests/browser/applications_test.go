package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"alcove/tests/world"
)

// A person registers an application, is asked by it, signs in on the way, allows it and comes back to it, without
// script; the policy of the page lets the form lead there.
func TestApplicationInBrowser(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	email := s.Member("Lovelace")
	came := make(chan url.Values, 10)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			came <- r.URL.Query()
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><html lang="en"><title>App</title><link rel="icon" href="data:,"><p>Back at the application`)
	}))
	defer app.Close()
	b := open(t, s.URL)
	b.allow("a request left for " + app.URL)
	b.script(false)
	b.width(360)
	b.at("/sign-in?next=/account/applications")
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), email), chromedp.SendKeys(chromedp.CSS("#password"), world.Password))
	b.press(kb.Enter)
	b.holds("Applications and tokens", "There are none.")
	narrow := func() {
		t.Helper()
		if wide := get[int](b, "document.documentElement.scrollWidth"); wide > 360 {
			t.Errorf("%s is %d pixels wide", b.path(), wide)
		}
		if *axe == "" {
			return // make check-site has it
		}
		b.script(true)
		for _, dark := range []bool{false, true} {
			b.dark(dark)
			b.rules(fmt.Sprint(b.path(), ", dark ", dark))
		}
		b.script(false)
	}
	narrow()
	b.do(chromedp.SendKeys(chromedp.CSS("#token_name"), "The scale"))
	b.press(kb.Enter)
	b.holds("The token was made", "shown this once")
	token := world.Client{Server: s, Token: strings.TrimSpace(get[string](b, `document.getElementById("secret").textContent`))}
	token.Get("/v2/account").Is(200)
	narrow()
	b.at("/account/applications")
	b.do(chromedp.SendKeys(chromedp.CSS("#app_name"), "Plotter"), chromedp.SendKeys(chromedp.CSS("#redirects"), app.URL+"/back"))
	b.follow(`form[action$="/register"] button`)
	b.holds("The application was registered")
	id := get[string](b, `document.getElementById("client").textContent`)
	narrow()
	b.follow(`header a.logo`)
	b.at("/account")
	b.follow(`form[action="/sign-out"] button`)

	question := "/account/applications/authorize?" + url.Values{"response_type": {"code"}, "client_id": {id}, "redirect_uri": {app.URL + "/back"}, "state": {"a&b"}}.Encode()
	b.at(question)
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), email), chromedp.SendKeys(chromedp.CSS("#password"), world.Password))
	b.press(kb.Enter)
	b.holds("Plotter asks to act for you", "everything here that you may do", strings.TrimPrefix(app.URL, "http://"))
	narrow()
	b.follow("button[name=allow]")
	b.holds("Back at the application")
	if q := <-came; q.Get("code") == "" || q.Get("state") != "a&b" || q.Get("iss") != s.URL {
		t.Errorf("the application is told %v", q)
	}
	b.at(question)
	b.follow("button[name=refuse]")
	if q := <-came; q.Get("error") != "access_denied" {
		t.Errorf("the application is told %v", q)
	}
}
