package people

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/cli/operate"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// printed is the one-time address that a page shows, as a path.
func printed(t *testing.T, r *world.Reply) string {
	t.Helper()
	at := regexp.MustCompile(`/one-time/[A-Za-z0-9_-]+`).Find(r.Bytes)
	if at == nil {
		t.Fatalf("no address in %s", r.Bytes)
	}
	return string(at)
}

// An administrator of the institution finds a person, gives it room, a role and a new password, signs it out, and
// disables it and enables it again.
func TestAdminPeople(t *testing.T) {
	t.Parallel()
	s, _ := stage.NewInstitution(t)
	root := s.Root.SignIn()
	shows(t, root.Open("/account").Is(200), `<a href="/account/admin">Administration</a>`)
	shows(t, root.Open("/account/admin").Is(200), "Disk", "Backup", "Search index", "Version")
	r := root.Open("/account/admin/people").Is(200)
	shows(t, r, "ada@example.org", "ben@example.org", "cyd@example.org", "Limnology")
	r = root.Open("/account/admin/people?name=BEN+test&state=active&group=2").Is(200)
	shows(t, r, "ben@example.org", `value="BEN test"`)
	hides(t, r, "cyd@example.org")
	shows(t, root.Open("/account/admin/people?name=nothing").Is(200), "No account matches")

	id := s.Ben.ID()
	at := fmt.Sprintf("/account/admin/people/%d", id)
	shows(t, root.Open(at).Is(200), "ben@example.org", "Passkeys", "not lately")
	done := func(want string, pairs ...string) {
		t.Helper()
		where := root.Post(at, form(pairs...)).Is(303).Header.Get("Location")
		shows(t, root.Open(where).Is(200), want)
	}
	done("The quota was stored", "do", "quota", "quota", "2,5")
	if got := s.Ben.Get("/v2/account").Is(200).Object()["quota"]; got != 2.5e9 {
		t.Errorf("the quota is %v", got)
	}
	shows(t, root.Open(at).Is(200), `value="2.5"`)
	done("The role was granted", "do", "grant", "grant_group", "2", "grant_role", "2")
	shows(t, root.Open(at).Is(200), "Take the role: Reviewer, Limnology")
	done("The role was taken", "do", "revoke", "group", "2", "role", "2")
	shows(t, root.Open(at).Is(200), "No roles in groups")
	done("The account was moved", "do", "group", "group", "3")
	shows(t, root.Open("/account/admin/people?group=3").Is(200), "ben@example.org")

	r = root.Post(at, form("do", "reset")).Is(201)
	shows(t, r, "shown this once")
	ben := s.Browser()
	ben.Post(printed(t, r), form("new", newPassword, "again", newPassword)).Is(303)
	ben.Open("/account").Is(200)
	hides(t, root.Open(at).Is(200), "/one-time/", "not lately")
	done("All sessions were ended", "do", "sessions")
	ben.Open("/account").Is(303)
	done("administers the institution now", "do", "admin")
	done("no more", "do", "no_admin")
	done("disabled, and signed out", "do", "disable")
	s.Ben.Get("/v2/account").Is(401)
	shows(t, root.Open("/account/admin/people?state=disabled").Is(200), "ben@example.org")
	done("The account was enabled", "do", "enable")
	s.Ben.Get("/v2/account").Is(200)
	shows(t, root.Open(at, "Accept-Language", "de").Is(200), "Konto sperren")
	if page := root.Open("/account/admin/audit?account=root@example.org&kind=accounts").Is(200); strings.Count(string(page.Bytes), "ben@example.org") < 4 {
		t.Errorf("the audit trail has not what was done: %s", page.Bytes)
	}
}

