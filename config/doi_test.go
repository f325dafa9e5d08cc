package config

import (
	"strings"
	"testing"
)

// DOIs are for good: a server whose DOIs would lead nowhere is told so before it registers one.
func TestDOISettings(t *testing.T) {
	const good = "doi_registrar = \"datacite\"\ndoi_prefix = \"10.1234/data\"\ndoi_account = \"A.B\"\ndoi_password_file = \"secret\"\nbase_url = \"https://data.example.org\"\n"
	for _, c := range []struct{ name, from, to, want string }{
		{"as it should be", "", "", ""},
		{"for tests, on this machine", "base_url = \"https://data.example.org\"", "doi_test = true", ""},
		{"without an account", "doi_account = \"A.B\"", "", "doi_registrar needs doi_account and doi_password_file"},
		{"with the prefix for examples", "10.1234", "10.5072", "10.5072/, which is for examples"},
		{"in the clear", "https://data.example.org", "http://data.example.org", "http://data.example.org for good"},
		{"to this machine", "https://data.example.org", "https://127.0.0.1", "https://127.0.0.1 for good"},
		{"without an address", "base_url = \"https://data.example.org\"", "", "https://localhost for good"},
		{"with its password in the clear", "doi_account", "doi_address = \"http://api.example.org\"\ndoi_account", "it must be an https address"},
		{"at another one", "datacite", "crossref", "doi_registrar must be one of"},
	} {
		_, err := Load(Sources{File: write(t, strings.Replace(good, c.from, c.to, 1))})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}
