package pages

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// linked opens a page by a private link, and holds what is promised of all of them.
func linked(t *testing.T, s *world.Server, token string) string {
	t.Helper()
	text := page(t, s.Anon, "/s/"+token, 200)
	private(t, s.Anon.Get("/s/"+token, "Accept", browser).Header)
	holds(t, text, `<meta name="robots" content="noindex">`)
	lacks(t, text, "canonical", "og:url", "ld+json")
	return text
}

func private(t *testing.T, h http.Header) {
	t.Helper()
	for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex", "Cache-Control": "private, no-store"} {
		if h.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, h.Get(name), want)
		}
	}
}

// A private link is a page with the files of the article to download, for browsers; its token is in
// no log.
func TestLinkPageOfArticle(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	made := s.Ada.Article(`{"title": "Read <i>by</i> link", "description": "<p>All of it</p>", "authors": [{"name": "Grace Hopper"}], "tags": ["rain"], "categories": [37], "references": ["https://example.org/r"]}`)
	file := s.Ada.Upload(made, "one.csv", []byte("one,two\n"))
	token := s.Ada.Link(made, "")
	text := linked(t, s, token)
	holds(t, text, "Read <i>by</i> link", "Grace Hopper", "<p>All of it</p>", "one.csv", "rain", "https://example.org/r", "Only people with the link", `<a href="/search?category=37`, ">Earth Sciences</a>")
	at := fmt.Sprintf("/files/%d?private_link=%s", world.LastNumber(t, file), token)
	holds(t, text, `href="`+at+`"`, `href="/s/`+token+`/download"`)
	if got := s.Anon.Get(at).Is(200); string(got.Bytes) != "one,two\n" {
		t.Errorf("the file is %q", got.Bytes)
	}
	zip := s.Anon.Get("/s/" + token + "/download").Is(200)
	private(t, zip.Header)
	if got := zip.Header.Get("Content-Disposition"); !strings.Contains(got, fmt.Sprintf("article-%d.zip", world.LastNumber(t, made))) {
		t.Errorf("the archive is %q", got)
	}
	holds(t, page(t, s.Anon, "/s/"+token, 200, "Accept-Language", "de"), "Privater Link")
	s.Anon.Get("/s/"+token).Refuses(404, "There is nothing at this address") // programs use the API
	s.Ada.Send("PATCH", made, `{"download_disabled": true}`).Is(205)
	text = linked(t, s, token)
	holds(t, text, "not offered for download", "one.csv")
	lacks(t, text, "/download", "/files/")

	// A link that has ended is as one that never was.
	expired, disabled := s.Ada.Link(made, ""), s.Ada.Link(made, "")
	s.ExpireLink(expired)
	s.Ada.Do("DELETE", made+"/private_links/"+disabled, nil).Is(204)
	same := func(path string, tokens ...string) {
		t.Helper()
		unknown := strings.Repeat("0", 32)
		const nothing = "/0/0"
		want := s.Anon.Get(nothing, "Accept", browser).Is(404)
		want.Header.Del("Content-Length") // the address is in the links to other languages
		for _, tok := range append(tokens, unknown, "x") {
			r := s.Anon.Get("/s/"+tok+path, "Accept", browser).Is(404)
			got, ref := strings.ReplaceAll(string(r.Bytes), "/s/"+tok+path, "AT"), strings.ReplaceAll(string(want.Bytes), nothing, "AT")
			r.Header.Del("Content-Length")
			if got != ref {
				t.Errorf("%s%s is\n%s\nnot\n%s", tok, path, got, ref)
			}
			private(t, r.Header)
			world.SameHeaders(t, "a link that has ended", r.Header, want.Header)
			if n := strings.Count(string(r.Bytes), tok); tok != "x" && n != strings.Count(string(r.Bytes), "/s/"+tok+path) {
				t.Errorf("the page of %s has the token elsewhere", tok)
			}
		}
	}
	same("", expired, disabled)
	same("/download", expired, disabled)
	for _, secret := range []string{token, expired, disabled} {
		if strings.Contains(s.Logs.String(), secret) {
			t.Error("a token is in the log")
		}
	}
}

// Many files are shown in parts.
func TestLinkPageOfManyFiles(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "Many"}`)
	for i := range 203 {
		s.Ada.BeginAs(made, fmt.Sprintf(`{"link": "https://example.org/%d"}`, i))
	}
	token := s.Ada.Link(made, "")
	text := linked(t, s, token)
	if n := strings.Count(text, `rel="noopener">Open link`); n != 200 {
		t.Fatalf("the first part has %d files", n)
	}
	_, next, _ := strings.Cut(text, `rel="next" href="`)
	next, _, _ = strings.Cut(next, `"`)
	text = page(t, s.Anon, next, 200)
	holds(t, text, "https://example.org/202", `href="/s/`+token+`#files"`)
	lacks(t, text, "https://example.org/199", `rel="next"`)
	page(t, s.Anon, "/s/"+token+"?from=nonsense", 404)
}

