package doubles

import (
	"crypto/tls"
	"errors"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"alcove/config"
	"alcove/tests/world"
)

// MailServer is an SMTP server in this process that keeps what it is handed: emersion/go-smtp, which shares
// no code with the client of the program.
type MailServer struct {
	T       testing.TB
	Address string // host:port
	CA      string // PEM file of its certificate
	User    string // who may send, "" for every client

	mu       sync.Mutex
	password string
	refusal  error // of the next mails
	mails    []Letter
	plain    int // mails that came without TLS
	tried    int
}

// Letter is a mail that has arrived.
type Letter struct{ From, To, Subject, Text string }

// StartMail starts one that speaks TLS after STARTTLS, or, at once, from the first byte.
func StartMail(t *testing.T, atOnce bool) *MailServer {
	t.Helper()
	dir := t.TempDir()
	m := &MailServer{T: t, CA: filepath.Join(dir, "ca.pem")}
	key := filepath.Join(dir, "key.pem")
	SelfSigned(t, m.CA, key)
	pair, err := tls.LoadX509KeyPair(m.CA, key)
	if err != nil {
		t.Fatal(err)
	}
	s := smtp.NewServer(m)
	s.Domain, s.TLSConfig = "localhost", &tls.Config{Certificates: []tls.Certificate{pair}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.Address = l.Addr().String()
	if atOnce {
		l = tls.NewListener(l, s.TLSConfig)
	}
	done := make(chan struct{})
	go func() { // ends with the test
		defer close(done)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Close()
		<-done
	})
	return m
}

// Used is a configuration that sends mails there.
func (m *MailServer) Used(c *config.Config) {
	c.Mail = config.Mail{Server: m.Address, TLS: "starttls", From: "repository@example.org", CA: m.CA}
}

// SignIn lets only one user send.
func (m *MailServer) SignIn(user, password string) { m.User, m.password = user, password }

// Refuse refuses mails from now on, nil for none.
func (m *MailServer) Refuse(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refusal = err
}

// Tried is how many mails were offered.
func (m *MailServer) Tried() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tried
}

// Plain is how many of them came without TLS.
func (m *MailServer) Plain() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.plain
}

// Sent are the mails that have arrived.
func (m *MailServer) Sent() []Letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Letter{}, m.mails...)
}

// Wait waits until so many mails have arrived, and returns the last one.
func (m *MailServer) Wait(t *testing.T, n int) Letter {
	t.Helper()
	world.WaitFor(t, "a mail arrives", func() bool { return len(m.Sent()) >= n })
	all := m.Sent()
	if len(all) != n {
		t.Fatalf("%d mails have arrived, not %d: %v", len(all), n, all)
	}
	return all[n-1]
}

var linkInMail = regexp.MustCompile(`http\S+(/one-time/\S+)`)

// Link is the path of the one-time link in a mail.
func (l Letter) Link(t *testing.T) string {
	t.Helper()
	found := linkInMail.FindStringSubmatch(l.Text)
	if found == nil {
		t.Fatalf("no link is in %q", l.Text)
	}
	return found[1]
}

// NewSession is a connection.
func (m *MailServer) NewSession(c *smtp.Conn) (smtp.Session, error) {
	return &mailSession{server: m, conn: c}, nil
}

type mailSession struct {
	server   *MailServer
	conn     *smtp.Conn
	signedIn bool
	letter   Letter
}

func (s *mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.server.User || password != s.server.password {
			return smtp.ErrAuthFailed
		}
		s.signedIn = true
		return nil
	}), nil
}

func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.tried++
	if _, encrypted := s.conn.TLSConnectionState(); !encrypted {
		s.server.plain++
	}
	switch {
	case s.server.refusal != nil:
		return s.server.refusal
	case s.server.User != "" && !s.signedIn:
		return smtp.ErrAuthRequired
	}
	s.letter = Letter{From: from}
	return nil
}

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.letter.To = to
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	msg, err := netmail.ReadMessage(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(quotedprintable.NewReader(msg.Body))
	if err != nil {
		return err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject"))
	if err != nil || msg.Header.Get("Date") == "" || msg.Header.Get("Message-Id") == "" || msg.Header.Get("Auto-Submitted") == "" {
		return errors.New("the head of the mail is wrong")
	}
	s.letter.Subject, s.letter.Text = subject, strings.ReplaceAll(string(text), "\r\n", "\n")
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.mails = append(s.server.mails, s.letter)
	return nil
}

func (s *mailSession) Reset()        { s.letter = Letter{} }
func (s *mailSession) Logout() error { return nil }
