package articles_test

import (
	"fmt"
	"slices"
	"testing"

	"alcove/tests/doubles"
	"alcove/tests/world"
)

// relationsOf are the relations of a DOI at the double, each as "relation DOI".
func relationsOf(d *doubles.DataCite, doi string) (list []string) {
	r := d.DOI(doi)
	if r == nil {
		return nil
	}
	all, _ := r.Attributes["relatedIdentifiers"].([]any)
	for _, one := range all {
		if o, _ := one.(map[string]any); o["relatedIdentifierType"] == "DOI" {
			list = append(list, fmt.Sprint(o["relationType"], " ", o["relatedIdentifier"]))
		}
	}
	return list
}

// The DOI of an item names those of its versions, and each of them that of the item; the item is told again when a version
// is added. A collection names its public members that have a DOI. Drafts are left out.
func TestDOIRelations(t *testing.T) {
	t.Parallel()
	s, d := registers(t)
	has := func(doi string, want ...string) {
		t.Helper()
		world.WaitFor(t, fmt.Sprint(doi, " has ", want), func() bool { return slices.Equal(relationsOf(d, doi), want) })
	}
	at := s.Ada.Article(`{"title": "Rain", "authors": [{"name": "A B"}], "related_materials": [{"identifier": "10.5555/paper", "identifier_type": "DOI", "relation": "IsSupplementTo"}]}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	id := world.LastNumber(t, at)
	item := fmt.Sprintf("10.1234/alcove.%d", id)
	has(item+".v1", "IsVersionOf "+item, "IsSupplementTo 10.5555/paper")
	has(item, "IsSupplementTo 10.5555/paper", "HasVersion "+item+".v1")
	s.Ada.Send("PATCH", at, `{"title": "Rain and snow"}`).Is(205)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	has(item, "IsSupplementTo 10.5555/paper", "HasVersion "+item+".v2", "HasVersion "+item+".v1")
	has(item+".v2", "IsVersionOf "+item, "IsSupplementTo 10.5555/paper")

	gone := s.Ada.Published("Withdrawn before")
	draft := s.Ada.Article(`{"title": "Not public"}`)
	s.Ada.Do("POST", draft+"/reserve_doi", nil).Is(200)
	col := s.Ada.NewCollection("Weather")
	s.Ada.Send("PATCH", col, fmt.Sprintf(`{"authors": [{"name": "A B"}], "articles": [%d, %d, %d]}`, gone, id, world.LastNumber(t, draft))).Is(205)
	s.Ada.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", gone), `{"reason": "it was wrong"}`).Is(204)
	s.Ada.Do("POST", col+"/publish", nil).Is(201)
	whole := fmt.Sprintf("10.1234/alcove.c.%d", world.LastNumber(t, col))
	has(whole, "HasVersion "+whole+".v1", "HasPart "+item)
	has(whole+".v1", "IsVersionOf "+whole, "HasPart "+item)
}

// Of many versions and members the metadata of a DOI names 100 and 500.
func TestDOIRelationsBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many items are made")
	}
	s, d := registers(t)
	at := s.Ada.Article(`{"title": "Often", "authors": [{"name": "A B"}]}`)
	for range 103 {
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
	}
	item := fmt.Sprintf("10.1234/alcove.%d", world.LastNumber(t, at))
	world.WaitFor(t, "the newest version is named", func() bool {
		list := relationsOf(d, item)
		return len(list) == 100 && list[0] == "HasVersion "+item+".v103" && list[99] == "HasVersion "+item+".v4"
	})
}
