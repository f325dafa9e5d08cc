package people

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"alcove/record"
	"alcove/tests/doubles"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// parsed are the fields of a query.
func parsed(t *testing.T, query string) url.Values {
	t.Helper()
	fields, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

// Two people work in a project by its pages alone: one makes, describes and publishes it, invites the other, and takes
// notes; the other accepts, adds an item and leaves. A viewer sees no button that it may not use.
func TestProjectPages(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	ada, b := s.Depositor("Lovelace")
	hopper, other := s.Depositor("Hopper")
	_, viewer := s.Depositor("Byron")
	at := b.Post("/account/projects", form("title", "Stations of the north")).Is(303).Header.Get("Location")
	if !regexp.MustCompile(`^/account/projects/\d+$`).MatchString(at) {
		t.Fatalf("the project is at %q", at)
	}
	api := "/v2" + at
	shows(t, b.Open("/account/projects").Is(200), `<a href="`+at+`">Stations of the north</a>`)
	f := fieldsOf(t, b.Open(at+"/edit").Is(200))
	f.Set("description", "All <b>stations</b>\r\nin one place")
	f.Set("funding_list", "NSF 123\r\nDFG 7")
	b.Post(at+"/edit", f).Is(303)
	doc := ada.Get(api).Object()
	if doc["description"] != "All <b>stations</b>\nin one place" || !strings.Contains(fmt.Sprint(doc["funding_list"]), "DFG 7") {
		t.Errorf("it is %v", doc)
	}
	before := string(ada.Get(api).Bytes)
	b.Post(at+"/edit", fieldsOf(t, b.Open(at+"/edit"))).Is(303)
	if now := string(ada.Get(api).Bytes); now != before {
		t.Errorf("saved as it comes it is %s, and was %s", now, before)
	}
	shows(t, b.Open(at).Is(200), "<b>stations</b>", "NSF 123", "New item", at+"/publish", "Your role: Owner")

	for mail, role := range map[string]string{"hopper@example.org": "collaborator", "byron@example.org": "viewer", "nobody@example.org": "viewer"} {
		b.Post(at+"/members", form("do", "invite", "email", mail, "role", role, "comment", "Welcome")).Is(303)
	}
	shows(t, b.Open(at+"/members").Is(200), "hopper@example.org", "nobody@example.org", "Withdraw the invitation", "No mail is sent")
	shows(t, other.Open("/account/projects").Is(200), "Stations of the north", "Collaborator")
	shows(t, other.Open(at).Is(200), "You are invited to this project", "Accept", "New item")
	other.Post(at+"/members", form("do", "accept")).Is(303)
	r := b.Open(at + "/members").Is(200)
	shows(t, r, "Hopper Tester", "byron@example.org")
	hides(t, r, "hopper@example.org")
	hides(t, other.Open(at).Is(200), "You are invited")

	form0 := other.Post(at, form("title", "Snow of the north")).Is(303).Header.Get("Location")
	shows(t, other.Open(form0).Is(200), "Snow of the north")
	item := fmt.Sprintf("%s/articles/%d", at, world.LastNumber(t, strings.TrimSuffix(form0, "/edit")))
	shows(t, other.Open(item).Is(200), `href="`+form0+`"`, "Delete the draft")
	r = viewer.Open(at).Is(200)
	shows(t, r, "Snow of the north", item)
	hides(t, r, "New item", "/publish", at+"/edit")
	hides(t, viewer.Open(item).Is(200), form0, "Delete the draft")
	r = b.Open(item).Is(200) // the owner of the project does not own the item
	shows(t, r, "Delete the draft")
	hides(t, r, form0)
	spare := other.Post(at, form("title", "One too many")).Is(303).Header.Get("Location")
	gone := fmt.Sprintf("%s/articles/%d", at, world.LastNumber(t, strings.TrimSuffix(spare, "/edit")))
	b.Post(gone, form("do", "delete")).Is(303)
	other.Open(gone).Is(404)

	b.Post(at+"/notes", form("text", "Ask Grace\r\nabout the masts")).Is(303)
	r = other.Open(at + "/notes").Is(200)
	shows(t, r, "Ask Grace<br/>about the masts", "Note by Lovelace Tester")
	note := regexp.MustCompile(at + `/notes/\d+`).FindString(string(r.Bytes))
	hides(t, other.Open(note).Is(200), "<textarea", "Delete the note")
	b.Post(note, form("text", "Ask Grace about the masts, soon", "tag", tagOf(t, b.Open(note)))).Is(303)
	shows(t, b.Open(at+"/notes").Is(200), "masts, soon")
	hides(t, viewer.Open(at+"/notes").Is(200), "<textarea")
	other.Post(at+"/notes", form("text", "Done")).Is(303)
	b.Post(note, form("do", "delete", "tag", tagOf(t, b.Open(note)))).Is(303)
	hides(t, b.Open(at+"/notes"), "masts")

	// Roles change, an invitation is withdrawn, and people go.
	ids := map[string]string{}
	for _, m := range ada.Get(api + "/collaborators").List() {
		ids[m["name"].(string)] = fmt.Sprintf("%.0f", m["user_id"])
	}
	b.Post(at+"/members", form("change", ids["byron@example.org"], "role."+ids["byron@example.org"], "collaborator", "address."+ids["byron@example.org"], "byron@example.org")).Is(303)
	b.Post(at+"/members", form("change", ids["Hopper Tester"], "role."+ids["Hopper Tester"], "viewer")).Is(303)
	b.Post(at+"/members", form("out", ids["nobody@example.org"])).Is(303)
	got := fmt.Sprint(ada.Get(api + "/collaborators").List())
	if !strings.Contains(got, "name:byron@example.org role_name:Collaborator") || !strings.Contains(got, "name:Hopper Tester role_name:Viewer") || strings.Contains(got, "nobody") {
		t.Errorf("the members are %s", got)
	}
	viewer.Post(at+"/members", form("do", "leave")).Is(303)
	viewer.Open(at).Is(404)

	shows(t, b.Open(at+"/publish").Is(200), "Drafts in it, notes and invitations stay hidden")
	b.Post(at+"/publish", form("tag", tagOf(t, b.Open(at+"/publish")))).Is(303)
	shows(t, b.Open(at).Is(200), "Published", "The public page")
	s.Anon.Get(strings.Replace(api, "/account", "", 1)).Is(200)
	b.Post(at+"/unpublish", form("tag", tagOf(t, b.Open(at+"/unpublish")), "reason", "Too early")).Is(303)
	s.Anon.Get(strings.Replace(api, "/account", "", 1)).Is(404)
	other.Post(item, form("do", "delete")).Is(403) // a viewer now
	b.Post(at+"/delete", form("tag", tagOf(t, b.Open(at+"/delete")))).Is(303)
	b.Open(at).Is(404)
	hopper.Get("/v2" + strings.TrimSuffix(form0, "/edit")).Is(200) // the item stays with its owner
}

// Wrong values stand at their fields, no member does more than its role allows, and nothing that changed meanwhile is
// overwritten.
func TestProjectPagesRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	ada, b := s.Depositor("Lovelace")
	_, viewer := s.Depositor("Byron")
	_, stranger := s.Depositor("Hopper")
	at := b.Post("/account/projects", form("title", "Stations of the north")).Is(303).Header.Get("Location")
	b.Post(at+"/members", form("do", "invite", "email", "byron@example.org", "role", "viewer")).Is(303)
	b.Post(at+"/notes", form("text", "A first note")).Is(303)
	note := fmt.Sprintf("%s/notes/%.0f", at, ada.Get("/v2" + at + "/notes").List()[0]["id"])
	for _, c := range []struct{ page, fields, says string }{
		{"", "title=x", "at least 3 characters"}, {"/notes", "text=x", "A note has at least 3 characters"},
		{"/members", "do=invite&role=viewer&email=nobody", "Write a mail address"}, {"/members", "do=invite&role=owner&email=a@example.org", "role"},
		{"/members", "do=invite&role=viewer&person=999999", "Write a mail address"}, {"/members", "do=invite&role=viewer&email=a@example.org&comment=" + strings.Repeat("x", 2001), "at most 2000"},
		{"/members", "out=999999", "not in the project any more"}, {"/members", "out=x", "positive integer"}, {"/members", "change=999999", "role"}, {"/members", "do=leave", "owner"},
	} {
		shows(t, b.Post(at+c.page, parsed(t, c.fields)).Is(422), c.says)
	}
	f := fieldsOf(t, b.Open(at+"/edit"))
	f.Set("title", "x")
	f.Set("description", "Kept on the page")
	shows(t, b.Post(at+"/edit", f).Is(422), "at least 3 characters", "Kept on the page", `aria-invalid="true"`)
	ada.Send("PATCH", "/v2"+at, `{"description": "Written meanwhile"}`).Is(205)
	f.Set("title", "Stations, all")
	r := b.Post(at+"/edit", f).Is(412)
	shows(t, r, "changed in another window", "Kept on the page", "Saved meanwhile: Written meanwhile")
	f = fieldsOf(t, r)
	f.Set("theirs", "description")
	b.Post(at+"/edit", f).Is(303)
	if doc := ada.Get("/v2" + at).Object(); doc["title"] != "Stations, all" || doc["description"] != "Written meanwhile" {
		t.Errorf("it is %v", doc)
	}
	tag := tagOf(t, b.Open(note))
	ada.Send("PUT", "/v2"+note, `{"text": "Changed meanwhile"}`).Is(205)
	shows(t, b.Post(note, form("text", "Mine", "tag", tag)).Is(412), "Mine", "Saved meanwhile: Changed meanwhile")
	b.Post(note, form("text", "No tag")).Is(422)
	shows(t, b.Post(at+"/unpublish", form("tag", tagOf(t, b.Open(at+"/unpublish")), "reason", "A good reason")).Is(422), "not public")
	shows(t, b.Post(at+"/unpublish", form("tag", tagOf(t, b.Open(at+"/unpublish")), "reason", "A good reason"), "Accept-Language", "de").Is(422), "Das Projekt ist nicht öffentlich.")
	b.Post(at+"/publish", form("tag", `"x"`)).Is(412)

	for _, page := range []string{"", "/notes", "/members", "/edit", "/publish", "/unpublish", "/delete", strings.TrimPrefix(note, at)} {
		fields := form("title", "By another", "text", "By another", "do", "invite", "role", "viewer", "email", "x@example.org", "tag", tag, "reason", "because it is")
		viewer.Post(at+page, fields).Is(403)
		hides(t, stranger.Post(at+page, fields).Is(404), "Stations")
		hides(t, stranger.Open(at+page).Is(404), "Stations")
		s.Browser().Open(at + page).Is(303)
		b.Post(at+page, fields, "Sec-Fetch-Site", "cross-site").Is(403)
	}
	if n := len(ada.Get("/v2" + at + "/collaborators").List()); n != 2 {
		t.Errorf("there are %d members", n)
	}
}

