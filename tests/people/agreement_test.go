package people

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// agreementIs writes the operator's text, which holds from the next start.
func agreementIs(t *testing.T, s *world.Server, text string) string {
	t.Helper()
	dir := filepath.Join(s.Cfg.Data, "pages")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agreement.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Restart()
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// Where there is a deposit agreement it is accepted on the page that publishes, and each version says which text that was. A
// program publishes with what its person has accepted before, or, if the operator asks for it, not at all without.
func TestAgreement(t *testing.T) {
	t.Parallel()
	for _, needed := range []bool{false, true} {
		t.Run(fmt.Sprint(needed), func(t *testing.T) {
			t.Parallel()
			s := world.Start(t, func(c *config.Config) { c.AgreementNeeded = needed })
			mail := s.Member("Lovelace")
			me := token(s, mail)
			at := me.Article(`{"title": "Rainfall", "authors": [{"name": "Ada Lovelace"}]}`)
			id := fmt.Sprint(world.LastNumber(t, at))
			page := "/account/articles/" + id + "/publish"
			s.Browser().Open("/agreement").Is(404)
			hides(t, s.SignedIn(mail, world.Password).Open(page).Is(200), `name="agreement"`)
			first := agreementIs(t, s, "# We agree\n\nThe files may be kept for ever.")
			s.Browser().Open("/agreement").Is(200)
			if needed {
				me.Do("POST", at+"/publish", nil).Refuses(403, "deposit agreement")
				s.Anon.Get("/v2/articles/" + id).Is(404)
			} else {
				me.Do("POST", at+"/publish", nil).Is(201)
			}
			b := s.SignedIn(mail, world.Password)
			r := b.Open(page).Is(200)
			shows(t, r, `value="`+first+`"`, `href="/agreement"`)
			before := s.Sequence()
			for _, wrong := range []string{"", "1", strings.Repeat("0", 64)} {
				shows(t, b.Post(page, form("tag", tagOf(t, r), "agreement", wrong)).Is(422), `<a href="#agreement">Accept the deposit agreement`)
			}
			if s.Sequence() != before {
				t.Error("a refusal changed something")
			}
			b.Post(page, form("tag", tagOf(t, r), "agreement", first)).Is(303)
			shows(t, b.Open(page).Is(200), "Agreement accepted", first)
			second := agreementIs(t, s, "# We agree\n\nThe files may be kept for ten years.")
			b = s.SignedIn(mail, world.Password)
			r = b.Open(page).Is(200)
			shows(t, r, `value="`+second+`"`)
			if needed {
				me.Do("POST", at+"/publish", nil).Refuses(403, "deposit agreement")
				shows(t, b.Post(page, form("tag", tagOf(t, r), "agreement", first)).Is(422), "#agreement")
			} else {
				me.Do("POST", at+"/publish", nil).Is(201) // with what was accepted before
				r = b.Open(page).Is(200)
			}
			b.Post(page, form("tag", tagOf(t, r), "agreement", second)).Is(303)
			me.Do("POST", at+"/publish", nil).Is(201)

			out, msg, status := world.AlcoveRun(t, "agreements", id, "--data", s.Cfg.Data)
			want := []string{first, second, second}
			if !needed {
				want = []string{"none", first, first, second, second}
			}
			lines := strings.Split(strings.TrimSpace(out), "\n")[1:]
			if status != 0 || len(lines) != len(want) {
				t.Fatalf("%d: %s%s", status, out, msg)
			}
			for i, l := range lines {
				if !strings.Contains(l, want[i]) {
					t.Errorf("version %d has %q, want %s", i+1, l, want[i])
				}
			}
			public := s.Anon.Get("/v2/articles/" + id).Is(200)
			if strings.Contains(string(public.Bytes), second) || strings.Contains(string(public.Bytes), "agreement") {
				t.Errorf("readers see the agreement: %s", public.Bytes)
			}
		})
	}
}

// Those that decide a review and those that administer the person are told what was accepted, and the person is not told there.
func TestAgreementShown(t *testing.T) {
	t.Parallel()
	s, eve, _ := stage.NewReviewed(t)
	sum := agreementIs(t, s, "# We agree\n\nThe files may be kept for ever.")
	owner, reviewer, root := s.Ben.SignIn(), eve.SignIn(), s.Root.SignIn()
	person := fmt.Sprintf("/account/admin/people/%d", s.Ben.ID())
	at := s.Ben.Article(`{"title": "Ponds", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	shows(t, reviewer.Open("/account/reviews/1").Is(200), "Agreement accepted", "No")
	hides(t, reviewer.Open("/account/reviews/1").Is(200), "SHA-256")
	hides(t, root.Open(person).Is(200), "Agreement accepted")
	reviewer.Post("/account/reviews/1", form("type", "rejected", "text", "Say more")).Is(303)

	page := strings.TrimPrefix(at, "/v2") + "/publish"
	owner.Post(page, form("tag", tagOf(t, owner.Open(page).Is(200)), "agreement", sum)).Is(303)
	shows(t, reviewer.Open("/account/reviews/2").Is(200), "Agreement accepted", "SHA-256 "+sum)
	hides(t, owner.Open("/account/reviews/2").Is(200), sum)
	shows(t, root.Open(person).Is(200), "Agreement accepted", "SHA-256 "+sum)
	hides(t, s.Ada.SignIn().Open("/account/reviews").Is(200), sum)
}
