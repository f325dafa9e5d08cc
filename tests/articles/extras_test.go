package articles

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// collection makes a collection and returns its address below the server's.
func collection(c world.Client, body string) string {
	c.Server.T.Helper()
	return strings.TrimPrefix(c.Send("POST", "/v2/account/collections", body).Is(201).Header.Get("Location"), c.Server.URL)
}

// some is the values of the keys of an object, as text.
func some(r *world.Reply, keys ...string) string {
	r.T.Helper()
	o := r.Is(200).Object()
	var out []string
	for _, k := range keys {
		v, ok := o[k]
		if !ok {
			r.T.Errorf("%s has no %s", r.Request.URL.Path, k)
		}
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, "\n")
}

const fullExtras = `"authors": [{"first_name": "Grace", "last_name": "Hopper", "email": "g@navy.example", "orcid_id": "0000-0002-1825-0097"}],
	"categories": [37], "categories_by_source_id": ["300204", "nothing", "30"], "references": ["https://lost.example"],
	"related_materials": [{"identifier": "10.1234/abc", "identifier_type": "DOI", "relation": "IsSupplementTo", "title": "The zeugma paper", "is_linkout": true},
		{"identifier": "https://example.org/ref", "title": "Reference"}, {"identifier": "978-3-16-148410-0", "identifier_type": "ISBN", "relation": "Cites"}],
	"funding_list": [{"title": " Quagga Foundation 7 "}, {"title": "Second grant"}, {"title": "Quagga Foundation 7"}], "keywords": ["kelp"],
	"timeline": {"firstOnline": "2015-12-31", "publisherPublication": "2016-01-02T03:04:05", "posted": "1999-01-01"}`

// The extras of articles and collections come back in the own detail and, once published, in the
// public one; an update by PATCH changes what it names; null clears.
func TestExtras(t *testing.T) {
	for _, kind := range []string{"articles", "collections"} {
		t.Run(kind, func(t *testing.T) {
			s := world.Start(t)
			r := s.Ada.Send("POST", "/v2/account/"+kind, `{"title": "Full of extras", `+fullExtras+`}`).Is(201)
			if got := fmt.Sprint(r.Object()["warnings"]); got != `["categories" was ignored: categories_by_source_id counts "references" was ignored: related_materials counts `+
				`"authors[0].email" was ignored: addresses of authors are not kept Unknown key "timeline.posted" was ignored There is no category with the source id "nothing"]` {
				t.Errorf("warnings %s", got)
			}
			own, public := r.Header.Get("Location"), fmt.Sprintf("/v2/%s/1", kind)
			funding := map[string]string{"articles": "funding_list", "collections": "funding"}[kind]
			shown := []string{"references", "related_materials", "keywords", "tags", funding}
			check := func(r *world.Reply) {
				t.Helper()
				o := r.Is(200).Object()
				for key, want := range map[string]string{
					"categories": "source_id:300204", "references": "[https://example.org/ref]", "keywords": "[kelp]", funding: "title:Quagga Foundation 7",
					"related_materials": "link:https://doi.org/10.1234/abc relation:IsSupplementTo title:The zeugma paper",
				} {
					if got := fmt.Sprint(o[key]); !strings.Contains(got, want) {
						t.Errorf("%s is %s, want %s", key, got, want)
					}
				}
				if got := fmt.Sprint(o["categories"]); strings.Contains(got, "id:37 ") || !strings.Contains(got, "id:30 ") {
					t.Errorf("categories %s", got)
				}
				if grants, materials := o[funding].([]any), o["related_materials"].([]any); len(grants) != 2 || len(materials) != 3 {
					t.Errorf("%d grants, %d materials", len(grants), len(materials))
				}
				line := o["timeline"].(map[string]any)
				if line["firstOnline"] != "2015-12-31" || line["publisherPublication"] != "2016-01-02T03:04:05" || line["publisherAcceptance"] != nil || line["posted"] == "1999-01-01" {
					t.Errorf("timeline %v", line)
				}
			}
			check(s.Ada.Get(own))
			before := some(s.Ada.Get(own), shown...)
			s.Ada.Do("POST", own+"/publish", nil).Is(201)
			v1 := s.Anon.Get(public)
			check(v1)
			if got := some(v1, shown...); got != before {
				t.Errorf("public\n%s\nown\n%s", got, before)
			}

			// Keys that are not named stay.
			s.Ada.Send("PATCH", own, `{"timeline": {"publisherAcceptance": "2015-01-01"}, "references": ["https://example.org/two", "https://example.org/ref"]}`).Is(205)
			o := s.Ada.Get(own).Object()
			if line := o["timeline"].(map[string]any); line["firstOnline"] != "2015-12-31" || line["publisherAcceptance"] != "2015-01-01" {
				t.Errorf("timeline %v", line)
			}
			if got := fmt.Sprint(o["related_materials"]); strings.Count(got, "identifier:") != 4 || !strings.Contains(got, "title:Reference") || !strings.Contains(got, "identifier:https://example.org/two") {
				t.Errorf("materials after an update of the references: %s", got)
			}
			if got := fmt.Sprint(o[funding]); !strings.Contains(got, "Quagga") {
				t.Errorf("grants %s", got)
			}

			// A body that was read can be sent back.
			materials := some(s.Ada.Get(own), "related_materials")
			raw := string(s.Ada.Get(own).Bytes)
			at := strings.Index(raw, `"related_materials": [`)
			end := strings.Index(raw[at:], `}]`) + at + 2
			s.Ada.Send("PATCH", own, `{`+raw[at:end]+`, "`+funding+`_": 1}`).Is(205)
			if got := some(s.Ada.Get(own), "related_materials"); got != materials {
				t.Errorf("sent back\n%s\nbefore\n%s", got, materials)
			}

			// Null clears.
			s.Ada.Send("PATCH", own, `{"related_materials": null, "funding_list": null, "timeline": null, "categories_by_source_id": null, "tags": null}`).Is(205)
			if got := some(s.Ada.Get(own), "references", "related_materials", funding, "categories", "keywords"); got != "[]\n[]\n[]\n[]\n[]" {
				t.Errorf("after null: %s", got)
			}
			if line := s.Ada.Get(own).Object()["timeline"].(map[string]any); line["firstOnline"] == "2015-12-31" || line["publisherAcceptance"] != nil {
				t.Errorf("timeline after null: %v", line)
			}
			if again := s.Anon.Get(public); string(again.Bytes) != string(v1.Bytes) {
				t.Error("an update changed the public version")
			}
		})
	}
}