// An administrator of a group sees its people only, and no page of the institution; others see none at all. A form
// that is refused changes nothing.
func TestAdminScope(t *testing.T) {
	t.Parallel()
	s, cyd := stage.NewInstitution(t)
	other := s.Root
	root, ada, ben := other.SignIn(), s.Ada.SignIn(), s.Ben.SignIn()
	person := func(c world.Client) string { return fmt.Sprintf("/account/admin/people/%d", c.ID()) }
	hides(t, ben.Open("/account").Is(200), "/account/admin")
	pages := []string{"/account/admin", "/account/admin/people", "/account/admin/people/invite", person(s.Ben), "/account/admin/groups", "/account/admin/groups/1",
		"/account/admin/storage", "/account/admin/dois", "/account/admin/settings", "/account/admin/audit", "/account/admin/audit.csv", "/account/admin/export", "/account/admin/items.csv", "/account/admin/items.xlsx", "/account/admin/usage.csv", "/account/admin/usage.xlsx", "/account/admin/dataset-report.json"}
	for _, page := range pages {
		ben.Open(page).Is(404)
		s.Browser().Open(page).Is(303)
	}
	for page, status := range map[string]int{"/account/admin": 303, "/account/admin/dois": 404, "/account/admin/settings": 404, "/account/admin/audit": 404, "/account/admin/audit.csv": 404, "/account/admin/storage": 200, "/account/admin/export": 200} {
		ada.Open(page).Is(status)
	}
	r := ada.Open("/account/admin/people").Is(200)
	shows(t, r, "ben@example.org")
	hides(t, r, "cyd@example.org", "root@example.org", "Arts", "Settings")
	hides(t, ada.Open("/account/admin/groups").Is(200), "Arts")
	ada.Open("/account/admin/groups/3").Is(404)
	shows(t, ada.Open("/account/admin/groups/2").Is(200), "Custom fields")
	none := ada.Open("/account/admin/people/987654").Is(404)
	for _, hidden := range []string{person(cyd), person(other)} {
		if got := ada.Open(hidden).Is(404); strings.ReplaceAll(string(got.Bytes), hidden[strings.LastIndexByte(hidden, '/'):], "/987654") != string(none.Bytes) {
			t.Errorf("%s is told from none: %s", hidden, got.Bytes)
		}
	}

	before := s.Sequence()
	for i, try := range []struct {
		by     *world.Browser
		at     string
		fields url.Values
		status int
	}{
		{ada, person(cyd), form("do", "disable"), 404},
		{ada, person(s.Ben), form("do", "group", "group", "3"), 403},
		{ada, person(s.Ben), form("do", "group", "group", "0"), 403},
		{ada, person(s.Ben), form("do", "grant", "grant_group", "3", "grant_role", "1"), 403},
		{ada, person(s.Ben), form("do", "admin"), 403},
		{ada, person(s.Ben), form("do", "quota", "quota", "many"), 422},
		{ada, person(s.Ben), form("do", "quota", "quota", "NaN"), 422},
		{ada, person(s.Ben), form("do", "quota", "quota", "-1"), 422},
		{ada, person(s.Ben), form("do", "fly"), 422},
		{ada, person(s.Ben), form("do", "grant", "grant_group", "2", "grant_role", "9"), 422},
		{ada, "/account/admin/groups", form("do", "add", "name", "New"), 404},
		{ada, "/account/admin/groups/2", form("do", "change", "name", "New", "parent", "0"), 403},
		{ada, "/account/admin/groups/2", form("do", "remove"), 403},
		{ada, "/account/admin/settings", form("do", "banner", "en", "Hello"), 404},
		{ada, "/account/admin/people/invite", form("do", "one", "email", "new@example.org", "group", "3"), 422},
		{ada, "/account/admin/people/invite", form("do", "one", "email", "new@example.org", "group", ""), 422},
		{root, person(other), form("do", "disable"), 403},
		{root, person(other), form("do", "no_admin"), 403},
		{ben, person(s.Ben), form("do", "quota", "quota", "9"), 404},
		{ben, "/account/admin/groups/2", form("do", "add_field", "name", "x"), 404},
		{ben, "/account/admin/people/invite", form("do", "one", "email", "new@example.org", "group", "2"), 404},
	} {
		if got := try.by.Post(try.at, try.fields); got.StatusCode != try.status {
			t.Errorf("%d: %s %v: %d, want %d: %s", i, try.at, try.fields, got.StatusCode, try.status, got.Bytes)
		}
	}
	root.Post(person(s.Ben), form("do", "disable"), "Origin", "https://elsewhere.example").Is(403)
	if s.Sequence() != before {
		t.Error("what was refused has changed something")
	}
	// One who administers more cannot be changed by one who administers less.
	s.Role(s.Ben, 3, "administrator")
	shows(t, ada.Open(person(s.Ben)).Is(200), "administers more than yours")
	ada.Post(person(s.Ben), form("do", "reset")).Is(403)
}

