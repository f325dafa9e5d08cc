package search

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/tests/world"
)

// publishItem makes and publishes an article and returns its address.
func publishItem(c world.Client, fields string) string {
	c.Server.T.Helper()
	at := c.Article(`{"authors": [{"name": "Grace Hopper"}], ` + fields + `}`)
	c.Do("POST", at+"/publish", nil).Is(201)
	return at
}

// Design 4: what was acknowledged before a search is found by it, every time.
func TestSearchReadsYourWrites(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for n := range 50 {
		word := fmt.Sprintf("uniqueword%dx", n)
		at := publishItem(s.Ada, `"title": "Item `+word+`"`)
		id := at[strings.LastIndexByte(at, '/')+1:]
		if got := s.Anon.Find(word); got != id {
			t.Fatalf("round %d: %q, want %s", n, got, id)
		}
		if n%10 == 0 {
			s.Ada.Send("PATCH", at, `{"title": "Renamed"}`).Is(205)
			s.Ada.Do("POST", at+"/publish", nil).Is(201)
			if got := s.Anon.Find(word); got != "" {
				t.Fatalf("round %d: the old title is still found", n)
			}
		}
	}
	s.Restart()
	if got := s.Anon.Find("uniqueword49x"); got == "" {
		t.Error("nothing is found after a restart")
	}
}

