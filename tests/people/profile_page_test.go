package people

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"image/color"
	"io"
	"mime/multipart"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// sendsPicture sends a file by the form of the profile.
func sendsPicture(b *world.Browser, file string, headers ...string) *world.Reply {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	part, _ := w.CreateFormFile("profile_picture", "me.png")
	part.Write([]byte(file))
	w.Close()
	if len(headers) == 0 {
		headers = []string{"Sec-Fetch-Site", "same-origin"}
	}
	return b.Do("POST", "/account/profile/picture", &body, b.Sent(append(headers, "Content-Type", w.FormDataContentType())...)...)
}

// A person changes names, ORCID iD, links and language by a form, which stays where something is wrong with it; gives the
// profile a picture, and takes it away again.
func TestProfilePage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	me, b := token(s, mail), s.SignedIn(mail, world.Password)
	const at = "/account/profile"
	s.Browser().Open(at).Is(303)
	shows(t, b.Open("/account").Is(200), `href="/account/profile"`)
	r := b.Open(at).Is(200)
	shows(t, r, `name="orcid"`, `value="Lovelace"`, `href="/account/password"`, `href="/account/passkeys"`, `href="/account/sessions"`, `href="/account/email"`, `href="/account/profile/export"`)
	hides(t, r, `name="mails"`) // none are sent here

	tag := func() string {
		t.Helper()
		return between(t, string(b.Open(at).Is(200).Bytes), `name="tag" value="`, `"`)
	}
	before := s.Sequence()
	for name, wrong := range map[string]string{"orcid": "0000-0002-1825-0098", "last_name": " ", "personal_profiles": "nowhere", "x": "javascript:a", "language": "tlh", "bio": strings.Repeat("b", 5001)} {
		f := form("first_name", "Ada", "last_name", "Byron", "bio", "Kept", "tag", tag())
		f.Set(name, wrong)
		r := b.Post(at, f).Is(422)
		shows(t, r, `<a href="#`+name+`">`, `value="Ada"`)
	}
	b.Post(at, form("last_name", "Byron"), "Sec-Fetch-Site", "cross-site").Is(403)
	b.Post(at, form("first_name", "Ada", "last_name", "By\x00ron", "tag", tag())).Is(422)
	if s.Sequence() != before {
		t.Error("a refusal changed something")
	}
	f := form("first_name", "Ada", "last_name", "King <i>", "orcid", "https://orcid.org/0000-0002-1825-0097", "job_title", "Countess", "bio", "One\r\nTwo", "personal_profiles", "https://example.org/ada The engine\r\n\r\nhttps://example.org/b", "language", "de", "tag", tag())
	if got := b.Post(at, f).Is(303).Header.Get("Location"); got != at+"?saved=1&lang=de" {
		t.Errorf("it leads to %q", got)
	}
	r = b.Open(at + "?saved=1&lang=de").Is(200)
	shows(t, r, "Das Profil wurde gespeichert", `value="King &lt;i&gt;"`, `value="0000-0002-1825-0097"`, "One\nTwo", "https://example.org/ada The engine\nhttps://example.org/b", `<option value="de" selected>`)
	if acc := me.Get("/v2/account").Is(200).Object(); acc["last_name"] != "King <i>" || acc["orcid_id"] != "0000-0002-1825-0097" {
		t.Errorf("the account is %v", acc)
	}
	shows(t, s.SignedIn(mail, world.Password).Open("/account", "Accept-Language", "en").Is(200), "Abmelden")
	f.Set("language", "")
	shows(t, b.Post(at, f).Is(412), "Das wurde inzwischen") // the form is an old one
	f.Set("tag", tag())
	b.Post(at, f).Is(303)
	shows(t, b.Open("/account", "Accept-Language", "en").Is(200), "Sign out")

	shows(t, sendsPicture(b, "no picture").Is(422), "This is no picture", `aria-invalid="true"`)
	sendsPicture(b, string(disk.OnePixel), "Sec-Fetch-Site", "cross-site").Is(403)
	sendsPicture(b, string(disk.Picture(300, 20, color.Black))).Is(303)
	picture := fmt.Sprintf("/v2/profiles/%d/picture", me.UserID())
	shows(t, b.Open(at).Is(200), `src="`+picture+`"`)
	me.Get(picture).Is(200)
	b.Post(at, form("do", "remove-picture")).Is(303)
	hides(t, b.Open(at).Is(200), picture)
	me.Get(picture).Is(404)
	b.Post(at, form("do", "remove-picture")).Is(303)
}

