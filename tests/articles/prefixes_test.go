package articles_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/doubles"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// Items of a group that has a prefix of its own, and those of the groups below it, get their DOIs under it: when one is
// reserved or published, of collections too. An item keeps the DOI that it has. All of them are the repository's own.
func TestDOIGroupPrefixes(t *testing.T) {
	t.Parallel()
	d := doubles.StartDataCite(t)
	d.Lets("10.4321/")
	s, cyd := stage.NewInstitution(t, d.Used, func(c *config.Config) {
		c.DOI.GroupPrefixes = []string{"1=10.1234/sciences", "3=10.4321/Arts"}
	})
	made := func(c world.Client, more string) (at string, id int64) {
		at = c.Article(`{"title": "Of a group", "authors": [{"name": "A B"}]` + more + `}`)
		return at, world.LastNumber(t, at)
	}
	doiOf := func(c world.Client, at string) string { return fmt.Sprint(c.Get(at).Is(200).Object()["doi"]) }

	at, id := made(s.Ben, "") // in Limnology, below Sciences
	of := fmt.Sprintf("10.1234/sciences.%d", id)
	if got := s.Ben.Do("POST", at+"/reserve_doi", nil).Is(200).Object()["doi"]; got != of {
		t.Fatalf("reserved %v, want %s", got, of)
	}
	registered(t, d, of, "draft")
	s.Joins(s.Ben, 3)
	s.Ben.Send("PATCH", at, `{"group_id": 3}`).Is(205)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	registered(t, d, of+".v1", "findable")
	registered(t, d, of, "findable")

	kept, id := made(cyd, "")
	cyd.Do("POST", kept+"/publish", nil).Is(201)
	arts := fmt.Sprintf("10.4321/Arts.%d", id)
	registered(t, d, arts+".v1", "findable")
	registered(t, d, arts, "findable")
	if got := doiOf(s.Anon, fmt.Sprint("/v2/articles/", id)); got != arts+".v1" {
		t.Errorf("the article has %s", got)
	}
	found := s.Anon.Get("/v2/articles?doi=" + strings.ToLower(arts)).Is(200).List()
	if len(found) != 1 {
		t.Errorf("%d articles have %s", len(found), arts)
	}
	s.Anon.Get("/doi/" + arts).Is(302)

	col := cyd.NewCollection("Drawings")
	cyd.Send("PATCH", col, `{"authors": [{"name": "A B"}]}`)
	cyd.Do("POST", col+"/publish", nil).Is(201)
	registered(t, d, fmt.Sprintf("10.4321/arts.c.%d", world.LastNumber(t, col)), "findable")

	none := s.Ada.Published("Of no group")
	registered(t, d, fmt.Sprintf("10.1234/alcove.%d", none), "findable")

	// A DOI that this server gives to another item is refused under each prefix.
	at, id = made(s.Root, "")
	for _, taken := range []string{arts, fmt.Sprintf("10.1234/sciences.%d", id+1000), fmt.Sprintf("10.4321/arts.c.%d", id+1000), fmt.Sprintf("10.1234/alcove.%d", id+1000)} {
		s.Root.Send("PATCH", at, `{"doi": "`+taken+`"}`).Is(422)
	}
	s.Root.Send("PATCH", at, `{"doi": "10.4321/another"}`).Is(205)

	// All prefixes are registered when an operator says so.
	s.Cfg.Listen = s.Address()
	s.Stop()
	d.Lose(arts)
	s.Boot()
	doiCommand(s, "register", "--all")
	doiCommand(s, "check")
	registered(t, d, arts, "findable")

	// A prefix that leaves the configuration takes no DOI back: what has one keeps it, and it is told what changes.
	s.Cfg.DOI.GroupPrefixes = nil
	s.Stop()
	s.Boot()
	cyd.Do("POST", kept+"/publish", nil).Is(201)
	registered(t, d, arts+".v2", "findable")
	world.WaitFor(t, "the item names its versions", func() bool { return slices.Contains(relationsOf(d, arts), "HasVersion "+strings.ToLower(arts)+".v2") })
	if is := d.State(arts); is != "findable" {
		t.Errorf("%s is %s", arts, is)
	}
}

// Of DOIs of groups it is told, too, that nothing registers them, and which group there is not.
func TestDOIGroupPrefixesTold(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.DOI.GroupPrefixes = []string{"7=10.4321/arts"} })
	for _, said := range []string{"DOIs are given out that nothing registers", "names a group that there is not"} {
		if !strings.Contains(s.Logs.String(), said) {
			t.Errorf("the log does not say that %s: %s", said, s.Logs.String())
		}
	}
	root := s.Root.SignIn()
	if page := string(root.Open("/account/admin").Is(200).Bytes); !strings.Contains(page, "DOIs under 10.4321/arts are given out") {
		t.Errorf("the health page does not say that nothing registers them: %s", page)
	}
}