// The link of a collection shows its public articles only.
func TestLinkPageOfCollection(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	public, _ := published(s, `{"title": "Seen by all", "authors": [{"name": "Ada Lovelace"}]}`)
	hidden := world.LastNumber(t, s.Ada.Article(`{"title": "Seen by none"}`))
	col := s.Ada.NewCollection("A set")
	s.Ada.Send("POST", col+"/articles", fmt.Sprintf(`{"articles": [%d, %d]}`, public, hidden)).Is(201)
	token := s.Ada.Link(col, "")
	text := linked(t, s, token)
	holds(t, text, "A set", "Collection", "Seen by all")
	lacks(t, text, "Seen by none", "/download")
	page(t, s.Anon, "/s/"+token+"/download", 404)
	page(t, s.Anon, "/s/"+token+"?from=x", 404)
	lacks(t, linked(t, s, s.Ada.Link(col, `{"anonymous": true}`)), "Seen by", "Lovelace")
}

// An anonymous link tells nothing of who made an item: on its page, in what the API answers to it,
// in the names and heads of downloads.
func TestAnonymousLink(t *testing.T) {
	t.Parallel()
	s, _ := stage.NewInstitution(t)
	s.Field(record.Field{GroupID: 2, Name: "Ship", Type: record.FieldText, Identifying: true})
	s.Field(record.Field{GroupID: 2, Name: "Depth", Type: record.FieldText})
	const said = `"title": "zqvxTitle", "description": "Depths of lakes", "authors": [{"name": "Grace Zqvxhopper", "orcid_id": "0000-0002-1825-0097", "affiliations": [{"name": "Zqvx Institute", "ror_id": "05dxps055"}]},
		{"name": "Zqvx Consortium", "kind": "organisation", "ror_id": "03yrm5c26"}, {"given_name": "Gio", "family_name": "Zqvxluca", "name_particle": "zqvx-de", "name_suffix": "ZqvxJr"}], "references": ["https://example.org/zqvxref"],
		"funding_list": [{"title": "zqvxgrant"}], "custom_fields": {"Ship": "zqvxship", "Depth": "ten metres"}, "tags": ["rain"],
		"related_materials": [{"identifier": "10.9999/zqvxrel", "identifier_type": "DOI", "relation": "IsSupplementTo", "title": "zqvxrelated"}]`
	for range 40 { // so that no other id is the same
		s.Ben.Article(`{"title": "Another"}`)
		s.Ben.NewCollection("Another")
	}
	article := s.Ben.Article(strings.Replace("{"+said+"}", "zqvxTitle", "Depths", 1))
	s.Ben.Send("POST", article+"/reserve_doi", "").Is(200)
	s.Ben.Send("PUT", article+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-05-04", "embargo_title": "zqvxwait", "embargo_reason": "zqvxreason"}`).Is(205)
	file := s.Ben.Upload(article, "depths.csv", []byte("1,2\n"))
	col := s.Ben.NewCollection("Depths")
	s.Ben.Send("PATCH", col, strings.Replace("{"+said+"}", "zqvxTitle", "Depths", 1)).Is(205)
	member, _ := published(s, `{"title": "zqvxmember", "authors": [{"name": "Grace Zqvxhopper"}]}`)
	s.Ben.Send("POST", col+"/articles", fmt.Sprintf(`{"articles": [%d]}`, member)).Is(201)
	s.Ben.Send("POST", col+"/reserve_doi", "").Is(200)
	for _, at := range []string{article, col} {
		s.Ben.Send("POST", at+"/resource", `{"id": "zqvxid", "title": "zqvxpaper", "doi": "10.9999/zqvx", "link": "https://doi.org/10.9999/zqvx", "status": "zqvx", "version": 1}`).Is(205)
	}

	for _, at := range []string{article, col} {
		id := fmt.Sprint(world.LastNumber(t, at))
		token := s.Ben.Link(at, `{"anonymous": true}`)
		hidden := func(where, text string) {
			t.Helper()
			text = strings.ReplaceAll(text, token, "") // which may begin with the digits of the id by chance
			for _, secret := range []string{"zqvx", "Zqvx", "Grace", "0000-0002", "05dxps055", "03yrm5c26", "10.5072", "Lovelace", "ben@", `"id": ` + id + ",", "/" + id, "article-" + id, "Ship"} {
				if strings.Contains(text, secret) {
					t.Errorf("%s tells %q:\n%s", where, secret, text)
				}
			}
		}
		whole := func(r *world.Reply) string {
			text := string(r.Bytes)
			for name, values := range r.Header {
				if name != "X-Request-Id" && name != "Date" && name != "Etag" { // random, or a sum
					text += "\n" + name + ": " + strings.Join(values, ",")
				}
			}
			return text
		}
		text := linked(t, s, token)
		hidden("the page", text)
		holds(t, text, "Depths", "Depths of lakes", "rain", "ten metres", "does not tell who made the item")
		named := linked(t, s, s.Ben.Link(at, ""))
		holds(t, named, "Grace Zqvxhopper", "zqvxrelated", "zqvxgrant", "zqvxpaper", "zqvxship")
		paths := []string{at, at + "/authors", at + "/categories"}
		if at == col {
			paths = append(paths, at+"/articles")
		} else {
			paths = append(paths, at+"/files", file)
		}
		for _, path := range paths {
			for _, who := range []world.Client{s.Anon, s.Ada} {
				hidden(path, whole(who.Linked(token, "GET", path, "").Is(200)))
			}
		}
		doc := s.Anon.Linked(token, "GET", at, "").Object()
		if doc["id"] != 0.0 || doc["citation"] != "" || len(doc["authors"].([]any)) != 0 || doc["title"] != "Depths" {
			t.Errorf("%s is %v", at, doc)
		}
		if at == article {
			for _, path := range []string{"/s/" + token + "/download", fmt.Sprintf("/articles/%s?private_link=%s", id, token)} {
				r := s.Anon.Get(path).Is(200)
				if got := r.Header.Get("Content-Disposition"); !strings.Contains(got, `"files.zip"`) {
					t.Errorf("the archive is %q", got)
				}
				hidden(path, whole(r))
			}
			hidden("the file", whole(s.Anon.Get(fmt.Sprintf("/files/%d?private_link=%s", world.LastNumber(t, file), token)).Is(200)))
		} else if doc["articles_count"] != 0.0 {
			t.Errorf("%v articles", doc["articles_count"])
		}

		// It is said when the link is made, and stays.
		link := at + "/private_links/" + token
		if l := s.Ben.Get(link).Is(200).Object(); l["anonymous"] != true {
			t.Errorf("the link is %v", l)
		}
		s.Ben.Send("PUT", link, `{"anonymous": false}`).Refuses(422, "anonymous is said when a link is made, and stays; make another link")
		s.Ben.Send("PUT", at+"/private_links/"+s.Ben.Link(at, ""), `{"anonymous": true}`).Refuses(422, "")
		s.Ben.Send("PUT", link, `{"anonymous": true, "expires_date": "2098-01-01"}`).Is(205)
	}
	s.Ben.Send("POST", col+"/private_links", `{"anonymous": true, "read_only": false}`).Refuses(422, "read_only must be true for an anonymous link")
	token := s.Ben.Link(col, `{"anonymous": true}`)
	s.Anon.Linked(token, "PATCH", col, `{"title": "Mine"}`).Is(401)
}

// An item that was ever public has no anonymous link: its authors are known.
func TestAnonymousLinkRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	const refused = "An item that was public cannot have an anonymous link: its authors are known"
	id, _ := published(s, `{"title": "Known", "authors": [{"name": "Ada Lovelace"}]}`)
	at := fmt.Sprintf("/v2/account/articles/%d", id)
	s.Ada.Send("POST", at+"/private_links", `{"anonymous": true}`).Refuses(422, refused)
	s.Ada.Send("POST", at+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	s.Ada.Send("POST", at+"/private_links", `{"anonymous": true}`).Refuses(422, refused)
	if n := len(s.Ada.Get(at + "/private_links").List()); n != 0 {
		t.Errorf("there are %d links", n)
	}
	s.Ada.Link(at, `{"anonymous": false}`)
}

// The owner who makes an anonymous link is told which texts name an author.
func TestAnonymousLinkWarns(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Lakes by Hopper", "description": "Ask ADA@example.org of it, or the team of Jos\u00e9 van der Berg", "tags": ["0000-0002-1825-0097"],
		"authors": [{"name": "Grace Hopper"}, {"name": "van der Berg, Jose"}, {"name": "Li Li", "orcid_id": "0000-0002-1825-0097"}]}`)
	s.Ada.Upload(at, "GraceHopper2026.csv", []byte("1,2\n"))
	s.Ada.Upload(at, "alias.csv", []byte("1,2\n"))
	told := fmt.Sprint(s.Ada.Send("POST", at+"/private_links", `{"anonymous": true}`).Is(201).Object()["warnings"])
	holds(t, told, "title names an author: Hopper", "description names an author: ", "tags names an author: 0000-0002-1825-0097", "names an author: Hopper]")
	if strings.Count(told, "file ") != 1 {
		t.Errorf("told of %s", told)
	}
	if told := s.Ada.Send("POST", at+"/private_links", "").Is(201).Object()["warnings"]; fmt.Sprint(told) != "[]" {
		t.Errorf("a named link warns of %v", told)
	}
}
