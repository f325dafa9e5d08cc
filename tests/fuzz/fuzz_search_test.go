package main_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/tests/stage"
	"alcove/tests/world"
)

// searchWords stand in the items that FuzzSearch looks for.
var searchWords = []string{
	"ocean temperature", "Temperature of the <i>deep</i> ocean", "Ocean-atmosphere coupling", "données océaniques", "海洋 温度", "a an the of and or not",
	"10.5072/alcove.3", "C++ & C#", "x*y?z", "\"quoted phrase\" (in brackets)", "ﬁne ligature", "e\u0301tude", "İstanbul", "😀 smile", "AND OR NOT",
}

// Any search text is answered in time with items that there are, the same ones when it is asked
// again, and nothing of another account (security.md D18, D19, D24).
func FuzzSearch(f *testing.F) {
	const private = "zqunseen"
	visible := map[float64]bool{}
	z := newFuzzed(f, func(s *stage.Stage) {
		for n := range 45 {
			word := searchWords[n%len(searchWords)]
			at := s.Ada.Article(fmt.Sprintf(`{"title": %q, "description": %q, "tags": [%q], "authors": [{"name": "Searched Author %d"}], "categories": [37], "resource_title": %q}`,
				word+" title", strings.Repeat(word+" ", n), word, n%3, word))
			s.Ada.Do("POST", at+"/publish", nil).Is(201)
			visible[float64(world.LastNumber(f, at))] = true
		}
		visible[float64(world.LastNumber(f, "/"+s.Public[":id"]))] = true
		s.Ben.Article(`{"title": "` + private + ` ocean temperature", "description": "` + private + `"}`)
	})
	for _, seed := range append(searchWords, private, ":title: ocean", ":resource_title: deep", ":author: Searched AND (:tag: ocean OR NOT x)", "((((((((((", "a*", "*", "~99 ^1e309",
		"/regex.*/", "title:ocean _exists_:x", `"ocean temperature`, ":", ":title:", "NOT NOT NOT x", "a OR", "AND", "\x00\xff", strings.Repeat("ocean ", 600), strings.Repeat("(a ", 300), ":description: "+private) {
		for kind := range byte(6) {
			if kind == 0 || len(seed) < 20 {
				f.Add(seed, kind)
			}
		}
	}
	paths := []string{"/v2/articles/search", "/v2/collections/search", "/v2/projects/search", "/v2/account/articles/search", "/v2/account/collections/search", "/v2/account/projects/search"}
	f.Fuzz(func(t *testing.T, text string, kind byte) {
		path := paths[int(kind)%len(paths)]
		body, err := json.Marshal(map[string]any{"search_for": text, "page_size": 100})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		first := z.Send(t, rawRequest{Method: "POST", Target: path, Headers: "", Body: body, Who: kind % 6 / 3})
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%q took %v", text, took)
		}
		if first == nil || first.Code != 200 && first.Code != 400 && first.Code != 422 {
			t.Fatalf("%q on %s: %v", text, path, first)
		}
		if strings.Contains(first.Body.String(), private) && !strings.Contains(text, private) || kind%6 < 3 && first.Code == 200 && strings.Contains(first.Body.String(), private) {
			t.Fatalf("%q on %s tells %s", text, path, first.Body)
		}
		if again := z.Send(t, rawRequest{Method: "POST", Target: path, Headers: "", Body: body, Who: kind % 6 / 3}); again == nil || again.Code != first.Code || first.Code == 200 && again.Body.String() != first.Body.String() {
			t.Fatalf("%q on %s: %s and then %v", text, path, first.Body, again)
		}
		if first.Code != 200 || kind%6 != 0 {
			return
		}
		var items []map[string]any
		if err := json.Unmarshal(first.Body.Bytes(), &items); err != nil {
			t.Fatal(err)
		}
		var ids []float64
		for _, i := range items {
			id, _ := i["id"].(float64)
			if !visible[id] || slices.Contains(ids, id) {
				t.Fatalf("%q found %v", text, ids)
			}
			ids = append(ids, id)
		}
	})
}