// A person is invited into a group and begins there; a table of people is looked at, done, and done once more without
// effect.
func TestAdminInvite(t *testing.T) {
	t.Parallel()
	s, _ := stage.NewInstitution(t)
	s.Enter()
	root, ada := s.Root.SignIn(), s.Ada.SignIn()
	at := "/account/admin/people/invite"
	shows(t, ada.Open(at).Is(200), "One line a person", "Limnology")
	r := ada.Post(at, form("do", "one", "email", "mary@example.org", "first_name", "Mary", "last_name", "Anning", "group", "2")).Is(201)
	path := printed(t, r)
	mary := s.Browser()
	shows(t, mary.Open(path).Is(200), `value="Mary"`, `value="Anning"`)
	mary.Post(path, form("first_name", "Mary", "last_name", "Anning", "new", newPassword, "again", newPassword)).Is(303)
	shows(t, ada.Open("/account/admin/people?name=anning").Is(200), "mary@example.org", "Limnology")
	shows(t, ada.Post(at, form("do", "one", "email", "mary@example.org", "group", "2")).Is(422), "already")
	shows(t, ada.Post(at, form("do", "one", "email", "Mary <m@example.org>", "group", "2")).Is(422), "no mail address", "m@example.org")

	lines := "email;first;last;group\r\nmary@example.org;Mary;Anning;Limnology\r\nida@example.org;Ida;Noddack;limnology\r\njane@example.org;;;2\r\nnobody;;;2\r\nida@example.org;;;2\r\nzoe@example.org;;;Arts\r\n"
	before := s.Sequence()
	r = ada.Post(at, form("do", "look", "lines", lines)).Is(200)
	shows(t, r, "2 people would be invited", "has an account", "This is no mail address", "stands in a line above", "You administer no group")
	invitations := func() (n int) {
		s.Alter(func(tx *bucket.Tx) error {
			n = 0
			for _, err := range users.OneTimeLinks.All(tx, nil) {
				if err != nil {
					return err
				}
				n++
			}
			return nil
		})
		return n
	}
	if s.Sequence() != before || invitations() != 0 {
		t.Error("looking has changed something")
	}
	// The same as a file; one that is no text, has too many lines or is too long is refused.
	chosen := func(text string) *world.Reply {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		w.WriteField("do", "look")
		part, err := w.CreateFormFile("file", "people.csv")
		if err != nil {
			t.Fatal(err)
		}
		part.Write([]byte(text))
		w.Close()
		return ada.Do("POST", at, &body, ada.Sent("Content-Type", w.FormDataContentType(), "Sec-Fetch-Site", "same-origin")...)
	}
	shows(t, chosen("\ufeff"+lines).Is(200), "2 people would be invited", "has an account", `name="lines" value="`)
	for text, want := range map[string]string{
		"": "Enter lines of a CSV table", "a@example.org;\xff\xfe;x": "Enter lines of a CSV table", strings.Repeat("x", 300<<10): "Enter lines of a CSV table", "\"open": "Enter lines of a CSV table",
		strings.Repeat("x@example.org\n", 501): "At most 500 people",
	} {
		shows(t, chosen(text).Is(422), want, `<a href="#file">`, `aria-invalid="true"`)
	}
	if s.Sequence() != before || invitations() != 0 {
		t.Error("a file that was looked at has changed something")
	}
	r = ada.Post(at, form("do", "apply", "lines", lines)).Is(201)
	shows(t, r, "2 people were invited")
	if n := strings.Count(string(r.Bytes), "/one-time/"); n != 2 || invitations() != 2 {
		t.Errorf("%d addresses, %d invitations", n, invitations())
	}
	r = ada.Post(at, form("do", "apply", "lines", lines)).Is(201)
	shows(t, r, "0 people were invited", "was invited already")
	hides(t, r, "/one-time/")
	if invitations() != 2 {
		t.Error("the second time was not without effect")
	}
	shows(t, root.Post(at, form("do", "look", "lines", "zoe@example.org,,,Arts")).Is(200), "One person would be invited")
	for _, bad := range []string{"", "\"", strings.Repeat("a@example.org\n", 501)} {
		ada.Post(at, form("do", "look", "lines", bad)).Is(422)
	}
	ada.Post(at, form("do", "look", "lines", strings.Repeat("x", 2<<20))).Is(413)
}

