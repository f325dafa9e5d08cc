package articles

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/world"
)

// A DOI or a handle names one item. An administrator is refused one that another item has, in any
// form, one that the server gives out itself, and a malformed one.
func TestIdentifiersUnique(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	public := s.Ada.Published("Numbered by the server")
	reserved := s.Ada.Article(`{"title": "Reserved"}`)
	s.Ada.Do("POST", reserved+"/reserve_doi", nil).Is(200)
	s.Ada.Do("POST", reserved+"/reserve_handle", nil).Is(200)
	col := s.Ada.NewCollection("A collection")
	s.Ada.Do("POST", col+"/reserve_doi", nil).Is(200)
	elsewhere := s.Root.Article(`{"title": "From elsewhere", "authors": [{"name": "A B"}], "doi": "https://doi.org/10.9999/Else.where", "handle": "https://hdl.handle.net/2134/77"}`)
	if own := s.Root.Get(elsewhere).Object(); own["doi"] != "10.9999/Else.where" || own["handle"] != "2134/77" {
		t.Errorf("a resolver's address was kept: %v, %v", own["doi"], own["handle"])
	}
	versioned := s.Root.Article(`{"title": "With a version", "doi": "10.9999/old.v3"}`)
	other := s.Root.Article(`{"title": "Wants them", "authors": [{"name": "A B"}]}`)
	otherCol := s.Root.NewCollection("Wants them")
	s.Root.Do("POST", other+"/publish", nil).Is(201)
	id := func(at string) string { return at[strings.LastIndexByte(at, '/')+1:] }
	for _, c := range []struct{ field, value string }{
		{"doi", "not a doi"}, {"doi", "10.1/x"}, {"doi", "10.1234/"}, {"doi", "https://example.org/10.1234/x"}, {"doi", "10.1234/" + strings.Repeat("x", 250)},
		{"handle", "no handle"}, {"handle", "12345"},
		{"doi", fmt.Sprintf("10.5072/alcove.%d", public)}, {"doi", fmt.Sprintf("10.5072/ALCOVE.%d.v1", public)}, {"doi", fmt.Sprintf("doi:10.5072/alcove.%d.v7", public)},
		{"handle", fmt.Sprintf("10.5072/alcove.%d", public)},
		{"doi", "10.5072/alcove." + id(reserved)}, {"handle", "123456789/ALCOVE." + id(reserved)}, {"doi", "10.5072/alcove.c." + id(col) + ".v1"},
		{"doi", "10.5072/alcove.999"}, {"doi", "http://dx.doi.org/10.5072/alcove.999.v2"}, {"doi", "10.5072/alcove.c.999"}, {"handle", "123456789/alcove.999"},
		{"doi", "10.9999/else.where"}, {"doi", "10.9999/ELSE.where.v1"}, {"handle", "2134/77"}, {"handle", "hdl:2134/77"},
		{"doi", "10.9999/old"}, {"doi", "10.9999/old.v3"}, {"doi", "10.9999/old.v1"},
	} {
		body := fmt.Sprintf(`{"title": "Takes it", %q: %q}`, c.field, c.value)
		for _, call := range [][2]string{
			{"POST", "/v2/account/articles"}, {"PUT", other}, {"PATCH", other}, {"PUT", other + "/versions/1"}, {"PATCH", other + "/versions/1"},
			{"POST", "/v2/account/collections"}, {"PUT", otherCol}, {"PATCH", otherCol},
		} {
			r := s.Root.Send(call[0], call[1], body).Refuses(422, c.field+" ")
			if got := r.Object()["data"].(map[string]any)["field"]; got != c.field {
				t.Errorf("%s names the field %v", c.value, got)
			}
		}
	}
	// Its own stays its own, in every form; a free one is taken.
	s.Root.Send("PUT", versioned, `{"title": "With a version", "doi": "10.9999/OLD.v3"}`).Is(205)
	s.Root.Send("PATCH", elsewhere, `{"doi": "doi:10.9999/else.where", "handle": "2134/77", "title": "The same"}`).Is(205)
	s.Root.Send("PATCH", other, `{"doi": "10.5072/alcove.`+id(other)+`"}`).Is(205)
	s.Root.Send("PATCH", other, `{"doi": "10.9999/free", "handle": "2134/free"}`).Is(205)
	// The identifier of a version stays taken when the working copy has another one.
	s.Root.Send("POST", "/v2/account/articles", `{"title": "Takes it", "doi": "10.5072/alcove.`+id(other)+`"}`).Refuses(422, "doi ")
	s.Root.Do("POST", other+"/publish", nil).Is(201)
	s.Root.Send("PATCH", other, `{"doi": "10.9999/free.2"}`).Is(205)
	s.Root.Send("POST", "/v2/account/collections", `{"title": "Takes it", "doi": "10.9999/Free"}`).Refuses(422, "doi ")
	// So does that of an embargoed version.
	s.Root.Send("PUT", elsewhere+"/embargo", `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2099-01-01"}`).Is(205)
	s.Root.Do("POST", elsewhere+"/publish", nil).Is(201)
	s.Root.Send("PATCH", elsewhere, `{"doi": "10.9999/changed"}`).Is(205)
	s.Root.Send("POST", "/v2/account/articles", `{"title": "Takes it", "doi": "10.9999/else.where"}`).Refuses(422, "doi ")
	s.Restart()
	s.Root.Send("POST", "/v2/account/articles", `{"title": "Takes it", "doi": "10.9999/else.where"}`).Refuses(422, "doi ")
}

