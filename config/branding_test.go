package config

import (
	"strings"
	"testing"
)

// An accent that cannot be read is refused with one that can, and the links of the footer need an address.
func TestBranding(t *testing.T) {
	for _, c := range []struct{ key, value, said string }{
		{"site_accent", "#0b5c66", ""},
		{"site_accent", "#88AACC", "needs 7:1"},
		{"site_accent", "teal", "a colour such as"},
		{"site_accent_dark", "#86d3dc", ""},
		{"site_accent_dark", "#0b5c66", "need 7:1"},
		{"site_links", "Our library https://library.example.org/", ""},
		{"site_links", "https://library.example.org/", "words and an address"},
		{"site_links", "Click javascript:alert(1)", "words and an address"},
	} {
		_, err := Load(Sources{Flags: map[string]string{flagName(c.key): c.value}})
		if c.said == "" && err != nil || c.said != "" && (err == nil || !strings.Contains(err.Error(), strings.ReplaceAll(c.said, "needs", "need"))) {
			t.Errorf("%s = %q: %v", c.key, c.value, err)
		}
		if err == nil || !strings.Contains(err.Error(), "has it") {
			continue
		}
		better := err.Error()[strings.LastIndex(err.Error(), "; #")+2:][:7]
		if _, err := Load(Sources{Flags: map[string]string{flagName(c.key): better}}); err != nil {
			t.Errorf("%s is proposed: %v", better, err)
		}
	}
}
