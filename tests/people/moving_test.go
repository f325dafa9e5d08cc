package people

import (
	"fmt"
	"strings"
	"testing"

	"alcove/record"
	"alcove/tests/stage"
)

// An item moves to another group by its form: the fields of the new group come, values of the old one stay, and a
// field that the new group asks for is missing before it can be published. A group that is not the person's is refused.
func TestMovingBetweenGroups(t *testing.T) {
	t.Parallel()
	s, _ := stage.NewInstitution(t)
	b := s.Ada.SignIn()
	s.Field(record.Field{GroupID: 1, Name: "Station", Type: record.FieldText})
	s.Field(record.Field{GroupID: 2, Name: "Depth", Type: record.FieldText, Mandatory: true})
	at := madeItem(t, b, "Rainfall, by hand")
	f := fieldsOf(t, b.Open(at).Is(200))
	f.Set("group_id", "1")
	b.Post(at, f).Is(303)
	r := b.Open(at).Is(200)
	shows(t, r, ">Station<")
	hides(t, r, ">Depth")
	f = fieldsOf(t, r)
	f.Set("custom.0", "Ny-Ålesund")
	f.Set("authors.0.name", "Ada Lovelace")
	b.Post(at, f).Is(303)
	f = fieldsOf(t, b.Open(at))
	f.Set("group_id", "2")
	b.Post(at, f).Is(303)
	shows(t, b.Open(at).Is(200), "Depth (needed to publish)", "Ny-Ålesund", "The field Depth")
	base := strings.TrimSuffix(at, "edit")
	shows(t, b.Post(base+"publish", form("tag", tagOf(t, b.Open(base+"publish")))).Is(422), "Depth")
	f = fieldsOf(t, b.Open(at))
	for i := range 2 {
		if f.Get(fmt.Sprintf("custom.%d.name", i)) == "Depth" {
			f.Set(fmt.Sprintf("custom.%d", i), "2 m")
		}
	}
	b.Post(at, f).Is(303)
	got := fmt.Sprint(s.Ada.Get(apiOf(at)).Object()["custom_fields"])
	if !strings.Contains(got, "Ny-Ålesund") || !strings.Contains(got, "2 m") {
		t.Errorf("the fields are %s", got)
	}
	b.Post(base+"publish", form("tag", tagOf(t, b.Open(base+"publish")))).Is(303)

	f = fieldsOf(t, b.Open(at))
	f.Set("group_id", "3")
	shows(t, b.Post(at, f).Is(422), "You cannot put items into this group", "Rainfall, by hand")
	shows(t, b.Post(at, f, "Accept-Language", "de").Is(422), "Gruppe")
	if group := s.Ada.Get(apiOf(at)).Object()["group_id"]; group != 2.0 {
		t.Errorf("the group is %v", group)
	}
	ben := s.Ben.SignIn()
	own := madeItem(t, ben, "Of the department")
	f = fieldsOf(t, ben.Open(own))
	f.Set("group_id", "1")
	shows(t, ben.Post(own, f).Is(422), "You cannot put items into this group")
}
