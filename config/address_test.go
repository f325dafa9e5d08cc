package config

import (
	"net"
	"reflect"
	"strings"
	"testing"
)

func TestWebAddress(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"https://a.example":             "https://a.example",
		"https://a.example/":            "https://a.example",
		"https://a.example/v2":          "https://a.example",
		"https://a.example/v2//":        "https://a.example",
		"https://a.example/repo/v2/":    "https://a.example/repo",
		"https://a.example/dev2":        "https://a.example/dev2",
		"http://a.example:80":           "http://a.example",
		"http://a.example:443":          "http://a.example:443",
		"https://A.example:8443/Repo":   "https://a.example:8443/Repo",
		"https://[2001:DB8::1]:443/x":   "https://[2001:db8::1]/x",
		"https://xn--bcher-kva.example": "https://xn--bcher-kva.example",
	} {
		if got, err := apiAddress(text); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"a.example", "/v2", "//a.example", "ftp://a.example", "https:a.example", "https://", "https:///x",
		"https://:8443", "https://a.example:", "https://a.example:0", "https://a.example:65536", "https://a.example:http",
		"https://a.example?", "https://a.example/?q=1", "https://a.example/#top", "https://a.example#", "https://me@a.example",
		"https://a b.example", "https://bücher.example", "https://a.example/x/../y", "https://a.example/x//y", "https://a.example/a%2Fb",
	} {
		if got, err := webAddress(text); err == nil {
			t.Errorf("%q was accepted as %q", text, got)
		}
	}
}

func TestListenAddress(t *testing.T) {
	for _, text := range []string{"127.0.0.1:8443", ":0", "[::1]:443", "localhost:8443", "repo.example.org:65535", "[fe80::1%eth0]:80"} {
		if got, err := listenAddress(text); err != nil || got != text {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "8443", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:https",
		"::1:443", "a b:1", "https://localhost:8443", "a/b:1"} {
		if _, err := listenAddress(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestBaseURLFor(t *testing.T) {
	for _, tc := range []struct{ listen, tls, base, actual, want string }{
		{"127.0.0.1:0", "auto", "", "127.0.0.1:40123", "https://127.0.0.1:40123"},
		{"127.0.0.1:8080", "off", "", "127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"127.0.0.1:443", "files", "", "127.0.0.1:443", "https://127.0.0.1"},
		{"127.0.0.1:80", "off", "", "127.0.0.1:80", "http://127.0.0.1"},
		{"127.0.0.1:80", "auto", "", "127.0.0.1:80", "https://127.0.0.1:80"},
		{"0.0.0.0:8443", "auto", "", "0.0.0.0:8443", "https://localhost:8443"},
		{":8443", "auto", "", "[::]:8443", "https://localhost:8443"},
		{":443", "auto", "", "[::]:443", "https://localhost"},
		{"[::1]:0", "auto", "", "[::1]:40123", "https://[::1]:40123"},
		{"[::1]:443", "auto", "", "[::1]:443", "https://[::1]"},
		{"localhost:0", "auto", "", "127.0.0.1:40123", "https://localhost:40123"},
		{"Repo.local:443", "auto", "", "192.168.1.5:443", "https://repo.local"},
		{"[fe80::1%eth0]:8443", "auto", "", "[fe80::1%eth0]:8443", "https://[fe80::1%25eth0]:8443"},
		{":8443", "auto", "https://data.example.org", "[::]:8443", "https://data.example.org"},
	} {
		actual, err := net.ResolveTCPAddr("tcp", tc.actual)
		if err != nil {
			t.Fatal(err)
		}
		c := Config{Listen: tc.listen, TLS: tc.tls, BaseURL: tc.base}
		if got := c.BaseURLFor(actual); got != tc.want {
			t.Errorf("%+v: got %s", tc, got)
		}
	}
}

func TestResolve(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	base := "https://" + l.Addr().String()
	c := Default().Resolve(l.Addr())
	if c.BaseURL != base || c.SiteURL != base || c.DownloadBaseURL != base || c.UploadBaseURL != base+"/upload" {
		t.Errorf("got %s, %s, %s, %s", c.BaseURL, c.SiteURL, c.DownloadBaseURL, c.UploadBaseURL)
	}
	d := Default()
	d.DownloadBaseURL = "https://files.example.org"
	if got := d.Resolve(l.Addr()).DownloadBaseURL; got != "https://files.example.org" {
		t.Errorf("a download address that was set became %s", got)
	}
}

func TestHosts(t *testing.T) {
	c := Config{Listen: "0.0.0.0:8443", BaseURL: "https://data.example.org/x", SiteURL: "https://localhost", DownloadBaseURL: "https://[fd00::1]:1"}
	if got, want := c.Hosts(), []string{"localhost", "127.0.0.1", "::1", "data.example.org", "fd00::1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	c, err := Load(Sources{Flags: map[string]string{"allowed-hosts": "Alcove_Backend.,192.0.2.7,[2001:DB8::7]", "listen": "data.lan:8443"}})
	if want := []string{"localhost", "127.0.0.1", "::1", "data.lan", "alcove_backend", "192.0.2.7", "2001:db8::7"}; err != nil || !reflect.DeepEqual(c.Hosts(), want) {
		t.Errorf("got %v, %v, want %v", c.Hosts(), err, want)
	}
	for _, bad := range []string{"data.lan:8443", "https://data.lan", "*", "a b", "data.lan/x"} {
		if _, err := Load(Sources{Flags: map[string]string{"allowed-hosts": bad}}); err == nil || !strings.Contains(err.Error(), "allowed_hosts must list host names or IP addresses without ports") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	c = Config{Listen: "[fe80::1%eth0]:8443"}
	if got := c.Hosts(); got[len(got)-1] != "fe80::1" {
		t.Errorf("got %v", got)
	}
}