// Grants and materials can be named by the id of one in another item of the same account only.
func TestExtrasByID(t *testing.T) {
	s := world.Start(t)
	s.Ada.Article(`{"title": "The first", "funding": "Written freely", ` + fullExtras + `}`)
	collection(s.Ada, `{"title": "A collection", "funding": "Of a collection"}`)
	s.Ada.Send("POST", "/v2/account/projects", `{"title": "A project", "funding_list": [{"title": "Of a project"}]}`).Is(201)
	ids := map[string]int64{}
	for _, g := range s.Ada.Send("POST", "/v2/account/funding/search", `{}`).Is(200).List() {
		ids[g["title"].(string)] = int64(g["id"].(float64))
	}
	for _, title := range []string{"Quagga Foundation 7", "Second grant", "Written freely", "Of a collection", "Of a project"} {
		at := s.Ada.Article(fmt.Sprintf(`{"title": "The second", "funding_list": [{"id": %d}]}`, ids[title]))
		if got := some(s.Ada.Get(at), "funding_list"); !strings.Contains(got, "title:"+title) {
			t.Errorf("%s by its id is %s", title, got)
		}
	}
	material := int64(s.Ada.Get("/v2/account/articles/1").Object()["related_materials"].([]any)[0].(map[string]any)["id"].(float64))
	col := collection(s.Ada, fmt.Sprintf(`{"title": "Reuses", "related_materials": [{"id": %d, "relation": "Describes"}]}`, material))
	if got := some(s.Ada.Get(col), "related_materials"); !strings.Contains(got, "identifier:10.1234/abc") || !strings.Contains(got, "relation:Describes title:The zeugma paper") {
		t.Errorf("a material by its id is %s", got)
	}
	ben := s.Ben.Article(`{"title": "Ben's own"}`)
	before := s.Sequence()
	grant := ids["Second grant"]
	for _, c := range []struct {
		who        world.Client
		path, body string
		message    string
	}{
		{s.Ben, ben, fmt.Sprintf(`{"funding_list": [{"id": %d}]}`, grant), "funding_list names a grant that is in none"},
		{s.Ben, ben, fmt.Sprintf(`{"related_materials": [{"id": %d}]}`, material), "related_materials names a material that is in none"},
		{s.Ada, "/v2/account/articles/1", `{"funding_list": [{"id": 7}], "authors": [{"name": "Never Stored"}]}`, "funding_list"},
		{s.Ada, "/v2/account/articles/1", `{"related_materials": [{"id": -7}]}`, "related_materials"},
		{s.Ada, "/v2/account/projects/1", `{"funding_list": [{"id": 7}]}`, "funding_list"},
		{s.Ada, col, `{"timeline": {"firstOnline": "soon"}}`, "timeline.firstOnline"},
	} {
		c.who.Send("PATCH", c.path, c.body).Refuses(422, c.message)
	}
	if s.Sequence() != before {
		t.Error("a refusal changed the store")
	}
	p := some(s.Ada.Get("/v2/account/projects/1"), "funding_list")
	s.Ada.Send("PATCH", "/v2/account/projects/1", `{"description": "x"}`).Is(205)
	s.Ada.Do("POST", "/v2/account/projects/1/publish", nil).Is(201)
	if got := some(s.Anon.Get("/v2/projects/1"), "funding_list"); got != p || !strings.Contains(got, "Of a project") {
		t.Errorf("public grants %s, own %s", got, p)
	}
	if got := s.Anon.Send("POST", "/v2/projects/search", `{"search_for": "\"of a project\""}`).Shown(); got != "1" {
		t.Errorf("searching a project by its grant finds %s", got)
	}
}

