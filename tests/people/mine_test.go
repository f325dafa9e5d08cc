package people

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"alcove/tests/world"
)

// fieldsOf are the fields of the largest form of a page, as a browser without script sends them.
func fieldsOf(t *testing.T, r *world.Reply) url.Values {
	t.Helper()
	return formFields(t, r.Bytes, "edit")
}

// madeItem makes a draft by the form of the list, and returns the address of its form.
func madeItem(t *testing.T, b *world.Browser, title string) string {
	t.Helper()
	return b.Post("/account/items", form("title", title)).Is(303).Header.Get("Location")
}

// A person makes a draft, finds it in the list with its state, by its words, and on the next page of a
// long list; collections and projects stand behind tabs.
func TestMyData(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	b := s.SignedIn(s.Member("Lovelace"), world.Password)
	shows(t, s.Browser().Open("/").Is(200), `<a href="/account/items">Make the first item in the browser</a>`)
	shows(t, b.Open("/account").Is(200), `<a href="/account/items">My data</a>`)
	shows(t, b.Open("/account/items").Is(200), "There is nothing yet", "New item", " used")
	at := madeItem(t, b, "Rainfall <i>in</i> Ny-Ålesund")
	if !regexp.MustCompile(`^/account/articles/\d+/edit$`).MatchString(at) {
		t.Fatalf("the form is at %q", at)
	}
	r := b.Open("/account/items").Is(200)
	shows(t, r, `<a href="`+at+`">Rainfall <i>in</i> Ny-Ålesund</a>`, `<p class="state draft">Draft</p>`, "Dataset")
	token(s, "lovelace@example.org").BeginAs(apiOf(at), `{"link": "https://example.org/far.csv"}`)
	shows(t, b.Open("/account/items").Is(200), `<a href="`+at+`">Rainfall`, "1 file")
	col := b.Post("/account/collections", form("title", "Weather of the north")).Is(303).Header.Get("Location")
	shows(t, b.Open("/account/collections").Is(200), `<a href="`+col+`">Weather of the north`)
	b.Post("/account/projects", form("title", "Stations of the north")).Is(303)
	shows(t, b.Open("/account/collections").Is(200), "Weather of the north", `aria-current="page">Collections`, "0 items")
	shows(t, b.Open("/account/projects").Is(200), "Stations of the north", "Owner")
	for n := range 51 {
		madeItem(t, b, fmt.Sprintf("Snow depth %d", n))
	}
	hides(t, b.Open("/account/items").Is(200), "Rainfall")
	shows(t, b.Open("/account/items"), `rel="next" href="/account/items?page=2"`)
	shows(t, b.Open("/account/items?page=2").Is(200), "Rainfall", `rel="prev" href="/account/items"`)
	r = b.Open("/account/items?q=rainfall").Is(200)
	shows(t, r, "Rainfall", `value="rainfall"`)
	hides(t, r, "Snow depth")
	shows(t, b.Open("/account/projects?q=stations").Is(200), "Stations of the north")
	shows(t, b.Open("/account/items?q=zzyzx").Is(200), "Nothing of it has these words")
	shows(t, b.Open("/account/items", "Accept-Language", "de").Is(200), "Meine Daten", "Entwurf", "Neuer Eintrag")
}

// A refusal stands at the field; other accounts see nothing of it.
func TestMyDataRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	b, other := s.SignedIn(s.Member("Lovelace"), world.Password), s.SignedIn(s.Member("Byron"), world.Password)
	madeItem(t, b, "Rainfall, by hand")
	for _, at := range []string{"/account/items", "/account/collections", "/account/projects"} {
		r := b.Post(at, form("title", `"x`)).Is(422)
		shows(t, r, "at least 3 characters", `value="&#34;x"`, `aria-invalid="true"`)
		b.Post(at, form("title", strings.Repeat("x", 70_000))).Is(413)
		b.Post(at, form("title", "From elsewhere"), "Sec-Fetch-Site", "cross-site").Is(403)
		hides(t, b.Open(at), "From elsewhere")
		hides(t, other.Open(at).Is(200), "Rainfall")
		if got := s.Browser().Open(at).Is(303).Header.Get("Location"); got != "/sign-in?next="+at {
			t.Errorf("it leads to %q", got)
		}
		s.Browser().Post(at, form("title", "By nobody")).Is(303)
		s.Ada.Get(at).Refuses(401, "signed in")
	}
	b.Post("/account/projects", form("title", strings.Repeat("x", 501))).Is(422)
	for _, at := range []string{"/account/items?page=0", "/account/items?page=x", "/account/items?page=101"} {
		b.Open(at).Is(404)
	}
	shows(t, b.Open("/account/items?q=ab").Is(200), "at least 4 characters")
	b.Open("/account/items?q=" + strings.Repeat("a", 5000)).Is(200)
	hides(t, other.Open("/account/items?q=rainfall").Is(200), "by hand")
}
