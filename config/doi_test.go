package config

import (
	"fmt"
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
		{"with prefixes of groups", "doi_account", "doi_group_prefixes = [\"3=10.1234/physics\", \" 5 = 10.4321/chem \"]\ndoi_account", ""},
		{"with an example of a group", "doi_account", "doi_group_prefixes = [\"3=10.5072/physics\"]\ndoi_account", "\"3=10.5072/physics\", whose prefix is for examples"},
		{"with two prefixes of a group", "doi_account", "doi_group_prefixes = [\"3=10.1234/physics\", \"3=10.1234/chem\"]\ndoi_account", "group 3 twice"},
		{"with prefixes that meet", "doi_account", "doi_group_prefixes = [\"3=10.1234/DATA.c\"]\ndoi_account", "10.1234/data and 10.1234/data.c"},
		{"with prefixes of groups that meet", "doi_account", "doi_group_prefixes = [\"3=10.1234/a\", \"4=10.1234/a.c\"]\ndoi_account", "10.1234/a and 10.1234/a.c"},
		{"with a prefix of no group", "doi_account", "doi_group_prefixes = [\"10.1234/physics\"]\ndoi_account", "must be ids of groups"},
		{"with a prefix that is none", "doi_account", "doi_group_prefixes = [\"3=12.1234/physics\"]\ndoi_account", "must be ids of groups"},
		{"with a group that is none", "doi_account", "doi_group_prefixes = [\"0=10.1234/physics\"]\ndoi_account", "must be ids of groups"},
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

// Without a registrar, too, no two items can get one DOI, and the prefixes of all are known.
func TestGroupPrefixes(t *testing.T) {
	if _, err := Load(Sources{Flags: map[string]string{"doi-group-prefixes": "3=10.5072/a,4=10.5072/a.c"}}); err == nil {
		t.Error("prefixes that meet are taken")
	}
	c, err := Load(Sources{Env: []string{"ALCOVE_DOI_GROUP_PREFIXES=3=10.5072/a, 4 = 10.4321/b,5=10.4321/b"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(c.GroupPrefixes(), c.Prefixes()); got != "map[3:10.5072/a 4:10.4321/b 5:10.4321/b] [10.5072/ 10.4321/]" {
		t.Errorf("got %s", got)
	}
}