// An invitation by a page is told by mail, in the language of the page, and an address gets a few in an hour.
func TestProjectMail(t *testing.T) {
	t.Parallel()
	mails := doubles.StartMail(t, false)
	s := world.Start(t, mails.Used)
	_, b := s.Depositor("Lovelace")
	at := b.Post("/account/projects", form("title", "Stations <i>of</i>\r\nthe north")).Is(303).Header.Get("Location")
	shows(t, b.Open(at+"/members").Is(200), "gets a mail")
	b.Post(at+"/members", form("do", "invite", "email", "grace@example.org", "role", "viewer"), "Accept-Language", "de").Is(303)
	letter := mails.Wait(t, 1)
	if !strings.Contains(letter.Text, "Lovelace Tester beteiligt Sie am Projekt „Stations of the north“") || !strings.Contains(letter.Text, s.URL+at) {
		t.Errorf("the mail says %q", letter.Text)
	}
	for range 4 { // to an address go a few in an hour, which is not told
		b.Post(at+"/members", form("do", "invite", "email", "grace@example.org", "role", "viewer")).Is(303)
	}
	b.Post(at+"/members", form("do", "invite", "email", "last@example.org", "role", "viewer")).Is(303)
	mails.Wait(t, 4)
	if n := len(mails.Sent()); n != 4 {
		t.Errorf("%d mails were sent", n)
	}
}