// Where search_for may stand, and how long it must be.
func TestSearchRequest(t *testing.T) {
	s := world.Start(t)
	publishItem(s.Ada, `"title": "日本語の論文"`)
	publishItem(s.Ada, `"title": "Rainfall in the Arctic"`)
	for body, want := range map[string]string{
		"": "2 1", "{}": "2 1", "  \n": "2 1", `{"search_for": "rainfall"}`: "2", `{"search_for": "日本語"}`: "1", `{"search_for": "rainfall 論文"}`: "2 1",
		`{"search_for": "nothing"}`: "", `{"search_for": "rainfall", "order_direction": "asc", "page": 1, "page_size": 10}`: "2",
		`{"search_for": "rainfall 日本語", "order_direction": "asc", "limit": 1, "offset": 1}`: "2", `{"search_for": "rainfall 日本語", "item_type": 8}`: "",
		`{"Search_For": "nothing"}`: "2 1", `{"search_for": ":title: rainfall", "institution": 1}`: "2",
	} {
		for _, kind := range []string{"application/json", "application/x-www-form-urlencoded", ""} {
			if got := s.Anon.Send("POST", "/v2/articles/search", body, "Content-Type", kind).Shown(); got != want {
				t.Errorf("%s finds %q, want %q", body, got, want)
			}
		}
	}
	for query, want := range map[string]string{"search_for=rainfall": "2", "search_for=%E6%97%A5%E6%9C%AC%E8%AA%9E": "1", "search_for=%22the+arctic%22": "2", "x=1": "2 1"} {
		if got := s.Anon.Do("POST", "/v2/articles/search?"+query, nil).Shown(); got != want {
			t.Errorf("?%s finds %q, want %q", query, got, want)
		}
	}
	if got := s.Anon.Send("POST", "/v2/articles/search?search_for=nothing", `{"search_for": "rainfall"}`).Shown(); got != "2" {
		t.Errorf("the body counts first: %q", got)
	}
	for _, short := range []string{"", "a", "ab", "日本", "  ab  ", "é!"} {
		s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "`+short+`"}`).Refuses(422, "at least 3 characters")
	}
	s.Anon.Send("POST", "/v2/articles/search", `{"search_for": 7}`).Refuses(422, "search_for must be a string")
	s.Anon.Send("POST", "/v2/articles/search", `{"search_for": ["rainfall"]}`).Refuses(422, "search_for")
}

// The search language. Results come newest first, whatever matches best.
func TestSearchLanguage(t *testing.T) {
	s := world.Start(t)
	for _, fields := range []string{
		`"title": "Cell division in mice", "tags": ["biology", "open data"], "description": "<p>Observed <b>mitosis</b></p>"`, // 1
		`"title": "Cells of the prison", "description": "A law study", "references": ["https://example.org/ref"]`,             // 2
		`"title": "Łódź and Ångström: a naïve résumé", "defined_type": "thesis"`,                                              // 3
		`"title": "Law and order", "tags": ["democrat"], "categories": [37]`,                                                  // 4
		`"title": "Order without law: the cell phone"`,                                                                        // 5
	} {
		publishItem(s.Ada, fields)
	}
	for words, want := range map[string]string{
		"cell": "5 2 1", "cells": "5 2 1", "CELL": "5 2 1", "prisons": "2", "observes": "1", "mitosis": "1", "law order": "5 4 2",
		`"law and order"`: "4", `"order law"`: "", `"cell division"`: "1", "cell AND law": "5 2", "cell AND NOT law": "1", "cell NOT law": "1",
		"mouse OR mitosis": "1", "prison OR phone": "5 2", "(prison OR phone) AND law": "5 2", "NOT cell": "4 3", "cell and law": "5 4 2 1",
		"lodz": "3", "łódź": "3", "ANGSTROM": "3", "naive resume": "3", "\"resume\"": "3", ":title: law": "5 4", ":TITLE: law": "5 4", ":title:law": "5 4",
		":title: law OR :tag: democrat": "5 4", ":title: law AND :tag: democrat": "4", ":tag: open data": "1", ":tag: open": "", ":description: law": "2",
		":author: hopper": "5 4 3 2 1", ":item_type: thesis": "3", ":description: mitosis AND :title: cell": "1", ":nonsense: law": "5 4 2",
	} {
		if got := s.Anon.Find(words); got != want {
			t.Errorf("%s finds %q, want %q", words, got, want)
		}
	}
	if got := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "cell OR law", "page": 2, "page_size": 2}`).Shown(); got != "2 1" {
		t.Errorf("the second page shows %q", got)
	}
	if got := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "cell OR law", "order_direction": "asc"}`).Shown(); got != "1 2 4 5" {
		t.Errorf("ascending: %q", got)
	}
}

// Words of drafts, of replaced versions and of private fields are never found (security.md C02,
// C03, D19).
func TestSearchCanary(t *testing.T) {
	s := world.Start(t)
	const old, kept = "oldcanaryword", "publicword"
	at := publishItem(s.Ada, `"title": "Report `+old+`", "description": "`+old+`", "tags": ["`+old+`"], "references": ["https://`+old+`.org/`+old+`"]`)
	s.Ada.Send("PATCH", at, `{"title": "Report `+kept+`", "description": "", "tags": [], "references": []}`).Is(205)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	const secret = "canaryword"
	s.Ada.Send("PATCH", at, `{"title": "`+secret+`", "description": "`+secret+`", "tags": ["`+secret+`"], "references": ["https://`+secret+`.org"],
		"funding": "`+secret+`", "authors": [{"name": "`+secret+` `+secret+`"}], "custom_fields": {"`+secret+`": "`+secret+`"}}`).Is(205)
	s.Ada.Article(`{"title": "` + secret + ` draft", "authors": [{"name": "` + secret + `"}], "tags": ["` + secret + `"]}`)
	s.Ada.Send("POST", at+"/files", `{"link": "https://example.org/`+secret+`.`+secret+`"}`).Is(201)
	for _, word := range []string{secret, old} {
		stem := word[:len(word)-3]
		for _, words := range []string{
			word, strings.ToUpper(word), `"` + word + `"`, word + "*", stem + "*", "*" + word[3:], "?" + word[1:], word + "~", word + "~2", word + "^10", "+" + word, "/" + word + "/",
			"/.*" + word[2:] + "/", "title:" + word, "_all:" + word, "private:" + word, `title:"` + word + `"`, "[" + word + " TO " + word + "]", ">" + word,
			word + " AND " + word, "(" + word + ")", "\"Report " + word + "\"", "xyzzy OR " + word, kept + " AND " + word, word + "’s", "'" + word + "'",
		} {
			if got := s.Anon.Find(words); got != "" {
				t.Errorf("%s finds %s", words, got)
			}
		}
		for _, field := range strings.Fields("title description tag category author item_type search_term orcid extension references doi institution project " +
			"licence resource_doi resource_title resource_link private_field email account _id") {
			for _, form := range []string{":%s: %s", ":%s:%s", `:%s: "%s"`, ":%s: %s*", "(:%s: (%s))"} {
				if got := s.Anon.Find(fmt.Sprintf(form, field, word)); got != "" {
					t.Errorf(form+" finds %s", field, word, got)
				}
			}
		}
		if got := s.Anon.Find("NOT " + word); got != "1" {
			t.Errorf("NOT %s finds %q: the word has left a trace", word, got)
		}
	}
	for _, private := range []string{"ada@example.org", "example.org", "Tester", s.Ada.Token, "draft"} {
		if got := s.Anon.Find(private); got != "" {
			t.Errorf("%s is found in %s", private, got)
		}
	}
	if s.Anon.Find(kept) != "1" || s.Anon.Find("NOT "+kept) != "" {
		t.Error("the public title is not found")
	}
}

// No text takes long, breaks anything or is a fault of the server (security.md D18, D19).
func TestSearchGarbage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for n := range 20 {
		publishItem(s.Ada, fmt.Sprintf(`"title": "Item %d aa ab ac ad ae", "description": "many words of a text %d"`, n, n*n))
	}
	words := strings.Builder{}
	for n := range 10_000 {
		fmt.Fprintf(&words, "w%d ", n)
	}
	for _, text := range []string{
		words.String(), words.String()[:4000], "((((", "))))", strings.Repeat("(", 2000), strings.Repeat("(a ", 1300), strings.Repeat(")", 4000), "***", "a**", strings.Repeat("a* ", 1000),
		"/.*/", "/(a+)+$/ aaaaaaaaaaaaaaaaaaaaaaaa", "/[/", "abc~99", "abc~-1", "abc^1e309", "abc^-1", "^^^", "_id:1", "title:*", "AND", "OR OR OR", "NOT NOT NOT", "AND NOT OR",
		strings.Repeat("NOT ", 1000), strings.Repeat("a AND ", 600), strings.Repeat("a OR ", 800), `"""`, `"unclosed`, `""`, `" "`, "\\\\\\", `\"`, ":::", ":title:", ":title::title:",
		":resource_title:", ":resource_title: ", ":tag: ", ": : :", ":title: AND", strings.Repeat(":title: ", 500), "[a TO b]", "{a TO b]", "[* TO *]", ">=1", "+-+", "---",
		"\t\n\t\nabc", "abc\u0001def", "\u202eabc", "e\u0301e\u0301e\u0301", strings.Repeat("é", 2000), strings.Repeat("x", 4000), "👩‍👩‍👧‍👦👩‍👩‍👧‍👦", strings.Repeat("日本", 600),
		"'; DROP TABLE articles; --", "{\"match_all\": {}}", "${jndi:ldap://x}", "../../etc/passwd", "%00%0a", ":published_after: 9999-99-99", ":published_before: x", ":item_type: '",
		strings.Repeat("item ", 800), strings.Repeat("\"many words\" ", 300), "the of and", "NOT the", "(((item) AND ((aa))) OR (((", strings.Repeat("a-", 2000), strings.Repeat("a.b.", 1000),
	} {
		for _, direction := range []string{"asc", "desc"} {
			begin := time.Now()
			r := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": `+strings.ReplaceAll(world.Quoted(text), "\u0001", `\u0001`)+`, "order_direction": "`+direction+`"}`)
			if took := time.Since(begin); took > time.Second {
				t.Errorf("%.60q took %v", text, took)
			}
			if r.StatusCode != 200 && r.StatusCode != 422 {
				t.Errorf("%.60q answered %d %s", text, r.StatusCode, r.Bytes)
			}
		}
	}
	s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "`+strings.Repeat("x", 1<<20)+`"}`).Refuses(413, "")
	s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "`+strings.Repeat("x", 5000)+`"}`).Refuses(422, "search_for")
	if got := s.Anon.Find("item"); len(strings.Fields(got)) != 20 {
		t.Errorf("after all that a search finds %s", got)
	}
}

// Generated clients send null for what was not set.
func TestSearchNullsSayNothing(t *testing.T) {
	s := world.Start(t)
	s.Ada.Published("Null island")
	body := `{"search_for": "island", "page": null, "page_size": null, "institution": null, "order": null, "published_since": null}`
	if got := s.Anon.Send("POST", "/v2/articles/search", body).Is(200).List(); len(got) != 1 {
		t.Errorf("%d items", len(got))
	}
}