// The export has what the repository has of a person, all of it readable, none of it of others, and nothing that opens
// something.
func TestProfileExport(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	me, b := token(s, mail), s.SignedIn(mail, world.Password)
	s.Ada.Published("Of another person")
	for n := range 120 { // more than one piece
		me.Article(fmt.Sprintf(`{"title": "Draft %d"}`, n))
	}
	item := me.Article(`{"title": "Rainfall <first>", "authors": [{"name": "Ada Lovelace"}]}`)
	file := me.Upload(item, "rain.csv", []byte("a,b\n1,2\n"))
	me.Do("POST", item+"/publish", nil).Is(201)
	me.Send("PATCH", item, `{"title": "Rainfall second"}`).Is(205)
	me.Do("POST", item+"/publish", nil).Is(201)
	link := me.Link(item, "")
	_, upload := me.Begin(item, "later.csv", []byte("x"))
	me.NewCollection("Of rain")
	project := me.Project("With notes")
	me.Send("POST", project+"/notes", `{"text": "A note of mine"}`).Is(201)

	s.Browser().Open("/account/profile/export").Is(303)
	r := b.Open("/account/profile/export").Is(200)
	if got := r.Header.Get("Content-Type") + " " + r.Header.Get("Content-Disposition") + " " + r.Header.Get("Cache-Control"); !strings.HasPrefix(got, "application/zip attachment; filename") || !strings.HasSuffix(got, "private, no-store") {
		t.Errorf("it comes as %q", got)
	}
	z, err := zip.NewReader(bytes.NewReader(r.Bytes), int64(len(r.Bytes)))
	if err != nil {
		t.Fatal(err)
	}
	all, counts := map[string]string{}, map[string]int{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(text)
		if name, is := strings.CutSuffix(f.Name, ".json"); is {
			var list []any
			if err := json.Unmarshal(text, &list); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
			counts[name] = len(list)
			if !strings.Contains(all["index.html"], f.Name) && all["index.html"] != "" {
				t.Errorf("the index has no %s", f.Name)
			}
		}
	}
	for name, want := range map[string]int{"account": 1, "articles": 121, "article_versions": 2, "files": 2, "private_links": 1, "collections": 1, "projects": 1, "project_notes": 1, "tokens": 1, "sessions": 1} {
		if counts[name] != want {
			t.Errorf("%s has %d records, want %d", name, counts[name], want)
		}
	}
	for name, want := range map[string]string{"article_versions.json": `Rainfall \u003cfirst\u003e`, "articles.json": "Rainfall second", "files.json": "rain.csv", "project_notes.json": "A note of mine", "tokens.json": `"name": "test"`, "changes.json": `"operation": "create"`, "index.html": "articles.json", "account.json": mail} {
		if !strings.Contains(all[name], want) {
			t.Errorf("%s has no %q: %.400s", name, want, all[name])
		}
	}
	parts := strings.Split(upload, "/")
	for name, text := range all {
		for _, secret := range []string{"argon2", link, me.Token, parts[len(parts)-1], b.Secret(), "Of another person", "ada@example.org"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has %q", name, secret)
			}
		}
	}
	if len(file) == 0 || len(z.File) < 15 {
		t.Errorf("the zip has %d files", len(z.File))
	}
}
