package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"testing"

	"alcove/tests/world"

	"github.com/chromedp/chromedp"
)

// payloads are texts that would run a script, load something or break out of where they stand, if one of them
// were written into a page as it is. A script that runs says so in a dialog or in window.ran.
var payloads = []string{
	`<script>window.ran=1;alert(1)</script>`,
	`"><script>window.ran=1</script>`,
	`'><img src=x onerror=window.ran=1>`,
	`<img src=x onerror="alert(1)">`,
	`<svg onload=window.ran=1><script>window.ran=1</script></svg>`,
	`<svg><style><img src=x onerror=window.ran=1></style></svg>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.ran=1&gt;">`,
	`<a href="javascript:window.ran=1">a link</a>`,
	`<a href=" &#106;avascript:window.ran=1">a link</a>`,
	`<a href="data:text/html,<script>window.ran=1</script>">a link</a>`,
	`<iframe src="javascript:window.ran=1"></iframe>`,
	`<iframe srcdoc="<script>parent.ran=1</script>"></iframe>`,
	`<object data="data:text/html,<script>window.ran=1</script>"></object>`,
	`<form action="https://elsewhere.example/"><button>Send</button></form>`,
	`<meta http-equiv="refresh" content="0;url=https://elsewhere.example/">`,
	`<base href="https://elsewhere.example/">`,
	`<link rel=stylesheet href="https://elsewhere.example/a.css">`,
	`<style>@import "https://elsewhere.example/a.css";*{background:url(https://elsewhere.example/b)}</style>`,
	`<p style="background:url(https://elsewhere.example/c)">text</p>`,
	`<img src="https://elsewhere.example/d.png">`,
	`<video poster="https://elsewhere.example/e.png"></video>`,
	`<input autofocus onfocus=window.ran=1>`,
	`<details open ontoggle=window.ran=1>`,
	`<body onload=window.ran=1>`,
	`</title><script>window.ran=1</script>`,
	`</script><script>window.ran=1</script>`,
	`</textarea></style></noscript></template><script>window.ran=1</script>`,
	`<!--><script>window.ran=1</script>-->`,
	`<![CDATA[<script>window.ran=1</script>]]>`,
	`{{constructor.constructor('window.ran=1')()}}`,
	"\u2028;window.ran=1//\u2029",
	`" onmouseover="window.ran=1" autofocus onfocus="window.ran=1`,
	`javascript:window.ran=1`,
	`[a](javascript:window.ran=1) ![b](x" onerror="window.ran=1)`,
}

// A text that is written into any field runs in no page, preview or feed, loads nothing, and does not even
// meet the policy that would stop it. One payload a round is in make check, all are in make check-site.
func TestPayloadsAreInert(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	b := open(t, s.URL)
	list := payloads
	if *axe == "" {
		list = []string{strings.Join(payloads[:3], " "), strings.Join(payloads, " ")}
	}
	for n, p := range list {
		for _, at := range armed(s, n, p) {
			b.at(at)
			told(b, chromedp.Evaluate[any](`document.querySelectorAll("details").forEach(e => { e.open = true; }); 1`))
			if got := get[int](b, `(window.ran || 0) + document.querySelectorAll("base, iframe[srcdoc], object, main form[action^=http], a[href^='javascript:' i], a[href^='data:' i], meta[http-equiv]").length`); got != 0 {
				t.Errorf("at %s the payload %s has an effect", at, p)
			}
		}
		b.do(chromedp.SendKeys(chromedp.CSS("input[name=q]"), fmt.Sprintf("armed%d", n)), chromedp.WaitVisible(chromedp.CSS(".suggested a")))
		if got := get[int](b, "window.ran || 0"); got != 0 {
			t.Errorf("the payload %s runs in a suggestion", p)
		}
	}
}

