package people

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image/png"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/cli/operate"
	"alcove/tests/world"
)

// authenticator is a program that makes codes, written from RFC 6238 alone.
type authenticator struct{ secret []byte }

func (a authenticator) code(at time.Time) string {
	var step [8]byte
	binary.BigEndian.PutUint64(step[:], uint64(at.Unix()/30))
	mac := hmac.New(sha1.New, a.secret)
	mac.Write(step[:])
	sum := mac.Sum(nil)
	o := sum[19] & 15
	n := (uint32(sum[o])&127)<<24 | uint32(sum[o+1])<<16 | uint32(sum[o+2])<<8 | uint32(sum[o+3])
	return fmt.Sprintf("%06d", n%1000000)
}

var (
	secretShown  = regexp.MustCompile(`<code>((?:[A-Z2-7]{4} ?){8})</code>`)
	pictureShown = regexp.MustCompile(`src="data:image/png;base64,([^"]+)"`)
	codeShown    = regexp.MustCompile(`<code>([a-z2-7]{4}(?:-[a-z2-7]{4}){3})</code>`)
)

const factorPage = "/account/second-factor"

// factorOf sets codes up in a browser of a person, and returns the program and the recovery codes.
func factorOf(t *testing.T, b *world.Browser, at time.Time) (a authenticator, recovery []string) {
	t.Helper()
	b.Post(factorPage, form("do", "begin", "password", world.Password)).Is(303)
	page := b.Open(factorPage).Is(200)
	m := secretShown.FindSubmatch(page.Bytes)
	p := pictureShown.FindSubmatch(page.Bytes)
	if m == nil || p == nil {
		t.Fatalf("there is no secret: %s", page.Bytes)
	}
	picture, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(string(p[1]), "&#43;", "+"))
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.Decode(bytes.NewReader(picture)); err != nil || img.Bounds().Dx() < 100 {
		t.Fatalf("the picture is %v", err)
	}
	a.secret, err = base32.StdEncoding.DecodeString(strings.ReplaceAll(string(m[1]), " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	code := a.code(at)
	shows(t, b.Post(factorPage, form("do", "use", "code", code[3:]+code[:3]+"x")).Is(422), "The code is wrong")
	page = b.Post(factorPage, form("do", "use", "code", code[:3]+" "+code[3:])).Is(200)
	for _, m := range codeShown.FindAllSubmatch(page.Bytes, -1) {
		recovery = append(recovery, string(m[1]))
	}
	if len(recovery) != 10 {
		t.Fatalf("there are %d recovery codes: %s", len(recovery), page.Bytes)
	}
	return a, recovery
}

// With a second factor the password alone opens nothing: a code is asked for, which is good once, or a recovery code, which is too.
func TestSecondFactor(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	s.Stop()
	clock := newClock()
	s.Clock = clock.now
	s.Boot()
	mail := s.Member("Lovelace")
	b, other := s.SignedIn(mail, world.Password), s.SignedIn(mail, world.Password)
	shows(t, b.Open(factorPage).Is(200), "Set up codes")
	shows(t, b.Post(factorPage, form("do", "begin", "password", "")).Is(422), "Enter the password")
	shows(t, b.Post(factorPage, form("do", "begin", "password", "not the password")).Is(422), "not the current password")
	b.Post(factorPage, form("do", "begin", "password", world.Password), "Sec-Fetch-Site", "cross-site").Is(403)
	shows(t, b.Post(factorPage, form("do", "use", "code", "123456")).Is(422), "The code is wrong")
	before := b.Secret()
	a, recovery := factorOf(t, b, clock.now())
	if b.Secret() == before {
		t.Error("the secret of the session stayed")
	}
	other.Open("/account").Is(303) // the others have to give a code, too
	page := b.Open(factorPage).Is(200)
	shows(t, page, "10 recovery codes are left")
	hides(t, page, recovery[0], "data:image")

	clock.add(time.Minute)
	half := s.Browser()
	first := func() {
		t.Helper()
		half = s.Browser()
		r := half.Post("/sign-in", form("email", mail, "password", world.Password, "next", "/search?q=a")).Is(303)
		if at := r.Header.Get("Location"); at != "/sign-in/code?next=%2Fsearch%3Fq%3Da" {
			t.Errorf("it leads to %q", at)
		}
	}
	first()
	s.Browser().Post("/sign-in", form("email", mail, "password", "not it")).Is(422) // a wrong password tells nothing of a code
	half.Open("/account").Is(303)                                                   // halfway opens nothing
	half.Post("/account/password", form("current", world.Password, "new", newPassword, "again", newPassword)).Is(303)
	half.Do("GET", "/v2/account", nil, half.Sent("Sec-Fetch-Site", "same-origin")...).Is(401)
	hides(t, half.Open("/").Is(200), "Lovelace")
	shows(t, half.Open("/sign-in/code?next=//evil.example").Is(200), `autocomplete="one-time-code"`, `name="next" value="/account"`)
	shows(t, half.Post("/sign-in/code", form("code", "")).Is(422), "Enter the code")
	shows(t, half.Post("/sign-in/code", form("code", "000000")).Is(422), "The code is wrong")
	half.Post("/sign-in/code", form("code", a.code(clock.now())), "Sec-Fetch-Site", "cross-site").Is(403)
	was := half.Secret()
	code := a.code(clock.now())
	if at := half.Post("/sign-in/code", form("code", code, "next", "/search?q=a")).Is(303).Header.Get("Location"); at != "/search?q=a" || half.Secret() == was {
		t.Errorf("it leads to %q", at)
	}
	half.Open("/account").Is(200)
	stale := s.Browser()
	stale.Cookies["alcove-demo"] = &http.Cookie{Value: was}
	stale.Open("/account").Is(303)
	if n := strings.Count(string(half.Open("/account/sessions").Is(200).Bytes), `name="session"`); n != 2 {
		t.Errorf("%d sessions are listed", n)
	}

	first()
	half.Post("/sign-in/code", form("code", code)).Is(422) // again
	clock.add(30 * time.Second)
	half.Post("/sign-in/code", form("code", a.code(clock.now().Add(-30*time.Second)))).Is(422) // one of before the last
	half.Post("/sign-in/code", form("code", a.code(clock.now()))).Is(303)
	first()
	half.Post("/sign-in/code", form("code", strings.ToUpper(strings.ReplaceAll(recovery[3], "-", " ")))).Is(303)
	shows(t, half.Open(factorPage).Is(200), "9 recovery codes are left")
	first()
	half.Post("/sign-in/code", form("code", recovery[3])).Is(422)
	clock.add(11 * time.Minute)
	shows(t, half.Open("/sign-in/code").Is(200), `action="/sign-in"`)
	if at := half.Post("/sign-in/code", form("code", recovery[4])).Is(303).Header.Get("Location"); at != "/sign-in" {
		t.Errorf("after ten minutes it leads to %q", at)
	}
	shows(t, s.Browser().Open("/sign-in/code").Is(200), `action="/sign-in"`)

	// New recovery codes end the old ones; both this and turning codes off need the password.
	shows(t, b.Post(factorPage, form("do", "renew", "password", "not it")).Is(422), "not the current password")
	page = b.Post(factorPage, form("do", "renew", "password", world.Password)).Is(200)
	renewed := string(codeShown.FindSubmatch(page.Bytes)[1])
	first()
	half.Post("/sign-in/code", form("code", recovery[5])).Is(422)
	half.Post("/sign-in/code", form("code", renewed)).Is(303)
	b.Post(factorPage, form("do", "end", "password", "")).Is(422)
	b.Post(factorPage, form("do", "end", "password", "not it")).Is(422)
	first()
	b.Post(factorPage, form("do", "end", "password", world.Password)).Is(303)
	shows(t, b.Open(factorPage+"?ended=1").Is(200), "not asked for any more", "Set up codes")
	s.SignedIn(mail, world.Password).Open("/account").Is(200)
	noSecrets(t, s, recovery[0], strings.ReplaceAll(recovery[0], "-", ""), renewed)
}

// Codes are guessed ten times an hour at most, and a new password does not go around them unless an operator wants it.
func TestSecondFactorGuessing(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	s.Stop()
	clock := newClock()
	s.Clock = clock.now
	s.Boot()
	mail := s.Member("Lovelace")
	a, recovery := factorOf(t, s.SignedIn(mail, world.Password), clock.now())
	clock.add(time.Minute)
	b := s.Browser()
	b.Post("/sign-in", form("email", mail, "password", world.Password)).Is(303)
	for range 9 { // one was wrong when the codes were set up
		b.Post("/sign-in/code", form("code", "00000x")).Is(422)
	}
	for _, code := range []string{"00000x", a.code(clock.now()), recovery[0]} {
		r := b.Post("/sign-in/code", form("code", code)).Is(429)
		shows(t, r, "too many wrong codes")
	}

	link := func(o operate.OneTime) (at string) {
		t.Helper()
		s.Operate("one_time", o, &at)
		return strings.TrimPrefix(at, s.URL)
	}
	c := s.Browser()
	if at := c.Post(link(operate.OneTime{Email: mail, Reset: true}), form("new", newPassword, "again", newPassword)).Is(303).Header.Get("Location"); !strings.HasPrefix(at, "/sign-in/code") {
		t.Errorf("it leads to %q", at)
	}
	c.Open("/account").Is(303)
	c = s.Browser()
	if at := c.Post(link(operate.OneTime{Email: mail, Reset: true, NoFactor: true}), form("new", newPassword, "again", newPassword)).Is(303).Header.Get("Location"); at != "/account" {
		t.Errorf("it leads to %q", at)
	}
	c.Open("/account").Is(200)
	err := s.DB().View(func(tx *bucket.Tx) error {
		if users.SecondFactors.Has(tx, accountOf(t, s, mail)) {
			t.Error("the second factor is there still")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
