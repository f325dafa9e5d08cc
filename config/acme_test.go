package config

import (
	"net"
	"slices"
	"strings"
	"testing"
)

func TestACMESettings(t *testing.T) {
	good := map[string]string{
		"tls": "acme", "acme-domains": "Data.Example.org, files.example.org,data.example.org", "acme-accept-terms": "true",
		"acme-email": "repository@example.org", "acme-directory": "https://acme.example.org/dir?profile=x",
		"acme-eab-key-id": "a b", "acme-eab-key-file": "key", "acme-http-listen": ":80",
	}
	c, err := Load(Sources{Flags: good})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"data.example.org", "files.example.org"}; !slices.Equal(c.ACME.Domains, want) {
		t.Errorf("domains %v, want %v", c.ACME.Domains, want)
	}
	c.Listen = ":443"
	if got := c.BaseURLFor(&net.TCPAddr{Port: 443}); got != "https://data.example.org" {
		t.Errorf("the address is %s", got)
	}
	for _, tc := range []struct{ key, value, want string }{
		{"acme-domains", "", "needs acme_domains to name at least one host"},
		{"acme-domains", "192.0.2.1", "must list host names"},
		{"acme-domains", "localhost", "must list host names"},
		{"acme-domains", "*.example.org", "must list host names"},
		{"acme-domains", "bücher.example", "must list host names"},
		{"acme-domains", "a_b.example.org", "must list host names"},
		{"acme-domains", "a..example.org", "must list host names"},
		{"acme-domains", "https://data.example.org", "must list host names"},
		{"acme-accept-terms", "false", "needs acme_accept_terms = true"},
		{"acme-email", "Repository <r@example.org>", "must be an address such as"},
		{"acme-email", "nobody", "must be an address such as"},
		{"acme-directory", "http://acme.example.org/dir", "must be an address that begins with https://"},
		{"acme-directory", "", "must be an address that begins with https://"},
		{"acme-eab-key-file", "", "belong together"},
		{"acme-eab-key-id", "", "belong together"},
		{"acme-http-listen", "80", "must be host:port"},
	} {
		flags := map[string]string{}
		for k, v := range good {
			flags[k] = v
		}
		flags[tc.key] = tc.value
		if _, err := Load(Sources{Flags: flags}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s = %q: %v, want %s", tc.key, tc.value, err, tc.want)
		}
	}
	if _, err := Load(Sources{File: write(t, "acme_domains = \"data.example.org\"")}); err == nil || !strings.Contains(err.Error(), "must be a list") {
		t.Errorf("a text for a list: %v", err)
	}
	if _, err := Load(Sources{File: write(t, "acme_domains = [\"a.example.org,b.example.org\"]")}); err == nil || !strings.Contains(err.Error(), "single names") {
		t.Errorf("two names in one: %v", err)
	}
}