// The tree of groups grows, changes and shrinks; a group gets custom fields, which its items are asked for.
func TestAdminGroups(t *testing.T) {
	t.Parallel()
	s, _ := stage.NewInstitution(t)
	root, ada := s.Root.SignIn(), s.Ada.SignIn()
	at := root.Post("/account/admin/groups", form("name", "Ponds", "parent", "2")).Is(303).Header.Get("Location")
	shows(t, root.Open(at).Is(200), "The group was made", `value="Ponds"`, "Sciences / Limnology")
	r := root.Open("/account/admin/groups").Is(200)
	if !regexp.MustCompile(`(?s)Sciences</a>.*<ul class="groups">.*Limnology</a>.*<ul class="groups">.*Ponds</a>`).Match(r.Bytes) {
		t.Errorf("the tree is %s", r.Bytes)
	}
	ponds := strings.TrimSuffix(at, "?done=group_added")
	root.Post(ponds, form("do", "change", "name", "Lakes", "parent", "3", "review", "1", "criteria", "LK")).Is(303)
	shows(t, root.Open("/account/admin/groups").Is(200), "Lakes", "reviews before it publishes")
	shows(t, root.Post("/account/admin/groups/3", form("do", "change", "name", "Arts", "parent", "4")).Is(422), "below itself")
	shows(t, root.Post("/account/admin/groups/2", form("do", "remove")).Is(422), "still has people")
	shows(t, root.Post("/account/admin/groups", form("name", " ", "parent", "0")).Is(422), "Enter a name")
	root.Post("/account/admin/groups", form("name", "X", "parent", "99")).Is(422)
	root.Post(ponds, form("do", "remove")).Is(303)
	root.Open(ponds).Is(404)

	field := func(b *world.Browser, status int, pairs ...string) *world.Reply {
		return b.Post("/account/admin/groups/2", form(pairs...)).Is(status)
	}
	field(ada, 303, "do", "add_field", "new_name", "Depth", "new_type", "dropdown", "new_options", "shallow\ndeep", "new_mandatory", "1")
	shows(t, ada.Open("/account/admin/groups/2?record=1").Is(200), "Depth", "shallow\ndeep", "Change the field: Depth")
	defined := s.Ben.Get("/v2/account/institution/custom_fields").Is(200).List()
	if len(defined) != 1 || defined[0]["name"] != "Depth" {
		t.Errorf("the fields are %v", defined)
	}
	shows(t, field(ada, 422, "do", "add_field", "new_name", "Depth", "new_type", "text"), "of this name already")
	shows(t, field(ada, 422, "do", "add_field", "new_name", "", "new_type", "text"), "Enter a name")
	field(ada, 422, "do", "add_field", "new_name", "Wide", "new_type", "width")
	field(ada, 422, "do", "change_field", "field", "1", "field_name", "Depth", "field_options", "")
	field(ada, 303, "do", "change_field", "field", "1", "field_name", "Depth", "field_options", "shallow\ndeep\nabyssal")
	shows(t, ada.Open("/account/admin/groups/2?record=1").Is(200), "abyssal")
	ada.Post("/account/admin/groups/1", form("do", "remove_field", "field", "1")).Is(404)
	field(ada, 303, "do", "remove_field", "field", "1")
	if left := s.Ben.Get("/v2/account/institution/custom_fields").Is(200).List(); len(left) != 0 {
		t.Errorf("there are %v still", left)
	}
}

