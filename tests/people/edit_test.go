package people

import (
	"fmt"
	"strings"
	"testing"

	"alcove/record"
	"alcove/tests/world"
)

// token is one of an account, to see by the API what its pages have done.
func token(s *world.Server, mail string) world.Client {
	s.T.Helper()
	var secret string
	s.Operate("token", map[string]string{"account": mail, "name": "test"}, &secret)
	return world.Client{Server: s, Token: secret}
}

// apiOf is the address of an article in the API, by that of its form.
func apiOf(at string) string { return "/v2" + strings.TrimSuffix(at, "/edit") }

// Everything that the body of an article can say is written in one form without script, and comes back in it.
func TestEdit(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	me, b := token(s, mail), s.SignedIn(mail, world.Password)
	group := s.Group("Physics", 0)
	s.Joins(me, group)
	s.Field(record.Field{GroupID: group, Name: "Method", Type: record.FieldDropdown, Options: []string{"by hand", "by machine"}, Mandatory: true})
	s.Field(record.Field{GroupID: group, Name: "Notes", Type: record.FieldTextArea})
	at := madeItem(t, b, "Rainfall, by hand")
	if got := b.Open(strings.TrimSuffix(at, "/edit")).Is(303).Header.Get("Location"); got != at {
		t.Errorf("the address in the API leads to %q", got)
	}
	r := b.Open(at).Is(200)
	shows(t, r, "At least one author", "The field Method", `href="`+strings.TrimSuffix(at, "edit")+`files"`)
	f := fieldsOf(t, r)
	for name, value := range map[string]string{
		"title": "Rainfall in Ny-Ålesund", "description": "\r\nDaily <b>sums</b>,\r\nby hand\r\n", "defined_type": "software", "license": "8", "tags": "rain\r\n\r\n snow ",
		"funding_list": "NSF 123\r\nDFG 456", "funding": "A fund", "authors.0.name": "Ada Lovelace", "authors.0.orcid": "0000-0002-1825-0097", "authors.1.name": "Grace Hopper", "authors.0.place": "9",
		"related.0.identifier": "10.1234/paper", "related.0.type": "DOI", "related.0.relation": "IsSupplementTo", "related.0.title": "The paper", "related.1.identifier": "https://example.org/method",
		"resource_doi": "10.1234/journal", "resource_title": "Journal of rain", "custom.0": "by hand", "custom.1": "one\r\ntwo",
		"embargo_type": "file", "embargo_date": "2099-05-04", "embargo_title": "Wait", "embargo_reason": "A paper comes first", "embargo_options": "1",
		"download_disabled": "1", "publication": "2026-01-02",
	} {
		f.Set(name, value)
	}
	f["categories"] = []string{"37", "3001"}
	if got := b.Post(at, f).Is(303).Header.Get("Location"); got != at+"?saved=1" {
		t.Errorf("saving leads to %q", got)
	}
	doc := me.Get(apiOf(at)).Is(200).Object()
	for key, want := range map[string]string{
		"title": "Rainfall in Ny-Ålesund", "description": "\nDaily <b>sums</b>,\nby hand\n", "defined_type_name": "software", "tags": "[rain snow]", "funding": "A fund",
		"resource_doi": "10.1234/journal", "resource_title": "Journal of rain", "embargo_type": "file", "embargo_date": "2099-05-04T00:00:00", "embargo_title": "Wait", "download_disabled": "true", "is_metadata_record": "false",
	} {
		if got := fmt.Sprint(doc[key]); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	whole := string(me.Get(apiOf(at)).Bytes)
	for _, part := range []string{`"full_name": "Grace Hopper"`, `"orcid_id": "0000-0002-1825-0097"`, `"NSF 123"`, `"DFG 456"`, `"CC BY-SA 4.0"`, `"relation": "IsSupplementTo"`, `"value": "by hand"`, `"value": "one\ntwo"`, `"publisherPublication": "2026-01-02"`, `"id": 3001`, `"type": "logged_in"`} {
		if !strings.Contains(whole, part) {
			t.Errorf("there is no %s in %s", part, whole)
		}
	}
	if first := strings.Index(whole, "Grace Hopper"); first > strings.Index(whole, "Ada Lovelace") {
		t.Error("the authors are in the order of the rows, not of their places")
	}
	// Saved again as it comes, it changes nothing.
	r = b.Open(at + "?saved=1").Is(200)
	shows(t, r, "Saved.", "Nothing is missing.", "4 May 2099")
	before := me.Get(apiOf(at))
	b.Post(at, fieldsOf(t, r)).Is(303)
	if after := me.Get(apiOf(at)); string(after.Bytes) != string(before.Bytes) {
		t.Errorf("it was\n%s\nand is\n%s", before.Bytes, after.Bytes)
	}
	// Categories are found without script, and nothing that was written is lost.
	f = fieldsOf(t, r)
	f.Set("title", "Not saved yet")
	f.Set("do", "find")
	f.Set("sought", "ecology animal")
	r = b.Post(at, f).Is(200)
	shows(t, r, "Found categories", "Not saved yet")
	f = fieldsOf(t, r)
	f.Set("do", "rows")
	shows(t, b.Post(at, f).Is(200), "authors.8.name", "Not saved yet")
	if got := me.Get(apiOf(at)).Object()["title"]; got != "Rainfall in Ny-Ålesund" {
		t.Errorf("the title is %q", got)
	}
	// More authors than a body of an article takes.
	f = fieldsOf(t, b.Open(at))
	for n := range 30 {
		f.Set(fmt.Sprintf("authors.%d.name", n), fmt.Sprintf("Person %d", n))
		f.Set(fmt.Sprintf("authors.%d.place", n), fmt.Sprint(n+1))
	}
	b.Post(at, f).Is(303)
	if got := len(me.Get(apiOf(at)).Object()["authors"].([]any)); got != 30 {
		t.Errorf("there are %d authors", got)
	}
}

// Mistakes stand at each field and above the form, and nothing of it is stored or lost.
func TestEditRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	me, b := token(s, mail), s.SignedIn(mail, world.Password)
	at := madeItem(t, b, "Rainfall, by hand")
	before := string(me.Get(apiOf(at)).Bytes)
	f := fieldsOf(t, b.Open(at))
	for name, value := range map[string]string{
		"title": "x", "tags": "kept", "authors.0.name": "Right Person", "authors.1.name": "Wrong Digit", "authors.1.orcid": "0000-0002-1825-0098",
		"related.0.identifier": "no doi", "related.0.type": "DOI", "embargo_type": "article", "license": "99", "categories": "1",
	} {
		f.Set(name, value)
	}
	r := b.Post(at, f).Is(422)
	shows(t, r, `<a href="#title">A title has at least 3 characters</a>`, `id="title-error"`, `value="x"`, "kept", "Right Person", "ORCID iDs such as", "One of the categories does not exist",
		`<a href="#related">`, `<a href="#embargo_type">An embargo needs a day`, `<a href="#license">Choose a licence`)
	if strings.Count(string(r.Bytes), "ORCID iDs such as") != 1 {
		t.Error("the mistake is not at the one row that has it")
	}
	shows(t, b.Post(at, f, "Accept-Language", "de").Is(422), "Ein Titel hat mindestens 3 Zeichen")
	if got := string(me.Get(apiOf(at)).Bytes); got != before {
		t.Errorf("it was changed to %s", got)
	}
	f.Set("description", strings.Repeat("x", 2<<20))
	b.Post(at, f).Is(413)
	f.Set("description", "a\x00b\xff")
	b.Post(at, f).Is(422)

	other := s.SignedIn(s.Member("Byron"), world.Password)
	for _, page := range []string{"edit", "preview", "publish", "unpublish", "delete", "links"} {
		path := strings.TrimSuffix(at, "edit") + page
		hides(t, other.Open(path).Is(404), "Rainfall")
		s.Browser().Open(path).Is(303)
		if page == "preview" {
			continue
		}
		hides(t, other.Post(path, form("tag", f.Get("tag"), "title", "Taken", "reason", "because")).Is(404), "Rainfall")
		b.Post(path, form("tag", f.Get("tag")), "Sec-Fetch-Site", "cross-site").Is(403)
		b.Open(strings.Replace(path, "articles/", "articles/x", 1)).Is(400)
		b.Open("/account/articles/999999/" + page).Is(404)
	}
	other.Post(strings.TrimSuffix(at, "edit")+"doi", nil).Is(404)
	if got := string(me.Get(apiOf(at)).Bytes); got != before {
		t.Errorf("it was changed to %s", got)
	}
}

