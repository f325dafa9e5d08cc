package people

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

// A person who has forgotten the password has a link sent and sets another one, which ends all sessions. Asked for an
// address without an account the answer is the same to the byte, and no mail goes out.
func TestMailReset(t *testing.T) {
	t.Parallel()
	post := doubles.StartMail(t, false)
	s := world.StartWithin(t, post.Used)
	mail := s.Member("Lovelace")
	old := s.SignedIn(mail, world.Password)
	b := s.Browser()
	shows(t, b.Open("/sign-in").Is(200), `href="/sign-in/forgot"`)
	shows(t, b.Open("/sign-in/forgot").Is(200), `autocomplete="username"`)
	shows(t, b.Post("/sign-in/forgot", form("email", "")).Is(422), "Enter a mail address")
	shows(t, b.Post("/sign-in/forgot", form("email", "nobody")).Is(422), "not a mail address")
	b.Post("/sign-in/forgot", form("email", mail), "Sec-Fetch-Site", "cross-site").Is(403)

	begun := time.Now()
	none := b.Post("/sign-in/forgot", form("email", "unknown@example.org")).Is(200)
	between := time.Now()
	known := b.Post("/sign-in/forgot", form("email", " LOVELACE@example.org "), "Accept-Language", "de").Is(200)
	unknown, there := between.Sub(begun), time.Since(between)
	t.Logf("without an account it took %v, with one %v", unknown, there)
	shows(t, known, "ist ein Link dorthin unterwegs")
	if again := b.Post("/sign-in/forgot", form("email", mail)).Is(200); string(again.Bytes) != string(none.Bytes) {
		t.Errorf("the answers differ:\n%s\n%s", again.Bytes, none.Bytes)
	}
	world.WaitFor(t, "the outbox is empty", func() bool { return waiting(t, s) == 0 })
	all := post.Sent()
	if len(all) != 2 {
		t.Fatalf("%d mails were sent: %v", len(all), all)
	}
	german, english := all[0], all[1]
	if german.To != mail || german.From != "repository@example.org" || german.Subject != "Ein neues Passwort: Alcove" || english.Subject != "A new password for Alcove" || post.Plain() > 0 {
		t.Errorf("the mails are %+v, %d without encryption", all, post.Plain())
	}
	b.Open(german.Link(t)).Is(404) // the second has come in its place
	at := english.Link(t)
	shows(t, b.Open(at).Is(200), "Set a new password", mail)
	old.Open("/account").Is(200)
	b.Post(at, form("new", newPassword, "again", newPassword)).Is(303)
	old.Open("/account").Is(303)
	s.Browser().Open(at).Is(404)
	s.SignedIn(mail, newPassword)

	// To one address no more than three an hour, which is not told.
	for range 3 {
		b.Post("/sign-in/forgot", form("email", mail)).Is(200)
	}
	world.WaitFor(t, "the outbox is empty", func() bool { return waiting(t, s) == 0 })
	if n := len(post.Sent()); n != 3 {
		t.Errorf("%d mails were sent", n)
	}
	// Nor to an account that is disabled.
	other := s.Member("Byron")
	yes := true
	s.Operate("account_edit", operate.AccountEdit{Account: other, Disabled: &yes}, nil)
	b.Post("/sign-in/forgot", form("email", other)).Is(200)
	world.WaitFor(t, "the outbox is empty", func() bool { return waiting(t, s) == 0 })
	if n := len(post.Sent()); n != 3 {
		t.Errorf("%d mails were sent", n)
	}
	noSecrets(t, s, strings.TrimPrefix(at, "/one-time/"), strings.TrimPrefix(german.Link(t), "/one-time/"), newPassword)
	if strings.Contains(s.Logs.String(), mail) {
		t.Error("the log has the address of a person")
	}
}

