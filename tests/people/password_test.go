package people

import (
	"flag"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"alcove/cli/operate"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// A password that is tried first is refused wherever one is set, and the page asks whether personal tokens end with the old one.
func TestPasswordCommon(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Lovelace")
	var token string
	s.Operate("token", map[string]string{"account": mail, "name": "test"}, &token)
	ada := world.Client{Server: s, Token: token}
	b := s.SignedIn(mail, world.Password)
	for _, p := range []string{"123456789012", "PasswordPassword", "password1234", "Lovelace@example.org"} {
		shows(t, b.Post("/account/password", form("current", world.Password, "new", p, "again", p)).Is(422), "tried first")
		var at string
		s.Operate("one_time", operate.OneTime{Email: mail, Reset: true}, &at)
		shows(t, s.Browser().Post(strings.TrimPrefix(at, s.URL), form("new", p, "again", p)).Is(422), "tried first", "End my personal tokens")
		if err := s.TryOperate("account", operate.NewAccount{Email: "x@example.org", FirstName: "X", LastName: "Y", Password: p}, nil); (err == nil) != (p == "Lovelace@example.org") {
			t.Errorf("an operator's %q: %v", p, err)
		}
	}
	shows(t, b.Open("/account/password").Is(200), "End my personal tokens")
	shows(t, b.Post("/account/password", form("current", "wrong", "new", newPassword, "again", newPassword, "tokens", "1")).Is(422), `value="1" checked`)
	ada.Get("/v2/account").Is(200)
	b.Post("/account/password", form("current", world.Password, "new", newPassword, "again", newPassword)).Is(303)
	ada.Get("/v2/account").Is(200)
	b.Post("/account/password", form("current", newPassword, "new", world.Password, "again", world.Password, "tokens", "1")).Is(303)
	ada.Get("/v2/account").Is(401)

	s.Operate("token", map[string]string{"account": mail, "name": "test"}, &ada.Token)
	for _, tokens := range []string{"", "1"} {
		ada.Get("/v2/account").Is(200)
		var at string
		s.Operate("one_time", operate.OneTime{Email: mail, Reset: true}, &at)
		s.Browser().Post(strings.TrimPrefix(at, s.URL), form("new", newPassword, "again", newPassword, "tokens", tokens)).Is(303)
	}
	ada.Get("/v2/account").Is(401)
	s.Ada.Get("/v2/account").Is(200) // another person's stay
}

// A session takes 2 KiB of the store at most, with all its indexes, whatever the browser says of itself.
func TestSessionSize(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	mail := s.Member("Lovelace")
	const many = 40
	for range many {
		s.Browser().Post("/sign-in", form("email", mail, "password", world.Password), "User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0 "+strings.Repeat("x", 8000)).Is(303)
	}
	s.Stop()
	db, err := bbolt.Open(filepath.Join(s.Cfg.Data, "alcove.db"), 0o600, &bbolt.Options{Timeout: time.Second, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	bytes, entries := 0, 0
	var count func(b *bbolt.Bucket) error
	count = func(b *bbolt.Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return count(b.Bucket(k))
			}
			bytes, entries = bytes+len(k)+len(v), entries+1
			return nil
		})
	}
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			if strings.Contains(string(name), "sessions") {
				return count(b)
			}
			return nil
		})
	})
	if err != nil || entries < 2*many || bytes > many*2048 {
		t.Errorf("%d sessions have %d entries of %d bytes: %v", many, entries, bytes, err)
	}
	t.Logf("a session takes %d bytes", bytes/many)
}

var signIns = flag.Int("sign-ins", 0, "how many people sign in at once while files are downloaded")

// Many who sign in at once leave downloads nearly as quick as they are otherwise.
func TestSignInStorm(t *testing.T) {
	if *signIns == 0 {
		t.Skip("make check-people runs it")
	}
	s := world.Start(t)
	const people = 20
	for i := range people {
		s.Member(fmt.Sprint("person", i))
	}
	article := s.Ada.Article(`{"title": "Read meanwhile", "authors": [{"name": "Grace Hopper"}]}`)
	at := "/files/" + fmt.Sprint(world.LastNumber(t, s.Ada.Upload(article, "a.bin", disk.Random(100_000, 5))))
	s.Ada.Do("POST", article+"/publish", nil).Is(201)
	slow := func(n int, until func() bool) (p50, p99 time.Duration, all int) {
		var took []time.Duration
		for len(took) < n || !until() {
			begun := time.Now()
			s.Anon.Get(at).Is(200)
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		return took[len(took)/2], took[len(took)*99/100], len(took)
	}
	always := func() bool { return true }
	slow(200, always)
	_, quiet, _ := slow(2000, always)
	var came sync.WaitGroup
	statuses := make(chan int, *signIns)
	for i := range *signIns {
		came.Go(func() {
			req, _ := http.NewRequest("POST", s.URL+"/sign-in", strings.NewReader(form("email", fmt.Sprintf("person%d@example.org", i%people), "password", world.Password).Encode()))
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			status := 0
			if res, err := world.NoRedirects.Do(req); err == nil {
				res.Body.Close()
				status = res.StatusCode
			}
			statuses <- status
		})
	}
	begun := time.Now()
	p50, busy, n := slow(1, func() bool { return len(statuses) == *signIns })
	took := time.Since(begun)
	came.Wait()
	close(statuses)
	in := 0
	for status := range statuses {
		if status == 303 {
			in++
		}
	}
	t.Logf("p99 of downloads: quiet %v; while %d people signed in, in %v, %v of %d (p50 %v); %d came in", quiet, *signIns, took, busy, n, p50, in)
	if busy > 3*quiet || in < *signIns*9/10 {
		t.Errorf("downloads took %v and not %v, and %d of %d came in", busy, quiet, in, *signIns)
	}
}
