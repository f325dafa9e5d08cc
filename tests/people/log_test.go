package people

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-smtp"

	"alcove/tests/disk"
	"alcove/tests/doubles"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// No line of the log has the name or the mail address of a person, what was searched for, or the name of a file: not when the person
// signs in, deposits, is reviewed and publishes, and not when mails are refused, a download is cut off or a request goes wrong.
func TestLogNamesNobody(t *testing.T) {
	t.Parallel()
	post := doubles.StartMail(t, false)
	s, cyd := stage.NewInstitution(t, post.Used)
	s.AsksForReview(1, true)
	critic, reviewer := s.Depositor("Critic")
	s.Role(critic, 1, "reviewer")
	person, b := s.Depositor("Xylophagous")
	s.Joins(person, 2)
	mail := "xylophagous@example.org"
	s.Browser().Post("/sign-in", form("email", "Xylophagous@Example.org", "password", "wrong")).Is(422)
	b.Post("/account/profile", form("first_name", "Xylophagous", "last_name", "Sesquipedalian", "language", "en"))

	at := person.Article(`{"title": "Zugzwang of Xylophagous", "description": "Bathypelagic", "authors": [{"name": "Flibbertigibbet Co"}]}`)
	file := person.Upload(at, "zugzwang-xylophagous.csv", disk.Random(3<<20, 5))
	b.Open(strings.TrimPrefix(at, "/v2") + "/edit").Is(200)
	person.Do("POST", at+"/publish", nil).Is(201)
	reviewer.Post("/account/reviews/1", form("type", "comment", "text", "Serendipitous")).Is(303)
	reviewer.Post("/account/reviews/1", form("type", "approved", "text", "Serendipitous")).Is(303)
	id := world.LastNumber(t, at)
	s.Anon.Get(fmt.Sprint("/v2/articles/", id)).Is(200)
	for _, words := range []string{"bathypelagic", ":title: zugzwang", mail, "(((("} {
		s.Anon.Send("POST", "/v2/articles/search", fmt.Sprintf(`{"search_for": %q}`, words))
		person.Send("POST", "/v2/account/articles/search", fmt.Sprintf(`{"search_for": %q}`, words))
		s.Browser().Open("/search?q=" + form("q", words).Encode()[2:])
	}
	person.Send("POST", "/v2/account/articles", `{"title": "bathypelagic", "bathypelagic": 1, "authors": "Flibbertigibbet"}`).Is(422)
	s.Anon.Get("/v2/articles?bathypelagic=xylophagous").Is(200)
	s.Anon.Get("/bathypelagic/xylophagous").Is(404)
	project := person.Project("Zugzwang")
	person.Invite(project, cyd, "viewer")

	// Mails are refused for now, and for good, by servers that name the person.
	for n, refusal := range []*smtp.SMTPError{
		{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 2, 0}, Message: "Mailbox of XYLOPHAGOUS@example.org is busy"},
		{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such user: xylophagous"},
	} {
		tried := post.Tried()
		post.Refuse(refusal)
		s.Browser().Post("/sign-in/forgot", form("email", mail)).Is(200)
		world.WaitFor(t, fmt.Sprint("refusal ", n), func() bool { return post.Tried() > tried })
	}
	world.WaitFor(t, "the log tells of it", func() bool { return strings.Contains(s.Logs.String(), "was refused and is given up") })

	// A file is damaged behind its first chunk.
	blobs, err := filepath.Glob(filepath.Join(s.Cfg.Data, "blobs", "??", "*"))
	if err != nil || len(blobs) != 1 {
		t.Fatalf("%v, %v", blobs, err)
	}
	info, err := os.Stat(blobs[0])
	if err != nil {
		t.Fatal(err)
	}
	disk.FlipBit(t, blobs[0], int(info.Size()-9))
	world.Download(t, world.NoRedirects, s.URL+fmt.Sprint("/files/", world.LastNumber(t, file)), "")
	world.WaitFor(t, "the log tells of that, too", func() bool { return strings.Contains(s.Logs.String(), "a download was cut off") })

	disk.FlipBit(t, blobs[0], int(info.Size()-9)) // for the check at the end

	log := s.Logs.String()
	low := strings.ToLower(log)
	for _, word := range []string{"xylophagous", "sesquipedalian", "zugzwang", "bathypelagic", "flibbertigibbet", "serendipitous", "critic@", "tester"} {
		if i := strings.Index(low, word); i >= 0 {
			t.Errorf("the log has %q: %s", word, log[max(0, i-300):min(len(log), i+100)])
		}
	}
	if n := strings.Count(log, "msg=request"); n < 30 || !strings.Contains(log, "(its address)") {
		t.Errorf("of %d requests the log tells: %s", n, log)
	}
}
