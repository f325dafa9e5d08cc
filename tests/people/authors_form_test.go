package people

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// authorsOf are the authors of an item in the parts of their names.
func authorsOf(me world.Client, item string) string {
	var list []string
	for _, a := range me.Get(item + "/authors").Is(200).List() {
		list = append(list, fmt.Sprint(a["kind"], "|", a["given_name"], "|", a["name_particle"], "|", a["last_name"], "|", a["name_suffix"], "|", a["orcid_id"], "|", a["full_name"], "|", a["is_guessed"], "|", a["affiliations"]))
	}
	return strings.Join(list, "\n")
}

// The form writes back what it shows: an ORCID iD that is added leaves the name as it is, a guess stays one until it is
// confirmed, and what was not touched stays the same person.
func TestAuthorsInTheForm(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	me, b := token(s, mail), s.SignedIn(mail, world.Password)
	item := me.Article(`{"title": "Named in a form", "authors": [{"first_name": "Piet", "last_name": "van den Hoek"}, {"first_name": "Inés", "last_name": "Ruiz Blanco"}, {"name": "Maja Lind"},
		{"given_name": "Gio", "family_name": "Luca", "name_particle": "De", "name_suffix": "Jr."}, {"name": "Reef Watch", "kind": "organisation"},
		{"last_name": "Coral Reef"}, {"name": "Lind, Ann", "affiliations": [{"name": "Tide Office", "ror_id": "05dxps055"}]}]}`)
	before := authorsOf(me, item)
	ids := func() (list []any) {
		for _, a := range me.Get(item + "/authors").Is(200).List() {
			list = append(list, a["id"])
		}
		return list
	}
	at, was := strings.TrimPrefix(item, "/v2")+"/edit", ids()
	f := fieldsOf(t, b.Open(at).Is(200))
	b.Post(at, f).Is(303)
	if now := ids(); fmt.Sprint(now) != fmt.Sprint(was) {
		t.Errorf("saved without a change: %v became %v", was, now)
	}
	f = fieldsOf(t, b.Open(at).Is(200))
	for n, id := range map[int]string{0: "0000-0002-1825-0097", 1: "0000-0002-1694-233X", 2: "0000-0001-5109-3700", 3: "0000-0002-9079-593X", 4: "https://ror.org/05dxps055", 5: "0000-0001-5000-0007", 6: "0000-0003-1613-5981"} {
		f.Set(fmt.Sprintf("authors.%d.orcid", n), id)
	}
	b.Post(at, f).Is(303)
	expected := strings.Split(before, "\n")
	for n, id := range []string{"0000-0002-1825-0097", "0000-0002-1694-233X", "0000-0001-5109-3700", "0000-0002-9079-593X", "<nil>", "0000-0001-5000-0007", "0000-0003-1613-5981"} {
		parts := strings.Split(expected[n], "|")
		parts[5] = id
		expected[n] = strings.Join(parts, "|")
	}
	want := strings.Join(expected, "\n")
	if got := authorsOf(me, item); got != want {
		t.Errorf("ORCID iDs alone were added:\n got %s\nwant %s", got, want)
	}
	if got := me.Get(item + "/authors").Is(200).List()[4]["ror_id"]; got != "https://ror.org/05dxps055" {
		t.Errorf("the ROR ID is %v", got)
	}
	f = fieldsOf(t, b.Open(at).Is(200))
	f.Set("authors.2.sure", "1")
	f.Set("authors.4.kind", "person")
	f.Set("authors.4.name", "Reef, Wanda")
	f.Set("authors.4.orcid", "")
	f.Set("authors.6.affiliations", "Tide Office https://ror.org/05dxps055\r\nReef and Co")
	b.Post(at, f).Is(303)
	rows := strings.Split(authorsOf(me, item), "\n")
	for n, want := range map[int]string{2: "person|Maja|<nil>|Lind|<nil>|0000-0001-5109-3700|Maja Lind|false|[]", 4: "person|Wanda|<nil>|Reef|<nil>|<nil>|Wanda Reef|false|[]",
		6: "person|Ann|<nil>|Lind|<nil>|0000-0003-1613-5981|Ann Lind|false|[map[name:Tide Office ror_id:https://ror.org/05dxps055] map[name:Reef and Co ror_id:<nil>]]"} {
		if rows[n] != want {
			t.Errorf("row %d:\n got %s\nwant %s", n, rows[n], want)
		}
	}
}

// Publishing asks once whether a guessed name that has a word of organisations is that of a person.
func TestPublishingAsksForNames(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	me, b := token(s, mail), s.SignedIn(mail, world.Password)
	for body, asked := range map[string]bool{
		`[{"name": "Reef Watch Consortium"}]`: true, `[{"name": "Zentrum Meer"}]`: true, `[{"name": "Maja Lind"}]`: false,
		`[{"name": "Reef Watch Consortium", "kind": "organisation"}]`: false, `[{"name": "Consortium, Reef Watch"}]`: false,
	} {
		item := me.Article(`{"title": "Asked for names", "authors": ` + body + `}`)
		at := strings.TrimPrefix(item, "/v2") + "/publish"
		r := b.Open(at).Is(200)
		if got := strings.Contains(string(r.Bytes), `name="names"`); got != asked {
			t.Errorf("%s: asked is %v", body, got)
		}
		f := form("tag", tagOf(t, r))
		if asked {
			shows(t, b.Post(at, f).Is(422), "Confirm the names of persons")
			f.Set("names", "1")
		}
		b.Post(at, f).Is(303)
	}
}