// waiting is how many mails the outbox has.
func waiting(t *testing.T, s *world.Server) (n int64) {
	t.Helper()
	err := s.DB().View(func(tx *bucket.Tx) error {
		n = exchange.MailsWaiting.Sum(tx)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A client that asks for too many mails has to wait.
func TestMailPaced(t *testing.T) {
	t.Parallel()
	post := doubles.StartMail(t, false)
	s := world.Start(t, post.Used, func(c *config.Config) { c.WrongPasswords = 5 })
	refused := 0
	for i := range 8 {
		r := s.Browser().Post("/sign-in/forgot", form("email", fmt.Sprintf("person%d@example.org", i)))
		if r.StatusCode == 429 {
			refused++
			shows(t, r, "Too many mails")
			if r.Header.Get("Retry-After") == "" {
				t.Error("it does not say how long to wait")
			}
		}
	}
	if refused != 3 {
		t.Errorf("%d of 8 were refused", refused)
	}
}

// An administrator's invitation is sent where mail is configured, and printed where that is asked for.
func TestMailInvitation(t *testing.T) {
	t.Parallel()
	post := doubles.StartMail(t, true)
	post.SignIn("alcove", "a secret of the mail server")
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("a secret of the mail server\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := world.Start(t, post.Used, func(c *config.Config) {
		c.Mail.TLS, c.Mail.User, c.Mail.PasswordFile = "tls", "alcove", file
	})
	var said string
	s.Operate("one_time", operate.OneTime{Email: "mary@example.org"}, &said)
	if !strings.Contains(said, "waits to be sent") || strings.Contains(said, "/one-time/") {
		t.Errorf("it says %q", said)
	}
	l := post.Wait(t, 1)
	if l.To != "mary@example.org" || l.Subject != "Invitation to Alcove" {
		t.Errorf("the mail is %+v", l)
	}
	b := s.Browser()
	b.Post(l.Link(t), begins()).Is(303)
	shows(t, b.Open("/account").Is(200), "Mary Somerville")
	s.Operate("one_time", operate.OneTime{Email: "grace@example.org", Print: true}, &said)
	if !strings.HasPrefix(said, s.URL+"/one-time/") {
		t.Errorf("it says %q", said)
	}
	if err := s.TryOperate("one_time", operate.OneTime{Email: "mary@example.org"}, nil); err == nil {
		t.Error("an account was invited")
	}
	if len(post.Sent()) != 1 || post.Plain() != 0 {
		t.Errorf("the mails are %+v", post.Sent())
	}
}

// Another mail address becomes that of an account when a link that was sent there is used; the old one is told.
func TestMailChange(t *testing.T) {
	t.Parallel()
	post := doubles.StartMail(t, false)
	s := world.StartWithin(t, post.Used)
	mail := s.Member("Lovelace")
	taken := s.Member("Byron")
	b := s.SignedIn(mail, world.Password)
	shows(t, b.Open("/account").Is(200), `href="/account/email"`)
	shows(t, b.Open("/account/email").Is(200), `name="email"`, `autocomplete="current-password"`)
	const next = "ada.lovelace@example.org"
	shows(t, b.Post("/account/email", form("email", "nothing", "password", world.Password)).Is(422), "not a mail address")
	shows(t, b.Post("/account/email", form("email", next, "password", "not the password")).Is(422), "not the current password", next)
	b.Post("/account/email", form("email", next, "password", world.Password), "Sec-Fetch-Site", "cross-site").Is(403)
	b.Post("/account/email", form("email", taken, "password", world.Password)).Is(303) // which is not told here
	b.Post("/account/email", form("email", next, "password", world.Password)).Is(303)
	l := post.Wait(t, 1)
	if l.To != next || l.Subject != "Confirm your mail address for Alcove" {
		t.Errorf("the mail is %+v", l)
	}
	other := s.Browser()
	shows(t, other.Open(l.Link(t)).Is(200), "Confirm the mail address", next)
	s.SignedIn(mail, world.Password) // nothing has changed so far
	if got := other.Post(l.Link(t), form("new", newPassword, "again", newPassword)).Is(303).Header.Get("Location"); got != "/account?confirmed=1" || other.Secret() != "" {
		t.Errorf("it leads to %q, with a session: %v", got, other.Secret() != "")
	}
	other.Open(l.Link(t)).Is(404)
	shows(t, b.Open("/account?confirmed=1").Is(200), next, "The mail address was changed")
	s.SignedIn(next, world.Password)
	s.Browser().Post("/sign-in", form("email", mail, "password", world.Password)).Is(422)
	if l := post.Wait(t, 2); l.To != mail || strings.Contains(l.Text, next) {
		t.Errorf("the old address was told %+v", l)
	}

	// A link of before a new password opens nothing.
	b.Post("/account/email", form("email", "third@example.org", "password", world.Password)).Is(303)
	stale := post.Wait(t, 3).Link(t)
	b.Post("/account/password", form("current", world.Password, "new", newPassword, "again", newPassword)).Is(303)
	b.Open(stale).Is(404)
	// Nor does one to an address that has an account by now.
	b.Post("/account/email", form("email", "fourth@example.org", "password", newPassword)).Is(303)
	late := post.Wait(t, 4).Link(t)
	s.Member("Fourth")
	shows(t, b.Post(late, nil).Is(422), "There is an account with this mail address")
	shows(t, b.Open("/account").Is(200), next)
}

// A mail that waits to be sent for an account goes with its old password: the link in it would be good.
func TestMailWaitingEnds(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) {
		c.Mail = config.Mail{Server: "127.0.0.1:1", TLS: "off", From: "alcove@example.org"} // where no server is
	})
	b, other := s.SignedIn(s.Member("Lovelace"), world.Password), s.SignedIn(s.Member("Byron"), world.Password)
	for _, who := range []*world.Browser{b, other} {
		who.Post("/account/email", form("email", "elsewhere@example.org", "password", world.Password)).Is(303)
	}
	if got := waiting(t, s); got != 2 {
		t.Fatalf("%d mails wait", got)
	}
	b.Post("/account/password", form("current", world.Password, "new", newPassword, "again", newPassword)).Is(303)
	if got := waiting(t, s); got != 1 {
		t.Errorf("%d mails wait after one of two has another password", got)
	}
}

