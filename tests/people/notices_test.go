package people

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/config"
	"alcove/record"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

// told are the receivers and subjects of mails, when none waits any more.
func told(t *testing.T, s *world.Server, post *doubles.MailServer) (list []string) {
	t.Helper()
	world.WaitFor(t, "the outbox is empty", func() bool { return waiting(t, s) == 0 })
	for _, l := range post.Sent() {
		list = append(list, l.To+": "+l.Subject)
	}
	slices.Sort(list)
	return list
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the mails are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A person is told of an invitation to a project in the own language, unless that is not wanted.
func TestNoticeProject(t *testing.T) {
	t.Parallel()
	post := doubles.StartMail(t, false)
	s := world.StartWithin(t, post.Used)
	mail := s.Member("Byron")
	_, owner := s.Depositor("Lovelace")
	ben, b := token(s, mail), s.SignedIn(mail, world.Password)
	s.Account(ben.ID(), func(a *record.Account) { a.Language = "de" })
	invite := func(title string) {
		at := owner.Post("/account/projects", form("title", title)).Is(303).Header.Get("Location")
		owner.Post(at+"/members", form("do", "invite", "email", mail, "role", "viewer")).Is(303)
	}
	invite("Ponds %s of all kinds")
	same(t, told(t, s, post), mail+": Einladung zu einem Projekt: Alcove")
	if text := post.Sent()[0].Text; !strings.Contains(text, "Ponds %s of") || !strings.Contains(text, "/account/profile") {
		t.Errorf("it says %q", text)
	}
	shows(t, b.Open("/account/profile", "Accept-Language", "en").Is(200), `value="project" checked`)
	f := form("first_name", "George", "last_name", "Byron", "language", "de")
	f["mails"] = []string{"review_decided", "file_failed"}
	f.Set("tag", between(t, string(b.Open("/account/profile").Is(200).Bytes), `name="tag" value="`, `"`))
	b.Post("/account/profile", f).Is(303)
	r := b.Open("/account/profile").Is(200)
	hides(t, r, `value="project" checked`)
	shows(t, r, `value="file_failed" checked`)
	invite("Lakes")
	if got := told(t, s, post); len(got) != 1 {
		t.Errorf("the mails are %q", got)
	}
}

// Reviewers are told what is handed in, and its owner how it ended; no one else is.
func TestNoticeReview(t *testing.T) {
	t.Parallel()
	post := doubles.StartMail(t, false)
	s := world.StartWithin(t, post.Used)
	faculty := s.Group("Sciences", 0)
	department := s.Group("Limnology", faculty)
	s.Role(s.Ada, faculty, "administrator")
	s.Joins(s.Ben, department)
	eve := s.Person("Eve", false)
	s.Role(eve, 2, "reviewer")
	s.AsksForReview(1, true)
	at := s.Ben.Article(`{"title": "Canary of ponds", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	in := []string{"ada@example.org: Handed in for review in Alcove", "eve@example.org: Handed in for review in Alcove"}
	same(t, told(t, s, post), in...)
	for _, l := range post.Sent() {
		if !strings.Contains(l.Text, "Canary of ponds") || !strings.Contains(l.Text, s.URL+"/account/reviews/1") {
			t.Errorf("it says %q", l.Text)
		}
	}
	s.Ben.Decide(1, "comment", "A word").Is(200)
	eve.Decide(1, "rejected", "Not yet").Is(200)
	same(t, told(t, s, post), append(in, "ben@example.org: Returned: your item in Alcove")...)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	same(t, told(t, s, post), append(append(in, in...), "ben@example.org: Returned: your item in Alcove")...)
	eve.Decide(2, "approved", "Good").Is(200)
	same(t, told(t, s, post), append(append(in, in...), "ben@example.org: Returned: your item in Alcove", "ben@example.org: Approved: your item in Alcove")...)

	// One that does not review any more is not told of an earlier submission.
	post.Refuse(&smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "later"})
	tried := post.Tried()
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	world.WaitFor(t, "both are tried", func() bool { return post.Tried() == tried+2 })
	s.Account(eve.ID(), func(a *record.Account) { a.InstitutionID = 9 })
	post.Refuse(nil)
	s.Alter(func(tx *bucket.Tx) error {
		var waits []int64
		for row, err := range exchange.Outbox.All(tx, nil) {
			if err != nil {
				return err
			}
			waits = append(waits, row.Key)
		}
		for _, id := range waits {
			m, err := exchange.Outbox.Get(tx, id)
			if err != nil {
				return err
			}
			m.Due = tx.Now()
			if err := exchange.Outbox.Put(tx, id, m); err != nil {
				return err
			}
		}
		return nil
	})
	all := append(append(in, in...), "ben@example.org: Returned: your item in Alcove", "ben@example.org: Approved: your item in Alcove")
	same(t, told(t, s, post), append(all, in[0])...)
}

// The owner is told of a file that is not what was announced, and once of the end of an embargo, however many versions it
// was on; a mail that a server could not take goes out after the next start, once.
func TestNoticeFileAndEmbargo(t *testing.T) {
	t.Parallel()
	post := doubles.StartMail(t, false)
	s := world.StartWithin(t, post.Used)
	s.Stop()
	clock := newClock()
	s.Clock = clock.now
	s.Boot()
	post.Refuse(&smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "later"})
	at := s.Ada.Article(`{"title": "Depths", "authors": [{"name": "Grace Hopper"}]}`)
	file, upload := s.Ada.BeginAs(at, `{"name": "wrong.bin", "size": 3, "md5": "00000000000000000000000000000000"}`)
	s.Anon.Do("PUT", upload+"/1", strings.NewReader("abc")).Is(200)
	s.Ada.Do("POST", file, nil).Is(202)
	s.Ada.Until(file, "ic_failed")
	world.WaitFor(t, "it is tried", func() bool { return post.Tried() > 0 })
	s.Stop()
	post.Refuse(nil)
	clock.add(time.Hour)
	s.Boot()
	failed := "ada@example.org: A file could not be stored in Alcove"
	same(t, told(t, s, post), failed)
	s.Restart()
	same(t, told(t, s, post), failed)
	s.Ada.Do("DELETE", file, nil).Is(204)

	s.Ada.Upload(at, "depths.csv", []byte("a"))
	s.Ada.Embargo(at, "file", clock.now().Add(48*time.Hour).UTC().Format(time.DateOnly))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Embargo(s.Ada.Article(`{"title": "A draft"}`), "article", clock.now().Add(48*time.Hour).UTC().Format(time.DateOnly))
	same(t, told(t, s, post), failed)
	s.Stop()
	clock.add(72 * time.Hour)
	s.Boot()
	world.WaitFor(t, "the embargo has ended", func() bool {
		return s.Anon.Get(strings.Replace(at, "/account", "", 1)).Object()["is_embargoed"] == false
	})
	world.WaitFor(t, "both are told", func() bool { return len(post.Sent()) >= 3 })
	ended := "ada@example.org: An embargo has ended in Alcove"
	same(t, told(t, s, post), failed, ended, ended)
	texts := ""
	for _, l := range post.Sent() {
		texts += l.Text
	}
	for _, title := range []string{"wrong.bin", "Depths", "A draft"} {
		if strings.Count(texts, title) != 1 {
			t.Errorf("%q stands %d times in the mails", title, strings.Count(texts, title))
		}
	}
}

// Where no mail is configured nothing waits to be sent.
func TestNoNotices(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) {})
	project := s.Ada.Project("Ponds")
	s.Ada.Invite(project, s.Ben, "viewer")
	at := s.Ada.Article(`{"title": "Depths"}`)
	file, upload := s.Ada.BeginAs(at, `{"name": "wrong.bin", "size": 3, "md5": "00000000000000000000000000000000"}`)
	s.Anon.Do("PUT", upload+"/1", strings.NewReader("abc")).Is(200)
	s.Ada.Do("POST", file, nil).Is(202)
	s.Ada.Until(file, "ic_failed")
	if n := waiting(t, s); n != 0 {
		t.Errorf("%d mails wait", n)
	}
	if got := fmt.Sprint(s.Ada.Get(project + "/collaborators").Is(200).List()); !strings.Contains(got, "Ben") {
		t.Errorf("the members are %s", got)
	}
}