// armed writes a payload into every text of an item, of its files and of what shows it, and answers the pages with it.
func armed(s *world.Server, n int, payload string) (pages []string) {
	s.T.Helper()
	title := func(kind string) string {
		p := payload
		if len(p) > 400 {
			p = p[:400]
		}
		return fmt.Sprintf("armed%d %s %s", n, kind, p)
	}
	cut := func(most int) string { return payload[:min(len(payload), most)] }
	body := func(kind string, more map[string]any) string {
		m := map[string]any{"title": title(kind), "description": payload, "authors": []map[string]string{{"name": cut(200)}}, "tags": []string{cut(100)},
			"funding": cut(500), "references": []string{"https://example.org/" + url.PathEscape(cut(200)), "https://example.org/?" + url.QueryEscape(cut(200))},
			"custom_fields": map[string]string{cut(100): payload}}
		maps.Copy(m, more)
		maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
		text, err := json.Marshal(m)
		if err != nil {
			s.T.Fatal(err)
		}
		return string(text)
	}
	refused := s.Ada.Send("POST", "/v2/account/articles", body("item", nil))
	without := map[string]any{}
	for refused.StatusCode == 422 && len(without) < 4 { // a field that says that it takes no such text
		field, _ := refused.Object()["data"].(map[string]any)["field"].(string)
		without[field] = nil
		refused = s.Ada.Send("POST", "/v2/account/articles", body("item", without))
	}
	made := strings.TrimPrefix(refused.Is(201).Header.Get("Location"), s.URL)
	for _, f := range []struct{ name, text string }{
		{"t.csv", "a," + strings.ReplaceAll(payload, "\n", " ") + "\n1,\"" + strings.ReplaceAll(payload, `"`, `""`) + "\"\n"},
		{"t.json", world.AsJSON(map[string]string{"a": payload, cut(100): "b"})},
		{"t.md", "# A\n\n" + payload + "\n"},
		{"t.txt", payload},
		{"t.xml", "<a b=\"" + strings.NewReplacer(`"`, "&quot;", "<", "&lt;", "&", "&amp;").Replace(payload) + "\">" + payload + "</a>"},
		{"t.html", payload},
		{"t.svg", `<svg xmlns="http://www.w3.org/2000/svg">` + payload + "</svg>"},
		{"t.py", "# " + payload + "\n'''" + payload},
		{"t.ipynb", world.AsJSON(map[string]any{"nbformat": 4, "nbformat_minor": 5, "metadata": map[string]any{}, "cells": []any{
			map[string]any{"cell_type": "markdown", "source": payload, "metadata": map[string]any{}},
			map[string]any{"cell_type": "code", "source": payload, "execution_count": 1, "metadata": map[string]any{}, "outputs": []any{
				map[string]any{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{"text/html": payload, "image/svg+xml": payload, "text/plain": payload, "application/javascript": "window.ran=1"}}}}}})},
		{"t.geojson", world.AsJSON(map[string]any{"type": "Feature", "properties": map[string]string{"name": payload}, "geometry": map[string]any{"type": "Point", "coordinates": []int{1, 2}}})},
		{strings.NewReplacer("/", "_", "\u2028", "", "\u2029", "").Replace(cut(100)) + ".txt", "one"},
	} {
		name, err := json.Marshal(f.name)
		if err != nil {
			s.T.Fatal(err)
		}
		file, upload := s.Ada.BeginAs(made, fmt.Sprintf(`{"name": %s, "size": %d}`, name, len(f.text)))
		s.Ada.Do("PUT", upload+"/1", bytes.NewReader([]byte(f.text))).Is(200)
		s.Ada.Do("POST", file, nil).Is(202)
		s.Ada.Until(file, "available")
		pages = append(pages, fmt.Sprintf("/files/%d/view", world.LastNumber(s.T, file)))
	}
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	s.Ada.Send("PATCH", made, world.AsJSON(map[string]any{"title": title("second"), "description": "<p>" + payload + "</p>"})).Is(205)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	id := world.LastNumber(s.T, made)
	set := s.Ada.Wrote("/v2/account/collections", body("set", with(without, "articles", []int64{id})))
	s.Ada.Do("POST", set+"/publish", nil).Is(201)
	project := s.Ada.Wrote("/v2/account/projects", world.AsJSON(map[string]any{"title": title("project"), "description": payload}))
	s.Ada.Do("POST", project+"/publish", nil).Is(201)
	draft := s.Ada.Article(body("draft", without))
	linked := s.Ada.Link(draft, "")
	q := url.QueryEscape(fmt.Sprintf("armed%d", n))
	return append(pages, fmt.Sprintf("/articles/%d", id), at(s, id)+"?changes=1", at(s, id)+"/files/", fmt.Sprintf("/collections/%d", world.LastNumber(s.T, set)),
		fmt.Sprintf("/projects/%d", world.LastNumber(s.T, project)), "/s/"+linked, "/search?q="+q, "/search.atom?q="+q, "/search?q="+url.QueryEscape(cut(300)),
		"/search?author="+url.QueryEscape(cut(200)), "/search?tag="+url.QueryEscape(cut(100)), "/")
}

// with is a set of fields and one more.
func with(more map[string]any, name string, value any) map[string]any {
	more = maps.Clone(more)
	more[name] = value
	return more
}

func at(s *world.Server, id int64) string {
	s.T.Helper()
	address, _ := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(200).Object()["url_public_html"].(string)
	if address == "" {
		s.T.Fatalf("there is no page of %d", id)
	}
	return strings.TrimPrefix(address, s.URL)
}
