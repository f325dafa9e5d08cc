package config

import "fmt"

// mail checks what sending mails needs.
func (l *loader) mail(c Config) {
	m, origin := c.Mail, l.origin["mail_server"]
	if m.Server == "" {
		return
	}
	if m.From == "" {
		l.fault(origin, "mail_server needs mail_from to be set")
	}
	if (m.User == "") != (m.PasswordFile == "") {
		l.fault(origin, "mail_user and mail_password_file belong together, and one of them is not set")
	}
	if m.TLS == "off" && (m.User != "" || !(Config{Listen: m.Server}).OnLoopback()) {
		l.fault(l.origin["mail_tls"], `mail_tls = "off" would send mails in the clear: it needs a mail_server on this machine, and no mail_user`)
	}
}

// mailServer is a host and a port. An empty text stays empty.
func mailServer(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if _, err := listenAddress(text); err != nil || text[0] == ':' {
		return "", fmt.Errorf("must be host:port such as mail.example.org:587, not %q", text)
	}
	return text, nil
}
