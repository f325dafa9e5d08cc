package people

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/config"
	"alcove/record"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

// Administrators of the institution see how the registrar is, which DOIs wait or are refused and why, and have them tried
// again. To all others the page does not exist.
func TestAdminDOIs(t *testing.T) {
	t.Parallel()
	d := doubles.StartDataCite(t)
	s := world.Start(t, d.Used)
	root := s.Root.SignIn()
	const at = "/account/admin/dois"
	page := func() *world.Reply { t.Helper(); return root.Open(at).Is(200) }
	shows(t, page(), d.Address, "None yet", "What is due is sent", "Nothing waits, and nothing is refused")
	hides(t, page(), `name="do"`)
	shows(t, root.Open("/account/admin").Is(200), `<a href="/account/admin/dois">DOIs</a>`, "0 wait, 0 failed")

	// One that the registrar refuses stands there alone: the others go on.
	doi := func(id int64) string { return fmt.Sprintf("10.1234/alcove.%d", id) }
	fine := s.Ada.Published("Rain")
	world.WaitFor(t, "it is registered", func() bool { return d.State(doi(fine)) == "findable" })
	made := s.Ada.Article(`{"title": "Snow <i>1974</i>", "authors": [{"name": "Ada Lovelace"}]}`)
	id := world.LastNumber(t, made)
	d.Always(&doubles.Trouble{Status: 403, DOI: doi(id) + ".v1"})
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	world.WaitFor(t, "it is refused", func() bool { return strings.Contains(string(page().Bytes), "the prefix belongs to another one") })
	world.WaitFor(t, "the item is registered", func() bool { return d.State(doi(id)) == "findable" })
	world.WaitFor(t, "nothing else waits", func() bool { return !strings.Contains(string(page().Bytes), "<code>"+doi(id)+"</code>") })
	r := page()
	shows(t, r, "<code>"+doi(id)+".v1</code>", fmt.Sprintf(`<a href="/articles/%d">Snow 1974</a>`, id), "Register", "the registrar answered 403", "Not by itself", "Try again: "+doi(id)+".v1", "Try all of them again")
	hides(t, r, "None yet", "Nothing is sent before")
	root.Open(root.Open(fmt.Sprintf("/articles/%d", id)).Is(302).Header.Get("Location")).Is(200)
	row := rowOf(t, root.Open("/account/admin").Is(200).Bytes, `<a href="/account/admin/dois">DOIs</a>`)
	if !strings.Contains(row, "0 wait, 1 failed") || !strings.Contains(row, `class="state closed"`) {
		t.Errorf("the health page says %s", row)
	}
	shows(t, root.Open(at, "Accept-Language", "de").Is(200), "Abgelehnt", "Das Präfix gehört einem anderen", "Wiederholen", "Gescheiterte Versuche: 1")

	d.Always(nil)
	to := root.Post(at, form("do", "retry", "doi", doi(id)+".v1")).Is(303).Header.Get("Location")
	shows(t, root.Open(to).Is(200), "The DOI is tried again now")
	world.WaitFor(t, "it is registered", func() bool { return d.State(doi(id)+".v1") == "findable" })
	world.WaitFor(t, "nothing waits", func() bool { return strings.Contains(string(page().Bytes), "Nothing waits, and nothing is refused") })

	// An account that is refused holds up all of them, until it is right and an administrator says so.
	d.Always(&doubles.Trouble{Status: 401})
	draft := s.Ada.Article(`{"title": "Hail, unfinished"}`)
	s.Ada.Do("POST", draft+"/reserve_doi", nil).Is(200)
	world.WaitFor(t, "nothing is sent", func() bool { return strings.Contains(string(page().Bytes), "Nothing is sent before") })
	shows(t, page(), "The registrar refuses the account or its password", "Reserve", "Hail, unfinished")
	hides(t, page(), ">Hail, unfinished</a>")
	shows(t, root.Open("/account/admin").Is(200), "The registrar refuses the account or its password. 1 wait")
	d.Always(nil)
	to = root.Post(at, form("do", "retry_all")).Is(303).Header.Get("Location")
	shows(t, root.Open(to).Is(200), "All of them are tried again now")
	world.WaitFor(t, "it is reserved", func() bool { return d.State(doi(world.LastNumber(t, draft))) == "draft" })

	// A title that was taken back with its item is not shown.
	d.Always(&doubles.Trouble{Status: 422})
	s.Root.Send("POST", made+"/unpublish", `{"reason": "The law says so", "hide_title": true}`).Is(204)
	world.WaitFor(t, "it is refused", func() bool { return strings.Contains(string(page().Bytes), "refuses what it was told") })
	shows(t, page(), "Hide: the item was withdrawn", fmt.Sprintf(`<a href="/articles/%d">Article %d</a>`, id, id))
	hides(t, page(), "Snow")

	ada := s.Ada.SignIn()
	ada.Open(at).Is(404)
	ada.Post(at, form("do", "retry_all")).Is(404)
	s.Browser().Open(at).Is(303)
	root.Post(at, form("do", "retry_all"), "Sec-Fetch-Site", "cross-site").Is(403)
	root.Post(at, form("do", "retry", "doi", "10.1234/unknown")).Is(404)
	root.Post(at, form("do", "retry")).Is(404)
	root.Post(at, form("do", "forget", "doi", doi(id))).Is(422)
	root.Open(at + "?page=0").Is(404)
}

