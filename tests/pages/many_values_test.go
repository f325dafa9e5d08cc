package pages

import (
	"fmt"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/record"
	"alcove/tests/world"
)

// An item with 5,000 authors and 5,000 keywords stands in every facet and is found by every filter.
func TestManyValuesLeaveFacetsWhole(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	group := s.Group("Snow lab", 0)
	at := s.Root.Article(fmt.Sprintf(`{"title": "Glaciers of everyone", "group_id": %d, "defined_type": "software", "license": 2,
		"categories": [300101], "tags": %s}`, group, world.JSONList(5000, `"keyword# first#"`)))
	s.Root.Send("PUT", at+"/authors", `{"authors": `+world.JSONList(5000, `{"name": "Vorname# Mittel# Nachname#"}`)+`}`).Is(205)
	s.Root.Upload(at, "snow.csv", []byte("a,b\n"))
	s.Root.Do("POST", at+"/publish", nil).Is(201)
	id := fmt.Sprint(world.LastNumber(t, at))
	other := s.Ada.Published("Another")
	s.Alter(func(tx *bucket.Tx) error {
		return world.AlterPublic(tx, other, func(p *record.PublicArticle, _ *record.ArticleVersion) { p.Published = world.Day(1, 0) })
	})
	s.Eventually("the index has the item", func() bool {
		return s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "glaciers"}`).StatusCode == 200
	})

	text := page(t, s.Anon, "/search", 200)
	year := fmt.Sprint(time.Now().UTC().Year())
	for _, f := range [][2]string{
		{"Type", "Software"}, {"Licence", "CC0"}, {"Year", year}, {"Group", fmt.Sprint("Group ", group)},
		{"Category", "Agricultural, Veterinary And Food Sciences"},
	} {
		if n := counted(text, f[0], f[1]); n != 1 {
			t.Errorf("facet %s counts %d items of %s, want 1: %v", f[0], n, f[1], facetsOn(text))
		}
	}
	for _, words := range []string{
		":item_type: software", ":license: 2", ":category: 300101", fmt.Sprintf(":group: %d", group), ":institution: 1 AND glaciers",
		":author: Vorname1 Nachname1", ":author: Nachname5000", ":tag: \"keyword1 first1\"", ":tag: \"keyword5000 first5000\"",
		":extension: csv", ":published_after: 2021-01-01", "Nachname4999", "keyword4999",
	} {
		if got := s.Anon.Find(words); got != id {
			t.Errorf("%q finds %q, want %s", words, got, id)
		}
	}
	for _, query := range []string{
		"type=software", "licence=2", "category=30", "category=300101", "year=" + year, fmt.Sprintf("group=%d", group),
		"tag=keyword1+first1", "author=Vorname1+Nachname1",
	} {
		if n := total(t, page(t, s.Anon, "/search?"+query, 200)); n != 1 {
			t.Errorf("/search?%s has %d results, want 1", query, n)
		}
	}
}