// A licence and a type that are switched off are offered no more and refused, and items keep them; an announcement
// stands on every page until its last day; an address range is added and removed.
func TestAdminSettings(t *testing.T) {
	t.Parallel()
	s, _ := stage.NewInstitution(t)
	root := s.Root.SignIn()
	at := "/account/admin/settings"
	had := s.Ben.Article(`{"title": "Old", "license": 3}`)
	store := func(fields url.Values) {
		t.Helper()
		shows(t, root.Open(root.Post(at, fields).Is(303).Header.Get("Location")).Is(200), "stored")
	}
	store(url.Values{"do": {"licences"}, "licence": {"2", "43"}})
	for _, path := range []string{"/v2/licenses", "/v2/account/licenses"} {
		if text := string(s.Ben.Get(path).Is(200).Bytes); strings.Contains(text, `"MIT"`) || !strings.Contains(text, "CC BY 4.0") {
			t.Errorf("%s: %s", path, text)
		}
	}
	at2 := s.Ben.Article(`{"title": "New"}`)
	s.Ben.Send("PATCH", at2, `{"license": 3}`).Refuses(422, "license")
	s.Ben.Send("PATCH", at2, `{"license": 2}`).Is(205)
	s.Ben.Send("PATCH", had, `{"title": "Older", "license": 3}`).Is(205)
	store(url.Values{"do": {"types"}, "type": {"1"}})
	s.Ben.Send("PATCH", at2, `{"defined_type": "software"}`).Refuses(422, "defined_type")
	s.Ben.Send("PATCH", at2, `{"defined_type": "dataset"}`).Is(205)
	if text := string(s.Anon.Get("/v2/item_types").Is(200).Bytes); strings.Count(text, `"is_selectable": true`) != 2 {
		t.Errorf("the types are %s", text)
	}
	store(url.Values{"do": {"banner"}, "en": {"Closed on <Monday>"}, "de": {"Am Montag geschlossen"}, "until": {time.Now().UTC().Format(time.DateOnly)}})
	shows(t, s.Browser().Open("/").Is(200), "Closed on &lt;Monday&gt;")
	shows(t, s.Browser().Open("/search", "Accept-Language", "de").Is(200), "Am Montag geschlossen")
	s.Restart()
	shows(t, s.Browser().Open("/").Is(200), "Closed on &lt;Monday&gt;")
	store(url.Values{"do": {"banner"}, "en": {"Closed on Monday"}, "until": {"2020-01-01"}})
	hides(t, s.Browser().Open("/").Is(200), "Closed on")
	shows(t, root.Post(at, url.Values{"do": {"banner"}, "en": {strings.Repeat("x", 501)}, "until": {"soon"}}).Is(422), "500 characters", "Enter a date", "xxx")

	root.Post(at, form("do", "add_range", "range_name", "Campus", "networks", "192.0.2.0/24, 2001:db8::1")).Is(303)
	shows(t, root.Open(at).Is(200), "Campus", "192.0.2.0/24, 2001:db8::1/128")
	shows(t, root.Post(at, form("do", "add_range", "range_name", "Moon", "networks", "far")).Is(422), "networks such as", `value="far"`)
	root.Post(at, form("do", "remove_range", "range", "99")).Is(404)
	root.Post(at, form("do", "remove_range", "range", "1")).Is(303)
	hides(t, root.Open(at).Is(200), "Campus")
	root.Post(at, form("do", "x")).Is(422)
}