// An earlier program let items share a DOI, and have one that the server gives out later.
func TestIdentifiersShared(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	var at []string
	for range 4 {
		at = append(at, s.Ada.Article(`{"title": "An article", "authors": [{"name": "A B"}]}`))
	}
	s.Alter(func(tx *bucket.Tx) error {
		for id, doi := range map[int64]string{1: "10.9999/x", 2: "10.9999/X", 3: "10.5072/alcove.4"} {
			art, err := working.Articles.Get(tx, id)
			if err != nil {
				return err
			}
			art.DOI = doi
			if err := working.Articles.Put(tx, id, art); err != nil {
				return err
			}
		}
		return nil
	})
	s.Ada.Do("POST", at[0]+"/publish", nil).Is(201)
	s.Ada.Do("POST", at[1]+"/publish", nil).Refuses(422, "doi belongs to another item that is public")
	if s.DB().View(func(tx *bucket.Tx) error {
		if working.PublishedElsewhere(tx, record.ItemDOI("10.9999/x"), bucket.Pair{A: record.KindArticle, B: 1}) {
			return fmt.Errorf("shared")
		}
		return nil
	}) != nil {
		t.Error("two public items have one DOI")
	}
	for range 2 { // the server gives a free one, and always the same
		if got := s.Ada.Do("POST", at[3]+"/reserve_doi", nil).Is(200).Object()["doi"]; got != "10.5072/alcove.4-2" {
			t.Errorf("the DOI is %v", got)
		}
	}
	s.Ada.Do("POST", at[0]+"/publish", nil).Is(201)
	s.Ada.Do("POST", at[2]+"/publish", nil).Is(201)
	s.Ada.Do("POST", at[3]+"/publish", nil).Is(201)
	if got := s.Anon.Get("/v2/articles/4").Object()["doi"]; got != "10.5072/alcove.4-2.v1" {
		t.Errorf("published as %v", got)
	}
}

// The DOI of any public version leads to its item, in lists and searches.
func TestIdentifiersOfVersions(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "An article", "authors": [{"name": "A B"}]}`)
	col := s.Ada.NewCollection("A collection")
	s.Ada.Send("PUT", col+"/authors", `{"authors": [{"name": "A B"}]}`).Is(205)
	for range 2 {
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		s.Ada.Do("POST", col+"/publish", nil).Is(201)
	}
	for _, c := range []struct {
		kind, doi string
		found     int
	}{
		{"articles", "10.5072/alcove.1", 1}, {"articles", "10.5072/alcove.1.v1", 1}, {"articles", "https://doi.org/10.5072/ALCOVE.1.v2", 1},
		{"articles", "10.5072/alcove.1.v3", 0}, {"articles", "10.5072/alcove.1.v0", 0}, {"articles", "10.5072/alcove.1.v", 0}, {"articles", "10.5072/alcove.2.v1", 0},
		{"collections", "10.5072/alcove.c.1.v1", 1}, {"collections", "10.5072/alcove.c.1.v3", 0}, {"articles", "10.5072/alcove.1.v99999999999999999999", 0},
	} {
		body := fmt.Sprintf(`{"doi": %q}`, c.doi)
		for what, list := range map[string][]map[string]any{
			"list":       s.Anon.Get("/v2/" + c.kind + "?doi=" + c.doi).Is(200).List(),
			"search":     s.Anon.Send("POST", "/v2/"+c.kind+"/search", body).Is(200).List(),
			"own search": s.Ada.Send("POST", "/v2/account/"+c.kind+"/search", body).Is(200).List(),
		} {
			if len(list) != c.found {
				t.Errorf("%s of %s by %s has %d items", what, c.kind, c.doi, len(list))
			} else if c.found == 1 && what != "own search" && !strings.HasSuffix(list[0]["doi"].(string), ".v2") {
				t.Errorf("%s of %s by %s shows %v", what, c.kind, c.doi, list[0]["doi"])
			}
		}
	}
}