// A mail that the mail server cannot take now is tried again, later and later; one that it will never take is given up. A server
// whose certificate is not the right one, or that has no encryption, is told nothing.
func TestMailRetries(t *testing.T) {
	t.Parallel()
	post := doubles.StartMail(t, false)
	s := world.StartWithin(t, post.Used, func(c *config.Config) { c.MetricsListen = "127.0.0.1:0" })
	s.Stop()
	clock := newClock()
	s.Clock = clock.now
	s.Boot()
	mail := s.Member("Lovelace")
	post.Refuse(&smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "later"})
	s.Browser().Post("/sign-in/forgot", form("email", mail)).Is(200)
	for i, wait := range []time.Duration{0, time.Minute, 2 * time.Minute, 4 * time.Minute} {
		clock.add(wait)
		world.WaitFor(t, "it is tried", func() bool { return post.Tried() == i+1 })
		world.WaitFor(t, "that is noted", func() bool { return s.Scrape()["alcove_mail_failed_total{}"] == float64(i+1) })
	}
	if got := s.Scrape()["alcove_mail_waiting{}"]; got != 1 {
		t.Errorf("%v mails wait", got)
	}
	post.Refuse(nil)
	clock.add(8 * time.Minute)
	s.Browser().Open(post.Wait(t, 1).Link(t)).Is(200)
	world.WaitFor(t, "it is counted", func() bool {
		return s.Scrape()["alcove_mail_sent_total{}"] == 1 && s.Scrape()["alcove_mail_waiting{}"] == 0
	})
	if got := s.Scrape()["alcove_mail_oldest_seconds{}"]; got != 0 {
		t.Errorf("the oldest has waited %v s", got)
	}

	post.Refuse(&smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such mailbox " + mail})
	s.Operate("one_time", operate.OneTime{Email: mail, Reset: true}, nil)
	world.WaitFor(t, "it is given up", func() bool {
		return s.Scrape()["alcove_mail_dropped_total{}"] == 1 && s.Scrape()["alcove_mail_waiting{}"] == 0
	})
	post.Refuse(&smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "later"})
	s.Operate("one_time", operate.OneTime{Email: mail, Reset: true}, nil)
	world.WaitFor(t, "it is tried", func() bool { return s.Scrape()["alcove_mail_failed_total{}"] == 5 })
	clock.add(3 * time.Hour)
	world.WaitFor(t, "it is too late", func() bool {
		return s.Scrape()["alcove_mail_dropped_total{}"] == 2 && s.Scrape()["alcove_mail_waiting{}"] == 0
	})
	if strings.Contains(s.Logs.String(), mail) {
		t.Error("the log has the address of a person")
	}
}

func TestMailEncryption(t *testing.T) {
	t.Parallel()
	post := doubles.StartMail(t, false)
	other := filepath.Join(t.TempDir(), "other.pem")
	doubles.SelfSigned(t, other, filepath.Join(t.TempDir(), "key.pem"))
	s := world.Start(t, post.Used, func(c *config.Config) { c.Mail.CA, c.MetricsListen = other, "127.0.0.1:0" })
	s.Operate("one_time", operate.OneTime{Email: "mary@example.org"}, nil)
	world.WaitFor(t, "it has failed", func() bool { return s.Scrape()["alcove_mail_failed_total{}"] == 1 })
	if post.Tried() != 0 || !strings.Contains(s.Logs.String(), "certificate") {
		t.Errorf("%d mails were offered: %s", post.Tried(), s.Logs)
	}
}

// aClock is one that a test sets, for servers whose background reads it too.
type aClock struct {
	mu sync.Mutex
	at time.Time
}

// newClock stands still at the present. It is made once a server has stopped: the store is never before its last change, so that a
// clock from before it would be late by as long as the start took.
func newClock() *aClock { return &aClock{at: time.Now()} }

func (c *aClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *aClock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
