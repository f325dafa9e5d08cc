package people

import (
	"encoding/json"
	"flag"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

var mailPython = flag.String("mail-python", "", "a Python that has aiosmtpd")

// Mail is taken by a server that is not ours, Debian's aiosmtpd, which wants STARTTLS and a user; with a wrong password it takes none.
func TestMailOther(t *testing.T) {
	if *mailPython == "" {
		t.Skip("make check-people runs it")
	}
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	doubles.SelfSigned(t, cert, key)
	port := strconv.Itoa(doubles.FreePort(t))
	host := "127.0.0.1:" + port
	cmd := exec.Command(*mailPython, "testdata/smtp.py", port, cert, key, "alcove", "a mail secret")
	var said, failed world.LockedBuffer
	cmd.Stdout, cmd.Stderr = &said, &failed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("the server said: %s%s", said.String(), failed.String())
		}
	})
	world.WaitFor(t, "the server is ready", func() bool { return strings.Contains(said.String(), "ready") })
	s := world.StartWithin(t, func(c *config.Config) {
		c.Mail = config.Mail{Server: host, TLS: "starttls", From: "repository@example.org", CA: cert, User: "alcove", PasswordFile: disk.Secret(t, "a mail secret")}
	})
	mail := s.Member("Lovelace")
	s.Browser().Post("/sign-in/forgot", form("email", mail), "Accept-Language", "de").Is(200)
	world.WaitFor(t, "a mail arrives", func() bool { return strings.Count(said.String(), "\n") == 2 })
	var got struct {
		From, Subject, Text string
		To                  []string
		TLS, Authenticated  bool
	}
	if err := json.Unmarshal([]byte(strings.Split(said.String(), "\n")[1]), &got); err != nil {
		t.Fatal(err)
	}
	if !got.TLS || !got.Authenticated || got.From != "repository@example.org" || len(got.To) != 1 || got.To[0] != mail || got.Subject != "Ein neues Passwort: Alcove" {
		t.Errorf("the mail is %+v", got)
	}
	at := doubles.Letter{Text: got.Text}.Link(t)
	s.Browser().Post(at, form("new", newPassword, "again", newPassword)).Is(303)
	s.SignedIn(mail, newPassword)

	s.Stop()
	s.Cfg.Mail.PasswordFile = disk.Secret(t, "wrong")
	s.Boot()
	s.Browser().Post("/sign-in/forgot", form("email", mail)).Is(200)
	world.WaitFor(t, "the log tells", func() bool { return strings.Contains(s.Logs.String(), "a mail could not be sent") })
	if waiting(t, s) != 1 || strings.Count(said.String(), "\n") != 2 {
		t.Error("a mail was taken, or is lost")
	}
}