// The first page says how the repository is; storage is told by group and person, of the groups that one administers.
func TestAdminHealthAndStorage(t *testing.T) {
	t.Parallel()
	s, cyd := stage.NewInstitution(t)
	root, ada := s.Root.SignIn(), s.Ada.SignIn()
	s.Ben.Upload(s.Ben.Article(`{"title": "Alga"}`), "a.csv", bytes.Repeat([]byte("a"), 5000))
	cyd.Upload(cyd.Article(`{"title": "Cello"}`), "c.csv", bytes.Repeat([]byte("c"), 70000))
	r := root.Open("/account/admin").Is(200)
	shows(t, r, "are free for uploads", "It takes writes", "The server makes none by itself", "No mail is configured", "changes behind")
	shows(t, root.Open("/account/admin", "Accept-Language", "de").Is(200), "Braucht Aufmerksamkeit")
	hides(t, r, "Mirrors", "OCFL")
	said, err := exec.Command("alcove", "mirror", "add", "http://127.0.0.1:1/v2/articles/1", "--account", "ada@example.org", "--data", s.Cfg.Data).CombinedOutput()
	if err != nil {
		t.Fatal(err, string(said))
	}
	s.Eventually("the page tells of the mirror that failed", func() bool {
		return bytes.Contains(root.Open("/account/admin").Is(200).Bytes, []byte("the last look at 1 failed"))
	})
	r = root.Open("/account/admin/storage").Is(200)
	shows(t, r, "Cyd Tester", "Ben Tester", "Sciences / Limnology", "Arts")
	if !bytes.Contains(r.Bytes[:bytes.Index(r.Bytes, []byte("Ben Tester"))], []byte("Cyd Tester")) {
		t.Error("who keeps most does not stand first")
	}
	r = ada.Open("/account/admin/storage").Is(200)
	shows(t, r, "Ben Tester")
	hides(t, r, "Cyd Tester", "Arts")
}

