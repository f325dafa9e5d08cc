package config

import (
	"strings"
	"testing"
)

func TestMailSettings(t *testing.T) {
	whole := map[string]string{"mail-server": "mail.example.org:587", "mail-from": "repository@example.org"}
	with := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for k, v := range whole {
			m[k] = v
		}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	for _, c := range []struct {
		flags map[string]string
		said  string
	}{
		{with(), ""},
		{with("mail-user", "alcove", "mail-password-file", "password"), ""},
		{with("mail-server", "127.0.0.1:25", "mail-tls", "off"), ""},
		{with("mail-from", ""), "mail_server needs mail_from"},
		{with("mail-from", "nobody"), "must be an address"},
		{with("mail-server", "mail.example.org"), "must be host:port"},
		{with("mail-server", ":25"), "must be host:port"},
		{with("mail-user", "alcove"), "belong together"},
		{with("mail-tls", "off"), "in the clear"},
		{with("mail-server", "127.0.0.1:25", "mail-tls", "off", "mail-user", "alcove", "mail-password-file", "password"), "in the clear"},
		{with("mail-tls", "maybe"), "must be one of"},
	} {
		_, err := Load(Sources{Flags: c.flags})
		if c.said == "" && err != nil || c.said != "" && (err == nil || !strings.Contains(err.Error(), c.said)) {
			t.Errorf("%v: %v", c.flags, err)
		}
	}
}
