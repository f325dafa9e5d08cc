package people

import (
	"testing"

	"alcove/tests/world"
)

// Every form that saves a whole record has the mark of what it was made of: of two windows the second is told (412),
// what it wrote stays with what is saved below it, nothing of it is stored, and its next try is. A form without the
// mark is none of a page (422).
func TestTwoWindows(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	b := s.SignedIn(s.Member("Lovelace"), world.Password)
	project := b.Post("/account/projects", form("title", "Stations")).Is(303).Header.Get("Location")
	b.Post(project+"/notes", form("text", "Before")).Is(303)
	note := project + "/notes/" + between(t, string(b.Open(project+"/notes").Is(200).Bytes), `href="`+project+"/notes/", `"`)
	collection := b.Post("/account/collections", form("title", "Weather")).Is(303).Header.Get("Location")
	for _, one := range []struct{ name, at, field string }{
		{"profile", "/account/profile", "bio"},
		{"item", madeItem(t, b, "Rain"), "title"},
		{"collection", collection, "title"},
		{"project", project + "/edit", "description"},
		{"note", note, "text"},
	} {
		t.Run(one.name, func(t *testing.T) {
			page := b.Open(one.at).Is(200)
			first := formFields(t, page.Bytes, one.at)
			second := formFields(t, page.Bytes, one.at)
			if first.Get("tag") == "" {
				t.Fatal("the form has no mark")
			}
			first.Set(one.field, "Written first")
			second.Set(one.field, "Written second")
			b.Post(one.at, first).Is(303)
			before := s.Sequence()
			r := b.Post(one.at, second).Is(412)
			shows(t, r, "Written second", "Saved meanwhile: ", "Written first", "in another window meanwhile")
			bare := formFields(t, r.Bytes, one.at)
			bare.Del("tag")
			shows(t, b.Post(one.at, bare).Is(422), "Written second")
			if s.Sequence() != before {
				t.Error("something was changed")
			}
			again := formFields(t, r.Bytes, one.at)
			again.Set(one.field, "Written second")
			b.Post(one.at, again).Is(303)
			shows(t, b.Open(one.at).Is(200), "Written second")
		})
	}
}