// The form of a project has the custom fields of its group, saves them, says what the group does not take, and shows
// what another window saved.
func TestProjectFields(t *testing.T) {
	t.Parallel()
	s, _ := stage.NewInstitution(t)
	s.Field(record.Field{GroupID: 1, Name: "Lake", Type: record.FieldDropdown, Options: []string{"Ämari", "Bled"}})
	s.Field(record.Field{GroupID: 1, Name: "Tools", Type: record.FieldLargeList, Multiple: true, Options: []string{"net", "rod"}})
	me, b := s.Ada, s.Ada.SignIn()
	api := "/v2/account/projects/" + fmt.Sprint(me.Send("POST", "/v2/account/projects", `{"title": "Lakes", "group_id": 1, "custom_fields": {"Lake": "Bled", "Old": "kept"}}`).Is(201).Object()["entity_id"])
	at := strings.TrimPrefix(api, "/v2") + "/edit"
	page := b.Open(at).Is(200)
	shows(t, page, "Fields of the group", "Lake", "Tools", `value="rod"`)
	before := string(me.Get(api).Bytes)
	b.Post(at, formFields(t, page.Bytes, at)).Is(303)
	if now := string(me.Get(api).Bytes); now != before {
		t.Errorf("saved as it comes it is %s, and was %s", now, before)
	}
	f := formFields(t, page.Bytes, at)
	f.Set("custom.0", "Ämari")
	f["custom.1"] = []string{"net", "rod"}
	b.Post(at, f).Is(303)
	if got := fmt.Sprint(me.Get(api).Object()["custom_fields"]); !strings.Contains(got, "Ämari") || !strings.Contains(got, "[net rod]") || !strings.Contains(got, "kept") {
		t.Errorf("it has %s", got)
	}
	shows(t, b.Open("/account/projects/"+api[strings.LastIndexByte(api, '/')+1:]).Is(200), "Lakes")

	f = formFields(t, page.Bytes, at)
	f["custom.1"] = []string{"net"}
	r := b.Post(at, f).Is(412)
	shows(t, r, "Saved meanwhile: ", "Lake: Ämari", "in another window meanwhile")
	f = formFields(t, r.Bytes, at)
	f.Set("theirs", "custom_fields_list")
	f.Set("title", "Lakes and rivers")
	b.Post(at, f).Is(303)
	got := me.Get(api).Object()
	if got["title"] != "Lakes and rivers" || !strings.Contains(fmt.Sprint(got["custom_fields"]), "[net rod]") {
		t.Errorf("it is %v", got)
	}
	f = formFields(t, b.Open(at).Bytes, at)
	f["custom.1"] = slices.Repeat([]string{"net"}, 5_100) // more values than a list takes
	shows(t, b.Post(at, f).Is(422), `<a href="#custom.0">`, "Lakes and rivers")
	f["custom.1"] = slices.Repeat([]string{"net"}, 20_000) // more than a form has
	b.Post(at, f).Is(400)
}