// The audit trail is filtered by account, kind, number and day, and leaves as CSV; all items leave as CSV and as a
// workbook, those that one administers, and no cell is a formula.
func TestAdminAuditAndExport(t *testing.T) {
	t.Parallel()
	s, cyd := stage.NewInstitution(t)
	s.Enter()
	root, ada := s.Root.SignIn(), s.Ada.SignIn()
	s.Ben.Upload(s.Ben.Article(`{"title": "=1+1 of ponds", "tags": ["+x"]}`), "a.csv", []byte("pond"))
	cyd.Article(`{"title": "Canary of arts"}`)
	cyd.NewCollection("Canaries unseen")
	public := cyd.NewCollection("Canaries")
	cyd.Send("PATCH", public, `{"description": "Birds", "categories": [37], "tags": ["bird"], "authors": [{"name": "Ida Noddack"}]}`).Is(205)
	cyd.Do("POST", public+"/publish", nil).Is(201)
	at := "/account/admin/audit"
	r := root.Open(at).Is(200)
	shows(t, r, "ben@example.org", "Canary of arts", "articles", "made")
	r = root.Open(at + "?account=ben@example.org&kind=articles").Is(200)
	shows(t, r, "=1&#43;1 of ponds")
	hides(t, r, "Canary")
	r = root.Open(at + "?kind=articles&record=2&since=2020-01-01").Is(200)
	shows(t, r, "Canary of arts")
	hides(t, r, "=1&#43;1")
	shows(t, root.Open(at+"?until=2020-01-01").Is(200), "Nothing was found")
	shows(t, root.Open(at+"?kind=none&account=none@example.org&since=x&record=7").Is(422), "no such kind", "no such account", "Enter a date")
	root.Open(at + ".csv?kind=none").Is(422)
	rows, err := csv.NewReader(bytes.NewReader(root.Open(at + ".csv?kind=articles").Is(200).Bytes)).ReadAll()
	if err != nil || len(rows) < 3 || rows[0][0] != "sequence" || rows[1][8] != "'=1+1 of ponds" {
		t.Errorf("the table is %v, %v", rows, err)
	}
	first := root.Open(at)
	if older := regexp.MustCompile(`before=(\d+)`).FindSubmatch(first.Bytes); older != nil {
		t.Errorf("there are older entries of a short log: %s", older[1])
	}

	r = root.Open("/account/admin/items.csv").Is(200)
	if kind := r.Header.Get("Content-Type"); kind != "text/csv; charset=utf-8" || !strings.Contains(r.Header.Get("Content-Disposition"), "items.csv") {
		t.Errorf("it is sent as %s, %s", kind, r.Header.Get("Content-Disposition"))
	}
	rows, err = csv.NewReader(bytes.NewReader(r.Bytes)).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("the table is %v, %v", rows, err)
	}
	if got := rows[1]; got[0] != "article" || got[2] != "'=1+1 of ponds" || got[13] != "'+x" || got[20] != "Limnology" || got[21] != "ben@example.org" || got[23] != "4" {
		t.Errorf("the row is %q", got)
	}
	if rows[3][0] != "collection" || rows[3][2] != "Canaries" || rows[3][11] != "Ida Noddack" {
		t.Errorf("the last row is %q", rows[3])
	}
	hides(t, ada.Open("/account/admin/items.csv").Is(200), "Canar")

	r = root.Open("/account/admin/items.xlsx").Is(200)
	book, err := zip.NewReader(bytes.NewReader(r.Bytes), int64(len(r.Bytes)))
	if err != nil {
		t.Fatal(err)
	}
	var sheet struct {
		Rows []struct {
			Cells []struct {
				Type string  `xml:"t,attr"`
				V    string  `xml:"v"`
				F    *string `xml:"f"`
				Text string  `xml:"is>t"`
			} `xml:"c"`
		} `xml:"sheetData>row"`
	}
	for _, f := range book.File {
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(part)
		if err != nil || xml.Unmarshal(text, new(any)) != nil && xml.Unmarshal(text, &struct{ XMLName xml.Name }{}) != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if f.Name == "xl/worksheets/sheet1.xml" {
			if err := xml.Unmarshal(text, &sheet); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(sheet.Rows) != 4 || sheet.Rows[1].Cells[2].Text != "'=1+1 of ponds" || sheet.Rows[1].Cells[23].V != "4" || sheet.Rows[1].Cells[2].F != nil {
		t.Errorf("the sheet is %+v", sheet.Rows)
	}

	// More rows than fit into a piece.
	s.Alter(func(tx *bucket.Tx) error {
		art, err := working.Articles.Get(tx, 1)
		for i := int64(1000); i < 1500 && err == nil; i++ {
			more := *art
			more.ID, more.Files, more.Size = i, 0, 0
			err = working.Articles.Put(tx, i, &more)
		}
		return err
	})
	rows, err = csv.NewReader(bytes.NewReader(root.Open("/account/admin/items.csv").Is(200).Bytes)).ReadAll()
	if err != nil || len(rows) != 504 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	r = root.Open("/account/admin/items.xlsx").Is(200)
	if _, err := zip.NewReader(bytes.NewReader(r.Bytes), int64(len(r.Bytes))); err != nil {
		t.Errorf("a long workbook: %v", err)
	}
	s.Alter(func(tx *bucket.Tx) error { // or the check of the store finds them
		for i := int64(1000); i < 1500; i++ {
			if err := working.Articles.Delete(tx, i); err != nil {
				return err
			}
		}
		return nil
	})
}

// The items of a person who leaves go to another one, with files, versions, bytes and places in projects; two accounts
// are merged, and the one that ends opens nothing any more.
func TestAdminHandOver(t *testing.T) {
	t.Parallel()
	s, cyd := stage.NewInstitution(t)
	s.Enter()
	root, ada := s.Root.SignIn(), s.Ada.SignIn()
	draft := s.Ben.Article(`{"title": "Unfinished ponds"}`)
	s.Ben.Upload(draft, "a.csv", []byte("pond"))
	public := s.Ben.Published("Finished ponds")
	s.Ben.NewCollection("Ponds of all kinds")
	project := s.Ben.Project("Survey of ponds")
	s.Ben.Invite(project, cyd, "collaborator")
	s.Role(s.Ben, 2, "reviewer")
	used := func(c world.Client) (bytes int64) {
		s.Alter(func(tx *bucket.Tx) error {
			acc, err := users.Accounts.Get(tx, c.ID())
			if err == nil {
				bytes = acc.Used()
			}
			return err
		})
		return bytes
	}
	before, had := used(s.Ben), used(cyd)
	at := fmt.Sprintf("/account/admin/people/%d/hand-over", s.Ben.ID())
	shows(t, root.Open(at).Is(200), "Projects", "To whom")
	sequence := s.Sequence()
	shows(t, root.Post(at, form("do", "look", "to", "cyd@example.org")).Is(200), "From Ben Tester to Cyd Tester (cyd@example.org)", "Nothing has been done yet")
	for _, to := range []string{"", "none@example.org", "ben@example.org"} {
		shows(t, root.Post(at, form("do", "give", "to", to)).Is(422), "another account that is active")
	}
	root.Post(at, form("do", "fly", "to", "cyd@example.org")).Is(422)
	root.Post(fmt.Sprintf("/account/admin/people/%d/hand-over", s.Root.ID()), form("do", "merge", "to", "cyd@example.org")).Is(403)
	ada.Post(at, form("do", "give", "to", "cyd@example.org")).Is(404)
	if s.Sequence() != sequence {
		t.Error("looking has changed something")
	}
	root.Post(at, form("do", "give", "to", "cyd@example.org")).Is(303)
	s.Ben.Get(draft).Is(404)
	if files := cyd.Get(draft + "/files").Is(200).List(); len(files) != 1 {
		t.Errorf("the files are %v", files)
	}
	cyd.Get(fmt.Sprintf("/v2/account/articles/%d", public)).Is(200)
	if list := cyd.Get("/v2/account/collections").Is(200).List(); len(list) != 1 {
		t.Errorf("the collections are %v", list)
	}
	if p := cyd.Get(project).Is(200).Object(); p["role"] != "Owner" {
		t.Errorf("the project is %v", p)
	}
	s.Ben.Get(project).Is(404)
	if used(s.Ben) != 0 || used(cyd) != had+before {
		t.Errorf("%d and %d bytes are used, before %d and %d", used(s.Ben), used(cyd), before, had)
	}
	cyd.Send("PATCH", draft, `{"title": "Ponds that were begun"}`).Is(205)
	s.Ben.Get("/v2/account").Is(200)
	root.Post(at, form("do", "merge", "to", "cyd@example.org")).Is(303)
	s.Ben.Get("/v2/account").Is(401)
	shows(t, root.Open(fmt.Sprintf("/account/admin/people/%d", cyd.ID())).Is(200), "Take the role: Reviewer, Limnology")
	shows(t, root.Open("/account/admin/people?state=disabled").Is(200), "ben@example.org")
	var all struct{ Articles, Collections, Projects int }
	s.Operate("hand_over", operate.HandOver{From: "cyd@example.org", To: "ada@example.org", Dry: true}, &all)
	if all.Articles != 2 || all.Collections != 1 || all.Projects != 1 {
		t.Errorf("a dry run counts %+v", all)
	}
	if err := s.TryOperate("hand_over", operate.HandOver{From: "cyd@example.org", To: "ben@example.org"}, nil); err == nil {
		t.Error("an account that is disabled has taken over")
	}
	s.Operate("hand_over", operate.HandOver{From: "cyd@example.org", To: "ada@example.org", Merge: true}, nil)
	s.Ada.Get(draft).Is(200)
	cyd.Get("/v2/account").Is(401)
}
