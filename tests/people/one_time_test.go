package people

import (
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/cli/operate"
	"alcove/tests/world"
)

const newPassword = "several words together"

func begins(pairs ...string) url.Values {
	return form(append([]string{"first_name", "Mary", "last_name", "Somerville", "new", newPassword, "again", newPassword}, pairs...)...)
}

// An invitation begins an account, and a reset sets the password of one: once, until they expire, and only as long as
// they are the newest of their address.
func TestOneTimeLinks(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	s.Stop()
	now := time.Now() // after the last change of the store
	s.Clock = func() time.Time { return now }
	s.Boot()
	link := func(o operate.OneTime) (path string) {
		t.Helper()
		var at string
		s.Operate("one_time", o, &at)
		if !strings.HasPrefix(at, s.URL+"/one-time/") {
			t.Fatalf("the address is %q", at)
		}
		return strings.TrimPrefix(at, s.URL)
	}
	const mail = "mary@example.org"
	old := link(operate.OneTime{Email: mail, Admin: true})
	at := link(operate.OneTime{Email: mail})
	b := s.Browser()
	b.Open(old).Is(404) // another has come in its place
	shows(t, b.Open(at).Is(200), "Begin an account", `value="mary@example.org"`, "readonly")
	b.Open(at).Is(200) // to open it uses nothing up
	r := b.Post(at, form("first_name", "Mary", "last_name", "", "new", "short", "again", "short")).Is(422)
	shows(t, r, "Enter the name", "at least 12 characters", `value="Mary"`)
	b.Post(at, begins(), "Sec-Fetch-Site", "cross-site").Is(403)
	b.Post(at, begins("email", "other@example.org")).Is(303) // the address stays that of the invitation
	shows(t, b.Open("/account").Is(200), "Mary Somerville", mail)
	if id := accountOf(t, s, mail); id == 0 {
		t.Error("there is no account")
	}
	s.Browser().Open(at).Is(404)
	s.Browser().Post(at, begins()).Is(404)
	if err := s.TryOperate("one_time", operate.OneTime{Email: "Mary@Example.org"}, nil); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("an invitation of an account: %v", err)
	}

	other := s.SignedIn(mail, newPassword)
	reset := link(operate.OneTime{Email: mail, Reset: true})
	other.Open("/account").Is(200)
	shows(t, s.Browser().Open(reset).Is(200), "Set a new password", mail)
	const second = "other words together"
	c := s.Browser()
	c.Post(reset, form("new", second, "again", second)).Is(303)
	c.Open("/account").Is(200)
	other.Open("/account").Is(303)
	b.Open("/account").Is(303)
	s.Browser().Post("/sign-in", form("email", mail, "password", newPassword)).Is(422)
	s.SignedIn(mail, second)

	expired := link(operate.OneTime{Email: mail, Reset: true})
	now = now.Add(24*time.Hour + time.Minute)
	s.Browser().Open(expired).Is(404)
	s.Browser().Post(expired, form("new", second, "again", second)).Is(404)
	yes := true
	dead := link(operate.OneTime{Email: mail, Reset: true})
	s.Operate("account_edit", operate.AccountEdit{Account: mail, Disabled: &yes}, nil)
	s.Browser().Open(dead).Is(404)
	for _, wrong := range []string{"x", strings.Repeat("A", 43), dead[len("/one-time/"):] + "A", strings.ToLower(dead[len("/one-time/"):])} {
		s.Browser().Open("/one-time/" + wrong).Is(404)
	}
	n := 0
	if err := s.DB().View(func(tx *bucket.Tx) error {
		for range users.OneTimeLinks.All(tx, nil) {
			n++
		}
		return nil
	}); err != nil || n != 1 {
		t.Errorf("%d links are stored, %v", n, err)
	}
	noSecrets(t, s, at[len("/one-time/"):], reset[len("/one-time/"):], dead[len("/one-time/"):], newPassword, second)
}

// A repository without an administrator prints an address at which the first one is made, once.
func TestFirstRun(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	printed := regexp.MustCompile(`http://[^/]+(/one-time/\S+)`)
	run := func(work func(s *world.Server, path string)) {
		t.Helper()
		var out, log world.LockedBuffer
		cmd := exec.Command("alcove", "serve", "--data", dir, "--listen", "127.0.0.1:0", "--tls", "off")
		cmd.Stdout, cmd.Stderr = &out, &log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		at := regexp.MustCompile(`msg=serving address=(\S+)`)
		world.WaitFor(t, "it serves", func() bool { return at.MatchString(log.String()) })
		s := &world.Server{T: t, URL: at.FindStringSubmatch(log.String())[1], Logs: &log}
		s.Anon = world.Client{Server: s}
		path := ""
		if strings.Contains(log.String(), "standard output has an address") { // said before it serves
			world.WaitFor(t, "it prints the address", func() bool { return printed.MatchString(out.String()) })
			path = printed.FindStringSubmatch(out.String())[1]
			if strings.Contains(log.String(), path) {
				t.Error("the log has the secret")
			}
		}
		work(s, path)
	}
	first := ""
	run(func(s *world.Server, path string) { first = path })
	run(func(s *world.Server, path string) {
		b := s.Browser()
		if path == "" || path == first {
			t.Fatalf("the addresses are %q and %q", first, path)
		}
		b.Open(first).Is(404)
		shows(t, b.Open(path).Is(200), "The first administrator")
		shows(t, b.Post(path, begins("email", "no address")).Is(422), "not a mail address", `value="no address"`, `value="Somerville"`)
		b.Post(path, begins("email", "mary@example.org")).Is(303)
		shows(t, b.Open("/account").Is(200), "Mary Somerville")
		s.Browser().Open(path).Is(404)
		s.Browser().Post(path, begins("email", "second@example.org")).Is(404)
	})
	run(func(_ *world.Server, path string) {
		if path != "" {
			t.Error("there is an administrator, and still an address was printed")
		}
	})
	if out, err := exec.Command("alcove", "account", "list", "--data", dir).CombinedOutput(); err != nil || !strings.Contains(string(out), "mary@example.org") {
		t.Errorf("%v: %s", err, out)
	}
}
