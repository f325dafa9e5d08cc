package articles_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

// registers starts a server that registers its DOIs at a double of DataCite.
func registers(t *testing.T, change ...func(*config.Config)) (*world.Server, *doubles.DataCite) {
	t.Helper()
	d := doubles.StartDataCite(t)
	here := func(c *config.Config) { c.MetricsListen = "127.0.0.1:0" }
	return world.Start(t, append([]func(*config.Config){d.Used, here}, change...)...), d
}

// doiCommand runs a command on the registration of DOIs.
func doiCommand(s *world.Server, args ...string) string {
	s.T.Helper()
	args = append([]string{"doi"}, args...)
	out, msg, status := world.AlcoveRun(s.T, append(args, "--data", s.Cfg.Data, "--doi-prefix", s.Cfg.DOIPrefix, "--doi-group-prefixes", strings.Join(s.Cfg.DOI.GroupPrefixes, ","))...)
	if status != 0 {
		s.T.Fatalf("alcove %s: %s", strings.Join(args, " "), msg)
	}
	return out
}

// registered waits until the double has a DOI in a state.
func registered(t *testing.T, d *doubles.DataCite, doi, state string) *doubles.RegisteredDOI {
	t.Helper()
	world.WaitFor(t, doi+" is "+state, func() bool { return d.State(doi) == state })
	return d.DOI(doi)
}

