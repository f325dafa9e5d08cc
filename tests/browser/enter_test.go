package browser

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Enter in a field saves the form, with and without scripts. A browser presses the first button of a form for it, and
// others than the one that saves come before.
func TestEnterSaves(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	me, _ := s.Depositor("Lovelace")
	for _, script := range []bool{true, false} {
		t.Run(fmt.Sprint("script ", script), func(t *testing.T) {
			article, other := me.Article(`{"title": "Measured"}`), me.Article(`{"title": "Counted"}`)
			of := func(at string) string { return at[strings.LastIndexByte(at, '/')+1:] }
			made := me.Send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": "Both", "articles": [%s, %s]}`, of(article), of(other)))
			collection := strings.TrimPrefix(made.Is(201).Header.Get("Location"), s.URL)
			b := open(t, s.URL)
			b.signIn("lovelace@example.org")
			b.script(script)
			press := func(field, text string) {
				t.Helper()
				b.do(chromedp.SendKeys(chromedp.CSS(field), text+kb.Enter))
			}
			b.at(strings.TrimPrefix(article, "/v2") + "/edit")
			press("[data-key=title] input", kb.End+" twice")
			b.soon(`location.search === "?saved=1"`)
			if got := me.Get(article).Is(200).Object()["title"]; got != "Measured twice" {
				t.Errorf("the title is %v", got)
			}

			b.at(strings.TrimPrefix(collection, "/v2") + "/articles")
			press(`[name="place.`+of(article)+`"]`, kb.Backspace+kb.Delete+"3")
			b.soon(`location.search === "?saved=1"`)
			ids := ""
			for _, m := range me.Get(collection + "/articles").Is(200).List() {
				ids += fmt.Sprint(m["id"], " ")
			}
			if want := of(other) + " " + of(article) + " "; ids != want {
				t.Errorf("the members are %s, want %s", ids, want)
			}
		})
	}
}