// group_id: the group of the account or one that it administers; blank says nothing.
func TestExtrasGroup(t *testing.T) {
	s, cyd := stage.NewInstitution(t)
	for _, make := range []func(world.Client, string) *world.Reply{
		func(c world.Client, body string) *world.Reply { return c.Send("POST", "/v2/account/articles", body) },
		func(c world.Client, body string) *world.Reply { return c.Send("POST", "/v2/account/collections", body) },
	} {
		for _, c := range []struct {
			who   world.Client
			group string
			want  any // the group, nil for a refusal
		}{
			{s.Ben, `2`, 2.0}, {s.Ben, `0`, 2.0}, {s.Ben, `null`, 2.0}, {s.Ben, `1`, nil}, {s.Ben, `3`, nil}, {s.Ben, `99`, nil}, {s.Ben, `-2`, nil},
			{s.Ada, `1`, 1.0}, {s.Ada, `2`, 2.0}, {s.Ada, `3`, nil}, {cyd, `3`, 3.0}, {cyd, `2`, nil}, {s.Root, `2`, 2.0}, {s.Root, `99`, nil},
		} {
			r := make(c.who, `{"title": "In a group", "group_id": `+c.group+`}`)
			if c.want == nil {
				r.Refuses(403, "You cannot put items into this group")
				continue
			}
			at := r.Is(201).Header.Get("Location")
			if got := c.who.Get(at).Object()["group_id"]; got != c.want {
				t.Errorf("group_id %s gives %v, want %v", c.group, got, c.want)
			}
			c.who.Send("PATCH", at, fmt.Sprintf(`{"group_id": %v}`, c.want)).Is(205)
			c.who.Send("PATCH", at, `{"group_id": 99}`).Refuses(403, "group")
		}
	}
	at := s.Ada.Article(`{"title": "Moving", "authors": [{"name": "A B"}], "group_id": 1}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Send("PATCH", at+"/versions/1", `{"group_id": 2}`).Is(205)
	if got := s.Anon.Get("/v2/articles?group=2").Shown() + " " + s.Anon.Get("/v2/articles?group=1").Shown(); got != fmt.Sprint(world.LastNumber(t, at))+" " {
		t.Errorf("lists by group after the version moved: %q", got)
	}
}

// A public version takes the extras, and notes that are shown to no caller.
func TestExtrasOfVersion(t *testing.T) {
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "To be corrected", "authors": [{"name": "A B"}]}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	own := s.Ada.Get(at).Is(200)
	s.Ada.Send("PATCH", at+"/versions/1", `{"download_disabled": true, `+fullExtras+`}`).Is(205)
	if got := some(s.Anon.Get("/v2/articles/1"), "download_disabled", "references", "funding_list", "related_materials"); !strings.HasPrefix(got, "true\n[https://example.org/ref]") ||
		!strings.Contains(got, "Quagga") || !strings.Contains(got, "zeugma") {
		t.Errorf("the version shows %s", got)
	}
	if again := s.Ada.Get(at); string(again.Bytes) != string(own.Bytes) {
		t.Error("the working copy changed")
	}
	for _, search := range []string{"zeugma", "quagga", ":references: zeugma", ":references: 10.1234/abc", "978-3-16-148410-0", ":references: 978-3-16-148410-0"} {
		if got := s.Anon.Send("POST", "/v2/articles/search", fmt.Sprintf(`{"search_for": %q}`, search)).Shown(); got != "1" {
			t.Errorf("searching %s finds %q", search, got)
		}
	}
	for _, method := range []string{"PUT", "PATCH"} { // a body of today's clients has nothing else
		r := s.Ada.Send(method, at+"/versions/1", `{"supplementary_fields": [{"name": "abc", "value": "canary1"}], "internal_metadata": {"curation_review_date": "canary2", "export": null}}`).Is(205)
		if got := fmt.Sprint(r.Object()["warnings"]); got != "[]" {
			t.Errorf("%s warns of %s", method, got)
		}
	}
	for _, c := range []world.Client{s.Anon, s.Ada} {
		for _, path := range []string{"/v2/articles/1", "/v2/articles/1/versions/1", at} {
			if body := string(c.Get(path).Bytes); strings.Contains(body, "canary") {
				t.Errorf("%s shows the notes", path)
			}
		}
	}
	s.Alter(func(tx *bucket.Tx) error {
		v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: 1, B: 1})
		if got := fmt.Sprintf("%s %s", v.Supplementary, v.Internal); got != `[{abc "canary1"}] [{curation_review_date "canary2"} {export null}]` {
			t.Errorf("kept are %s", got)
		}
		return err
	})
	s.Ada.Send("PUT", at+"/versions/1", `{"supplementary_fields": [], "description": "x"}`).Refuses(422, "title is required")
	s.Ada.Send("PATCH", at+"/versions/1", `{"supplementary_fields": [{"value": 1}]}`).Refuses(422, "supplementary_fields")
	s.Ada.Send("PATCH", at+"/versions/1", `{"internal_metadata": []}`).Refuses(422, "internal_metadata")
}

// A metadata record has no files; download_disabled and handles; keys that are reserved to
// administrators.
func TestExtrasOfArticles(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "A record only", "is_metadata_record": true, "metadata_reason": "hosted somewhere else", "download_disabled": true}`)
	if got := some(s.Ada.Get(at), "is_metadata_record", "metadata_reason", "download_disabled"); got != "true\nhosted somewhere else\ntrue" {
		t.Errorf("shown is %s", got)
	}
	for _, body := range []string{`{"name": "a.txt", "size": 1}`, `{"link": "https://example.org"}`} {
		s.Ada.Send("POST", at+"/files", body).Refuses(422, "A metadata record has no files")
	}
	s.Ada.Send("PATCH", at, `{"is_metadata_record": false, "download_disabled": null}`).Is(205)
	file, _ := s.Ada.BeginAs(at, `{"link": "https://example.org"}`)
	before := s.Sequence()
	s.Ada.Send("PATCH", at, `{"is_metadata_record": true}`).Refuses(422, "is_metadata_record cannot be true while the article has files")
	s.Ada.Send("PATCH", at, `{"handle": "1234/5"}`).Refuses(403, "handle")
	s.Ada.Send("PATCH", at, `{"download_disabled": "yes"}`).Refuses(422, "download_disabled")
	if s.Sequence() != before {
		t.Error("a refusal changed the store")
	}
	s.Ada.Send("PATCH", at, `{"handle": ""}`).Is(205)
	s.Ada.Do("DELETE", file, nil).Is(204)
	s.Ada.Send("PATCH", at, `{"is_metadata_record": true}`).Is(205)
	for _, kind := range []string{"articles", "collections"} {
		own := s.Root.Send("POST", "/v2/account/"+kind, `{"title": "By staff", "doi": "10.1234/`+kind+`", "handle": "1234/`+kind+`"}`).Is(201).Header.Get("Location")
		s.Root.Send("PATCH", own, `{"handle": null, "doi": null}`).Is(205)
		if got := some(s.Root.Get(own), "doi", "handle"); got != "10.1234/"+kind+"\n1234/"+kind {
			t.Errorf("%s: %s", kind, got)
		}
	}
	s.Ada.Send("POST", "/v2/account/collections", `{"title": "Not staff", "doi": "10.1/x"}`).Refuses(403, "doi")
}

// A record from before has none of the extras, and reads and publishes as it did.
func TestExtrasOfOldRecords(t *testing.T) {
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "From before", "references": ["https://example.org/old"], "authors": [{"name": "A B"}]}`)
	s.Alter(func(tx *bucket.Tx) error {
		art, err := working.Articles.Get(tx, 1)
		if err != nil {
			return err
		}
		art.Related, art.FundingList, art.Timeline = nil, nil, record.Timeline{}
		return working.Articles.Put(tx, 1, art)
	})
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for _, r := range []*world.Reply{s.Ada.Get(at), s.Anon.Get("/v2/articles/1")} {
		if got := some(r, "funding_list", "references", "related_materials"); !strings.HasPrefix(got, "[]\n[https://example.org/old]\n[map[id:") || !strings.Contains(got, "identifier_type:URL") {
			t.Errorf("shown is %s", got)
		}
	}
}