// A DOI is told to the registrar when its item becomes public, never before: that of the version first, then that of
// the item. Changes are told again; an item that was withdrawn is hidden.
func TestDOIRegistration(t *testing.T) {
	t.Parallel()
	s, d := registers(t)
	at := s.Ada.Article(`{"title": "Rain & snow <i>2024</i>", "description": "<p>Weather.</p>", "authors": [{"name": "Lovelace, Ada"}], "defined_type": "dataset"}`)
	id := world.LastNumber(t, at)
	item := fmt.Sprintf("10.1234/alcove.%d", id)
	if got := s.Ada.Do("POST", at+"/reserve_doi", nil).Is(200).Object()["doi"]; got != item {
		t.Fatalf("reserved %v, want %s", got, item)
	}
	registered(t, d, item, "draft")
	if r := d.DOI(item); len(r.Attributes) != 1 || r.URL != "" {
		t.Errorf("of a draft the registrar was told %v, %s", r.Attributes, r.URL)
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	one := registered(t, d, item+".v1", "findable")
	whole := registered(t, d, item, "findable")
	title := func(r *doubles.RegisteredDOI) any {
		titles, _ := r.Attributes["titles"].([]any)
		return titles[0].(map[string]any)["title"]
	}
	page := fmt.Sprintf("/%d", id)
	if title(one) != "Rain & snow 2024" || !strings.HasPrefix(one.URL, s.URL+"/articles/") || !strings.HasSuffix(one.URL, page+"/1") || !strings.HasSuffix(whole.URL, page) {
		t.Errorf("the registrar has %v at %s and at %s", title(one), one.URL, whole.URL)
	}
	s.Anon.Get(strings.TrimPrefix(one.URL, s.URL)).Is(200)
	s.Anon.Get(strings.TrimPrefix(whole.URL, s.URL)).Is(200)

	s.Ada.Send("PATCH", at, `{"title": "Rain, corrected"}`).Is(205)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	registered(t, d, item+".v2", "findable")
	world.WaitFor(t, "the item has its new title", func() bool { return title(d.DOI(item)) == "Rain, corrected" })
	if title(d.DOI(item+".v1")) != "Rain & snow 2024" {
		t.Errorf("version 1 is called %v", title(d.DOI(item+".v1")))
	}

	s.Root.Send("POST", at+"/unpublish", `{"reason": "it was wrong"}`).Is(204)
	for _, doi := range []string{item + ".v1", item + ".v2", item} {
		registered(t, d, doi, "registered")
	}
	s.Anon.Get(strings.TrimPrefix(d.DOI(item).URL, s.URL)).Is(410)
	puts := slices.DeleteFunc(d.Asked(), func(a string) bool { return !strings.HasSuffix(a, " publish") })
	if len(puts) < 4 || puts[0] != "PUT "+item+".v1 publish" || puts[1] != "PUT "+item+" publish" {
		t.Errorf("the registrar was asked in the order %q", puts)
	}
	for _, doi := range []string{item + ".v1", item + ".v2", item} {
		if n := d.DOI(doi).Created; n != 1 {
			t.Errorf("%s came to be %d times", doi, n)
		}
	}

	// Saving a draft of a public item tells the registrar nothing; an item whose title must not be read has none there.
	kept := s.Ada.Article(`{"title": "Names of patients", "authors": [{"name": "A B"}]}`)
	s.Ada.Do("POST", kept+"/publish", nil).Is(201)
	secret := fmt.Sprintf("10.1234/alcove.%d", world.LastNumber(t, kept))
	registered(t, d, secret, "findable")
	asked := len(d.Asked())
	s.Ada.Send("PATCH", kept, `{"title": "A draft of the next version"}`).Is(205)
	registered(t, d, fmt.Sprintf("10.1234/alcove.%d", s.Ada.Published("Published later")), "findable")
	for _, a := range d.Asked()[asked:] {
		if strings.Contains(a, secret) {
			t.Errorf("after a draft was saved: %s", a)
		}
	}
	s.Root.Send("POST", kept+"/unpublish", `{"reason": "The law says so", "hide_title": true}`).Is(204)
	for _, doi := range []string{secret + ".v1", secret} {
		if r := registered(t, d, doi, "registered"); strings.Contains(fmt.Sprint(r), "patients") || strings.Contains(fmt.Sprint(r), "A B") {
			t.Errorf("the registrar has still %v", r.Attributes)
		}
		s.Anon.Get(strings.TrimPrefix(d.DOI(doi).URL, s.URL)).Is(410)
	}

	draft := s.Ada.Article(`{"title": "Never finished"}`)
	other := fmt.Sprintf("10.1234/alcove.%d", world.LastNumber(t, draft))
	s.Ada.Do("POST", draft+"/reserve_doi", nil).Is(200)
	registered(t, d, other, "draft")
	s.Ada.Do("DELETE", draft, nil).Is(204)
	world.WaitFor(t, "the draft is gone", func() bool { return d.DOI(other) == nil })

	col := s.Ada.NewCollection("Weather of a year")
	s.Ada.Send("PATCH", col, `{"authors": [{"name": "Lovelace, Ada"}]}`)
	s.Ada.Do("POST", col+"/publish", nil).Is(201)
	registered(t, d, fmt.Sprintf("10.1234/alcove.c.%d", world.LastNumber(t, col)), "findable")
}

// An item under an embargo as a whole is not told before it is public.
func TestDOIWaitsUntilPublic(t *testing.T) {
	t.Parallel()
	s, d := registers(t)
	at := s.Ada.Article(`{"title": "Later", "authors": [{"name": "A B"}]}`)
	date, end := world.InSeconds(4)
	s.Ada.Embargo(at, "article", date)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	doi := fmt.Sprintf("10.1234/alcove.%d", world.LastNumber(t, at))
	for time.Now().Before(end.Add(-time.Second)) {
		if state := d.State(doi); state == "findable" || d.State(doi+".v1") != "" {
			t.Fatalf("%s is %s, and an embargo holds it", doi, state)
		}
		<-time.After(50 * time.Millisecond)
	}
	registered(t, d, doi+".v1", "findable")
	registered(t, d, doi, "findable")
}

// Whatever goes wrong at the registrar, each DOI comes to be once, and an operator sees why one does not.
func TestDOITrouble(t *testing.T) {
	t.Parallel()
	s, d := registers(t)
	for _, c := range []struct {
		name    string
		trouble doubles.Trouble
	}{
		{"down", doubles.Trouble{Status: 503}},
		{"broken", doubles.Trouble{Status: 500}},
		{"too many", doubles.Trouble{Status: 429, RetryAfter: "1"}},
		{"lost answer", doubles.Trouble{Drop: true}},
		{"account refused", doubles.Trouble{Status: 401}},
		{"refused", doubles.Trouble{Status: 422}},
		{"redirected", doubles.Trouble{Status: 302}},
		{"slow", doubles.Trouble{Slow: 2 * time.Second}},
	} {
		d.Always(&c.trouble)
		at := s.Ada.Article(fmt.Sprintf(`{"title": "In trouble: %s", "authors": [{"name": "A B"}]}`, c.name))
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		doi := fmt.Sprintf("10.1234/alcove.%d", world.LastNumber(t, at))
		if c.trouble.Slow == 0 {
			world.WaitFor(t, c.name+" is told", func() bool {
				said := doiCommand(s, "status", "--json")
				return strings.Contains(said, `"halted"`) || strings.Contains(said, `"error"`)
			})
		}
		d.Always(nil)
		doiCommand(s, "retry")
		for _, name := range []string{doi + ".v1", doi} {
			if r := registered(t, d, name, "findable"); r.Created != 1 {
				t.Errorf("%s: %s came to be %d times", c.name, name, r.Created)
			}
		}
		world.WaitFor(t, "nothing waits", func() bool {
			said := doiCommand(s, "status", "--json")
			return strings.Contains(said, `"waiting": 0`) && strings.Contains(said, `"parked": 0`) && !strings.Contains(said, `"halted"`)
		})
	}
	// An item that was public only while the registrar was away never comes to be there.
	d.Always(&doubles.Trouble{Status: 503})
	at := s.Ada.Article(`{"title": "Public for a moment", "authors": [{"name": "A B"}]}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	world.WaitFor(t, "it is tried", func() bool { return strings.Contains(doiCommand(s, "status", "--json"), `"error"`) })
	s.Root.Send("POST", at+"/unpublish", `{"reason": "it was wrong"}`).Is(204)
	d.Always(nil)
	doiCommand(s, "retry")
	world.WaitFor(t, "nothing waits", func() bool { return strings.Contains(doiCommand(s, "status", "--json"), `"waiting": 0`) })
	if doi := fmt.Sprintf("10.1234/alcove.%d", world.LastNumber(t, at)); d.DOI(doi) != nil || d.DOI(doi+".v1") != nil {
		t.Errorf("%s came to be", doi)
	}
	// A word of an operator that comes while a try is under way, which then fails, is heeded.
	d.Always(&doubles.Trouble{Status: 422, Slow: 2 * time.Second})
	begun := d.Begun()
	hasty := fmt.Sprintf("10.1234/alcove.%d", s.Ada.Published("Tried again too soon"))
	world.WaitFor(t, "a request is under way", func() bool { return d.Begun() > begun })
	d.Always(nil)
	doiCommand(s, "retry")
	registered(t, d, hasty+".v1", "findable")
	registered(t, d, hasty, "findable")
	world.WaitFor(t, "nothing waits", func() bool { return strings.Contains(doiCommand(s, "status", "--json"), `"waiting": 0`) })
	if m := s.Scrape(); m["alcove_doi_registered{}"] != 18 || m["alcove_doi_waiting{}"] != 0 {
		t.Errorf("metrics: %v registered, %v wait", m["alcove_doi_registered{}"], m["alcove_doi_waiting{}"])
	}
}

// After a restore of an older state a
// DOI that the registrar has meanwhile of another item stays as it is there.
func TestDOIRestored(t *testing.T) {
	t.Parallel()
	s, d := registers(t)
	first := s.Ada.Published("Kept")
	registered(t, d, fmt.Sprintf("10.1234/alcove.%d", first), "findable")
	dest := t.TempDir()
	s.BackedUp(dest)
	lost := s.Ada.Published("Lost with the disk")
	doi := fmt.Sprintf("10.1234/alcove.%d", lost)
	was := *registered(t, d, doi, "findable")
	d.Always(&doubles.Trouble{Status: 503})
	s.Ada.Published("Waits when the server ends")
	s.Cfg.Listen = s.Address()
	s.Stop()

	dir := t.TempDir() + "/restored"
	if out, msg, status := world.AlcoveRun(t, "restore", dest, dir, "--next-id", fmt.Sprint(lost)); status != 0 {
		t.Fatal(out, msg)
	}
	s.Cfg.Data = dir
	d.Always(nil)
	asked := len(d.Asked())
	s.Boot()
	world.WaitFor(t, "the registrar is compared", func() bool { return strings.Contains(doiCommand(s, "status", "--json"), `"compared"`) })
	for _, a := range d.Asked()[asked:] {
		if !strings.HasPrefix(a, "GET ") {
			t.Errorf("after the restore: %s", a)
		}
	}
	if id := s.Ada.Published("Another with the same id"); id != lost {
		t.Fatalf("the id is %d, want %d", id, lost)
	}
	world.WaitFor(t, "the DOI is parked", func() bool { return strings.Contains(doiCommand(s, "status"), "the registrar has this DOI already") })
	if is := d.DOI(doi); is.State != was.State || is.URL != was.URL || fmt.Sprint(is.Attributes) != fmt.Sprint(was.Attributes) {
		t.Errorf("the DOI of a lost item was rewritten: %v", is)
	}
	doiCommand(s, "retry", "--doi", doi, "--take-over")
	world.WaitFor(t, "the DOI is that of the item here", func() bool { return strings.Contains(fmt.Sprint(d.DOI(doi).Attributes), "Another with the same id") })
}

// Items that were public before there was a registrar are registered when an operator says so. When the address of the site
// changes each DOI leads to the new one.
func TestDOIRegisterAll(t *testing.T) {
	t.Parallel()
	d := doubles.StartDataCite(t)
	s := world.Start(t, func(c *config.Config) { c.DOIPrefix = "10.1234/alcove" })
	s.Cfg.Listen = s.Address()
	id := s.Ada.Published("Before the registrar")
	doi := fmt.Sprintf("10.1234/alcove.%d", id)
	s.Stop()
	d.Used(&s.Cfg)
	s.Boot()
	later := s.Ada.Published("With the registrar")
	registered(t, d, fmt.Sprintf("10.1234/alcove.%d", later), "findable")
	if d.DOI(doi) != nil {
		t.Error("what was public before was registered without a word")
	}
	doiCommand(s, "register", "--all")
	registered(t, d, doi+".v1", "findable")
	registered(t, d, doi, "findable")

	s.Stop()
	s.Cfg.SiteURL = "https://elsewhere.example.org"
	s.Boot()
	for _, name := range []string{doi, doi + ".v1", fmt.Sprintf("10.1234/alcove.%d", later)} {
		world.WaitFor(t, name+" has moved", func() bool { return strings.HasPrefix(d.DOI(name).URL, "https://elsewhere.example.org/articles/") })
	}
}

// Before a registrar has confirmed a DOI nothing cites it as an address: not the citation of the API, nor the page, its
// exports and typed links, nor OAI-PMH. Afterwards all do, and harvesters get the item again. A DOI that the registrar
// has lost is not cited until it is told again.
func TestDOICited(t *testing.T) {
	t.Parallel()
	s, d := registers(t)
	d.Always(&doubles.Trouble{Status: 503})
	at := s.Ada.Article(`{"title": "Not yet", "authors": [{"name": "Ada Lovelace"}], "defined_type": "dataset"}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	id := world.LastNumber(t, at)
	col := s.Ada.NewCollection("Neither")
	s.Ada.Send("PATCH", col, `{"authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Do("POST", col+"/publish", nil).Is(201)
	doi, ofCol := fmt.Sprintf("10.1234/alcove.%d", id), fmt.Sprintf("10.1234/alcove.c.%d", world.LastNumber(t, col))
	page := strings.TrimPrefix(s.Anon.Get(fmt.Sprint("/v2/articles/", id)).Object()["url_public_html"].(string), s.URL)
	places := []string{
		fmt.Sprint("/v2/articles/", id), fmt.Sprintf("/v2/articles/%d/versions/1", id), at, page, page + "/1", page + "/linkset",
		fmt.Sprintf("/v2/collections/%d", world.LastNumber(t, col)), col,
		"/v2/oai?verb=ListRecords&metadataPrefix=oai_dc", "/v2/oai?verb=ListRecords&metadataPrefix=dcat",
	}
	for _, f := range []string{"apa", "bibtex", "ris", "csl", "cff", "schemaorg", "croissant", "ro-crate", "datacite-xml"} {
		places = append(places, fmt.Sprintf("/export/articles/%d/1/%s", id, f))
	}
	cites := func(place string) bool {
		t.Helper()
		c := s.Anon
		if strings.HasPrefix(place, "/v2/account/") {
			c = s.Ada
		}
		r := c.Get(place).Is(200)
		if strings.Contains(place, "/export/") && !strings.Contains(place, "/apa") && !strings.Contains(place, "schemaorg") {
			return strings.Contains(string(r.Bytes), doi) // in whichever way
		}
		return strings.Contains(string(r.Bytes)+r.Header.Get("Link"), "https://doi.org/10.1234/")
	}
	for _, place := range places {
		if cites(place) {
			t.Errorf("%s cites a DOI that is not registered: %s", place, s.Ada.Get(place).Bytes)
		}
	}
	if got := fmt.Sprint(s.Anon.Get(places[0]).Object()["citation"]); !strings.HasSuffix(got, s.URL+page) {
		t.Errorf("the citation is %q", got)
	}
	stamps := regexp.MustCompile(`<datestamp>([^<]+)`)
	stamp := func() string { return stamps.FindString(string(s.Anon.Get(places[8]).Is(200).Bytes)) }
	before := stamp()

	time.Sleep(1100 * time.Millisecond) // a datestamp has whole seconds
	d.Always(nil)
	doiCommand(s, "retry")
	for _, name := range []string{doi + ".v1", doi, ofCol} {
		registered(t, d, name, "findable")
	}
	for _, place := range places {
		world.WaitFor(t, place+" cites the DOI", func() bool { return cites(place) })
	}
	if now := stamp(); now <= before {
		t.Errorf("the datestamp is %s, and was %s", now, before)
	}

	d.Lose(doi + ".v1")
	d.Always(&doubles.Trouble{Status: 503, Method: "PUT"})
	doiCommand(s, "check")
	world.WaitFor(t, "what was lost is not cited", func() bool { return !cites(places[0]) })
	d.Always(nil)
	doiCommand(s, "retry")
	world.WaitFor(t, "it is cited again", func() bool { return cites(places[0]) })
}

// A DOI that the registrar does not let our account have, as its prefix is another one's, is refused alone; an account that
// is refused holds up all of them.
func TestDOIForeign(t *testing.T) {
	t.Parallel()
	s, d := registers(t)
	doi := func(id int64) string { return fmt.Sprintf("10.1234/alcove.%d", id) }
	halted := func() bool { return strings.Contains(doiCommand(s, "status", "--json"), `"halted"`) }
	for _, status := range []int{403, 404} {
		begin := s.Ada.Article(`{"title": "Of another account", "authors": [{"name": "A B"}]}`)
		foreign := doi(world.LastNumber(t, begin))
		d.Always(&doubles.Trouble{Status: status, DOI: foreign, Method: "PUT"})
		s.Ada.Do("POST", begin+"/publish", nil).Is(201)
		other := doi(s.Ada.Published("Of ours"))
		for _, name := range []string{foreign + ".v1", other + ".v1", other} {
			registered(t, d, name, "findable")
		}
		world.WaitFor(t, "one is refused", func() bool { return strings.Contains(doiCommand(s, "status", "--json"), `"parked": 1`) })
		if halted() || !strings.Contains(doiCommand(s, "status"), fmt.Sprintf("the registrar answered %d", status)) {
			t.Errorf("%d: %s", status, doiCommand(s, "status"))
		}
		d.Always(nil)
		doiCommand(s, "retry", "--doi", foreign)
		registered(t, d, foreign, "findable")
	}
	// The registrar is asked what it has of all the others, too.
	first := doi(s.Ada.Published("Moved to another account"))
	last := doi(s.Ada.Published("Lost there"))
	registered(t, d, first, "findable")
	registered(t, d, last, "findable")
	d.Lose(last)
	d.Always(&doubles.Trouble{Status: 403, DOI: first})
	doiCommand(s, "check")
	registered(t, d, last, "findable")
	world.WaitFor(t, "one is refused", func() bool {
		said := doiCommand(s, "status", "--json")
		return strings.Contains(said, `"parked": 1`) && strings.Contains(said, `"compared"`)
	})
	d.Always(&doubles.Trouble{Status: 401})
	late := doi(s.Ada.Published("Later"))
	world.WaitFor(t, "nothing is sent", halted)
	if d.DOI(late) != nil || strings.Contains(doiCommand(s, "status", "--json"), `"parked": 2`) {
		t.Errorf("an account that was refused does not hold up all: %s", doiCommand(s, "status"))
	}
}
