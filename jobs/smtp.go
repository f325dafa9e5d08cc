package jobs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
)

// SMTP says how mails are handed to a server. The zero value sends none.
type SMTP struct {
	Server       string // host:port, "" for no mail
	Encryption   string // "starttls", "tls" from the first byte, or "off"
	From         string // address
	Name         string // of who sends, beside the address
	User         string // "" for none
	PasswordFile string // of the user
	CA           string // PEM file with what the server's certificate is checked against, "" for the system's
}

// sendTimeout bounds a try to send one mail, connecting included.
const sendTimeout = time.Minute

// message is a mail as it is sent.
type message struct {
	id                string // the same for each try, by which who gets it twice after a crash can tell
	to, subject, text string
}

// client connects as the configuration says. Files are read each time, so that a password or an authority
// can be replaced without a restart. Without encryption no password is ever sent.
func (s SMTP) client() (*mail.Client, error) {
	host, portText, err := net.SplitHostPort(s.Server)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(portText)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if s.CA != "" {
		pem, err := os.ReadFile(s.CA)
		if err != nil {
			return nil, err
		}
		if config.RootCAs = x509.NewCertPool(); !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate in PEM form", s.CA)
		}
	}
	options := []mail.Option{mail.WithPort(port), mail.WithTLSConfig(config), mail.WithTimeout(sendTimeout / 2)}
	switch s.Encryption {
	case "tls":
		options = append(options, mail.WithSSL())
	case "starttls":
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	default:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	}
	if s.User != "" {
		password, err := os.ReadFile(s.PasswordFile)
		if err != nil {
			return nil, err
		}
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(s.User), mail.WithPassword(strings.TrimRight(string(password), "\r\n")))
	}
	return mail.NewClient(host, options...)
}

// send hands one mail to the server. An error of which refusedForGood is true would come again.
func (s SMTP) send(ctx context.Context, m message) error {
	client, err := s.client()
	if err != nil {
		return fmt.Errorf("cannot prepare a mail: %w", err)
	}
	msg := mail.NewMsg()
	if err := errors.Join(msg.FromFormat(strings.NewReplacer(`"`, "", `\`, "").Replace(s.Name), s.From), msg.To(m.to)); err != nil {
		return errUnsendable
	}
	msg.Subject(m.subject)
	msg.SetDate()
	_, domain, _ := strings.Cut(s.From, "@")
	msg.SetMessageIDWithValue(m.id + "@" + domain)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // no answers of machines (RFC 3834)
	msg.SetBodyString(mail.TypeTextPlain, m.text)
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	return client.DialAndSendWithContext(ctx, msg)
}

var errUnsendable = errors.New("the address cannot be written to")

// refusedForGood reports whether a server has refused the mail with a status of 500 or more, so that another
// try would end alike. A password that it does not take is no such refusal, since the operator can correct it.
func refusedForGood(err error) bool {
	var sent *mail.SendError
	if errors.As(err, &sent) {
		return sent.ErrorCode() >= 500 && sent.ErrorCode() < 600 && sent.ErrorCode() != 530 && sent.ErrorCode() != 535
	}
	return errors.Is(err, errUnsendable)
}