// Two windows with one draft never overwrite each other silently: what only one of them changed is kept
// beside the other, and where both changed the same, both values are shown.
func TestEditConflict(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	me, b := token(s, mail), s.SignedIn(mail, world.Password)
	at := madeItem(t, b, "Rainfall, by hand")
	one, two := fieldsOf(t, b.Open(at)), fieldsOf(t, b.Open(at))
	one.Set("title", "Rainfall, the first window")
	one.Set("tags", "rain")
	b.Post(at, one).Is(303)

	two.Set("description", "By the second window")
	r := b.Post(at, two).Is(412)
	shows(t, r, "What was saved there is in the form now", "Rainfall, the first window", "By the second window")
	merged := fieldsOf(t, r)
	b.Post(at, merged).Is(303)
	doc := me.Get(apiOf(at)).Object()
	if doc["title"] != "Rainfall, the first window" || doc["description"] != "By the second window" || fmt.Sprint(doc["tags"]) != "[rain]" {
		t.Errorf("it is %v", doc)
	}

	three, four := fieldsOf(t, b.Open(at)), fieldsOf(t, b.Open(at))
	three.Set("title", "Rainfall, the third")
	three.Set("tags", "snow")
	b.Post(at, three).Is(303)
	four.Set("title", "Rainfall, the fourth")
	r = b.Post(at, four).Is(412)
	shows(t, r, "Saved meanwhile: Rainfall, the third", `value="Rainfall, the fourth"`, `name="theirs" value="title"`, "snow")
	if got := me.Get(apiOf(at)).Object()["title"]; got != "Rainfall, the third" {
		t.Errorf("the title is %q", got)
	}
	both := fieldsOf(t, r)
	both.Set("theirs", "title")
	b.Post(at, both).Is(303)
	if got := me.Get(apiOf(at)).Object()["title"]; got != "Rainfall, the third" {
		t.Errorf("the title is %q, though the saved one was to be kept", got)
	}
	both = fieldsOf(t, r)
	both.Set("tag", fieldsOf(t, b.Open(at)).Get("tag"))
	b.Post(at, both).Is(303)
	if doc := me.Get(apiOf(at)).Object(); doc["title"] != "Rainfall, the fourth" || fmt.Sprint(doc["tags"]) != "[snow]" {
		t.Errorf("it is %v", doc)
	}
	four.Set("made", "%zz&title=x")
	b.Post(at, four).Is(412)
	four.Set("tag", "")
	b.Post(at, four).Is(422)
}

// A conditional PATCH answers with the entity tag of what it has stored, also with new people in it; one without
// a condition, and other methods, do not.
func TestPatchTellsTag(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Rainfall, by hand"}`)
	tag := s.Ada.Get(at).Header.Get("ETag")
	for _, body := range []string{`{"title": "Rainfall, again"}`, `{"authors": [{"name": "Ada Lovelace"}], "tags": ["rain"]}`} {
		r := s.Ada.Do("PATCH", at, strings.NewReader(body), "If-Match", tag).Is(205)
		if tag = r.Header.Get("ETag"); tag == "" || tag != s.Ada.Get(at).Header.Get("ETag") {
			t.Errorf("after %s the tag is %q, and read it is %q", body, tag, s.Ada.Get(at).Header.Get("ETag"))
		}
	}
	if got := s.Ada.Do("PATCH", at, strings.NewReader(`{"tags": []}`)).Is(205).Header.Get("ETag"); got != "" {
		t.Errorf("without a condition the tag is %q", got)
	}
	s.Ada.Do("PATCH", at, strings.NewReader(`{"tags": ["x"]}`), "If-Match", tag).Is(412)
}