// Of many DOIs that the registrar refuses 50 stand on a page, that whose try failed last first.
func TestAdminDOIsPaged(t *testing.T) {
	t.Parallel()
	d := doubles.StartDataCite(t)
	s := world.StartWithin(t, d.Used)
	root := s.Root.SignIn()
	const many = 120
	s.Alter(func(tx *bucket.Tx) error {
		for n := range many {
			id, err := exchange.Registrations.NextID(tx)
			if err != nil {
				return err
			}
			r := record.Registration{
				DOI: fmt.Sprintf("10.1234/alcove.%d", 9000+n), Kind: record.KindArticle, Item: int64(9000 + n), Wanted: record.DOIFindable, Parked: true,
				Error: "refused", Cause: record.CauseInvalid, Failed: tx.Now().Add(-time.Duration(n*7%many) * time.Hour),
			}
			if err := exchange.Registrations.Put(tx, id, &r); err != nil {
				return err
			}
		}
		return nil
	})
	name := regexp.MustCompile(`<code>10\.1234/alcove\.(9\d+)</code>`)
	at, pages, seen := "/account/admin/dois", 0, 0
	for next := regexp.MustCompile(`rel="next" href="([^"]+)"`); at != ""; pages++ {
		r := root.Open(at).Is(200)
		for _, m := range name.FindAllStringSubmatch(string(r.Bytes), -1) {
			var n int
			fmt.Sscan(m[1], &n)
			if (n-9000)*7%many != seen {
				t.Fatalf("on page %d stands %s as number %d", pages+1, m[0], seen)
			}
			seen++
		}
		at = ""
		if m := next.FindSubmatch(r.Bytes); m != nil {
			at = string(m[1])
		}
	}
	if pages != 3 || seen != many {
		t.Errorf("%d DOIs stand on %d pages", seen, pages)
	}
	shows(t, root.Open("/account/admin").Is(200), "0 wait, 120 failed")
	root.Open("/account/admin/dois?page=100").Is(200)
}

// DOIs under a prefix that someone owns are not given out silently where nothing registers them.
func TestAdminDOIsWithoutRegistrar(t *testing.T) {
	t.Parallel()
	const lost = "DOIs under 10.1234/repo are given out, and nothing registers them: they lead nowhere."
	s := world.Start(t, func(c *config.Config) { c.DOIPrefix = "10.1234/repo" })
	root := s.Root.SignIn()
	for _, at := range []string{"/account/admin", "/account/admin/dois"} {
		shows(t, root.Open(at).Is(200), `role="alert"`, lost)
	}
	hides(t, root.Open("/account/admin/dois").Is(200), `name="do"`)
	root.Post("/account/admin/dois", form("do", "retry_all")).Is(404)
	s.Anon.Get("/readyz").Is(200)

	tests := world.Start(t)
	root = tests.Root.SignIn()
	hides(t, root.Open("/account/admin").Is(200), `role="alert"`)
	shows(t, root.Open("/account/admin").Is(200), "examples that lead nowhere")
}
