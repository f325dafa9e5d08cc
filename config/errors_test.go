package config

import (
	"path/filepath"
	"strings"
	"testing"
)

// A message has to say where the fault is and which setting it concerns.
func TestFaultsInFile(t *testing.T) {
	for _, tc := range []struct{ name, doc, want string }{
		{"unknown", "data = \"x\"\n\nbase_ulr = \"https://x.example\"\n", `:3: unknown setting "base_ulr"`},
		{"flag spelling", "base-url = \"https://x.example\"", `:1: unknown setting "base-url"; in this file it is written base_url`},
		{"environment spelling", "ALCOVE_BASE_URL = \"https://x.example\"", `in this file it is written base_url`},
		{"table", "[server]\nlisten = \"127.0.0.1:1\"\n", `:1: unknown setting "server"`},
		{"dotted", "tls.cert = \"x\"", `:1: unknown setting "tls.cert"`},
		{"twice", "data = \"a\"\ndata = \"b\"\n", ":2:1: key data is already defined"},
		{"syntax", "data = \"a\"\nlisten = \n", ":2:10: "},
		{"not UTF-8", "data = \"\xff\"", ":1:9: "},
		{"huge number", "max_body = 99999999999999999999", ":1:12: "},
		{"text as number", "data = 3", ":1: data must be a text in quotes"},
		{"number as text", "files_in_detail = \"3\"", ":1: files_in_detail must be a whole number, without quotes"},
		{"number with point", "files_in_detail = 3.0", ":1: files_in_detail must be a whole number"},
		{"switch as text", "owner_is_author = \"true\"", ":1: owner_is_author must be true or false, without quotes"},
		{"duration as number", "\n\nidle_timeout = 5", ":3: idle_timeout must be a duration in quotes"},
		{"size as switch", "max_body = true", ":1: max_body must be a size in quotes"},
		{"list as text", "trusted_proxies = \"10.0.0.1\"", ":1: trusted_proxies must be a list in brackets"},
		{"list of numbers", "trusted_proxies = [1]", ":1: trusted_proxies must be a list of single addresses in quotes, and entry 1 is not one"},
		{"list of pairs", "trusted_proxies = [\"10.0.0.1\", \"10.0.0.2,10.0.0.3\"]", "entry 2 is not one"},
		{"date", "data = 1979-05-27", ":1: data must be a text in quotes"},
		{"bad size", "max_body = \"lots\"", `:1: max_body must be a size such as "64KiB", "20GiB" or a whole number of bytes, not "lots"`},
		{"negative size", "max_body = -1", ":1: max_body must be a size"},
		{"too small", "max_body = 1", ":1: max_body must be between 4KiB and 64MiB, not 1"},
		{"too large", "files_in_detail = 100001", ":1: files_in_detail must be between 1 and 100000, not 100001"},
		{"bad duration", "idle_timeout = \"5\"", ":1: idle_timeout must be a duration such as"},
		{"too long", "idle_timeout = \"48h\"", ":1: idle_timeout must be between 1s and 24h, not 48h"},
		{"negative duration", "read_timeout = \"-1s\"", ":1: read_timeout must be between 0s and 24h, not -1s"},
		{"choice", "log_format = \"xml\"", `:1: log_format must be one of ["text" "json"], not "xml"`},
		{"control character", `repository_name = "a\nb"`, ":1: repository_name must not contain control characters"},
		{"blank name", `repository_name = " "`, ":1: repository_name must not be empty"},
		{"endless", `repository_name = "` + strings.Repeat("x", maxText+1) + `"`, ":1: repository_name must not be longer than 4096 bytes"},
		{"proxy", "trusted_proxies = [\"proxy.example\"]", `:1: trusted_proxies must list IP addresses or networks such as "192.0.2.1" or "10.0.0.0/8", not "proxy.example"`},
		{"every proxy", "trusted_proxies = [\"0.0.0.0/0\"]", `"0.0.0.0/0", which would trust every client`},
		{"every mapped proxy", "trusted_proxies = [\"::ffff:0.0.0.0/96\"]", "which would trust every client"},
		{"DOI prefix", "doi_prefix = \"10.5072\"", ":1: doi_prefix must look like 10.1234/name"},
		{"handle prefix", "handle_prefix = \"/x\"", ":1: handle_prefix must look like 12345/name"},
		{"domain", "institution_domain = \"https://example.org\"", ":1: institution_domain must be a domain"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := write(t, tc.doc)
			_, err := Load(Sources{File: name})
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.HasPrefix(err.Error(), name) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got  %s\nwant %s", err, tc.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("one fault gave several lines: %s", err)
			}
		})
	}
}

func TestFaultsElsewhere(t *testing.T) {
	dir := t.TempDir()
	for _, tc := range []struct {
		name string
		src  Sources
		want string
	}{
		{"no file", Sources{File: filepath.Join(dir, "none.toml")}, "cannot read the configuration file: open " + dir},
		{"directory", Sources{File: dir}, "cannot read the configuration file: read " + dir},
		{"huge file", Sources{File: write(t, strings.Repeat("# padding\n", 200_000))}, "alcove.toml is larger than 1048576 bytes"},
		{"unknown variable", Sources{Env: []string{"ALCOVE_BASEURL=x"}}, "unknown environment variable ALCOVE_BASEURL"},
		{"lower-case variable", Sources{Env: []string{"ALCOVE_base_url=x"}}, "unknown environment variable ALCOVE_base_url"},
		{"bare prefix", Sources{Env: []string{"ALCOVE_=x"}}, "unknown environment variable ALCOVE_"},
		{"port by hand", Sources{Env: []string{"ALCOVE_PORT=8443"}}, "unknown environment variable ALCOVE_PORT"},
		{"bad variable", Sources{Env: []string{"ALCOVE_IDLE_TIMEOUT="}}, "environment variable ALCOVE_IDLE_TIMEOUT: idle_timeout must be a duration"},
		{"unknown flag", Sources{Flags: map[string]string{"base_url": "x"}}, "unknown flag --base_url"},
		{"bad flag", Sources{Flags: map[string]string{"owner-is-author": "yes"}}, `flag --owner-is-author: owner_is_author must be true or false, not "yes"`},
		{"overridden", Sources{Env: []string{"ALCOVE_MAX_BODY=x"}, Flags: map[string]string{"max-body": "1MiB"}}, "environment variable ALCOVE_MAX_BODY: max_body must be"},
		{"bad UTF-8", Sources{Flags: map[string]string{"repository-name": "\xff"}}, "flag --repository-name: repository_name must be valid UTF-8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Load(tc.src)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}

// Three mistakes are told as three, in a fixed order.
func TestAllFaultsAtOnce(t *testing.T) {
	_, err := Load(Sources{
		File:  write(t, "nonsense = 1\nmax_body = true\n"),
		Env:   []string{"ALCOVE_Z=1", "ALCOVE_A=1"},
		Flags: map[string]string{"listen": "nowhere"},
	})
	if err == nil {
		t.Fatal("accepted")
	}
	lines := strings.Split(err.Error(), "\n")
	for i, want := range []string{"nonsense", "max_body", "ALCOVE_A", "ALCOVE_Z", "flag --listen: listen must be host:port"} {
		if i >= len(lines) || !strings.Contains(lines[i], want) {
			t.Fatalf("line %d of %q does not contain %s", i, lines, want)
		}
	}
}

// Variables that Kubernetes adds for a service called alcove must not stop the server.
func TestServiceLinksAreNotSettings(t *testing.T) {
	_, err := Load(Sources{Env: []string{
		"ALCOVE_SERVICE_HOST=10.96.0.7", "ALCOVE_SERVICE_PORT=8443", "ALCOVE_SERVICE_PORT_HTTPS=8443",
		"ALCOVE_PORT=tcp://10.96.0.7:8443", "ALCOVE_PORT_8443_TCP=tcp://10.96.0.7:8443",
		"ALCOVE_PORT_8443_TCP_PROTO=tcp", "ALCOVE_PORT_8443_TCP_PORT=8443", "ALCOVE_PORT_8443_TCP_ADDR=10.96.0.7",
		"ALCOVE_TEST_SERVICE_HOST=10.96.0.8",
	}})
	if err != nil {
		t.Error(err)
	}
}

func TestTLSRules(t *testing.T) {
	for _, tc := range []struct{ doc, want string }{
		{`tls = "off"`, ""},
		{"tls = \"off\"\nlisten = \"[::1]:80\"", ""},
		{"tls = \"off\"\nlisten = \"LocalHost:80\"", ""},
		{"tls = \"off\"\nlisten = \"[::ffff:127.0.0.9]:80\"", ""},
		{"tls = \"off\"\nlisten = \":80\"", `alcove.toml:1: tls = "off" would send passwords and tokens in the clear, because listen is ":80"`},
		{"listen = \"0.0.0.0:80\"\n\ntls = \"off\"", ":3: tls = "},
		{"tls = \"off\"\nlisten = \"repo.example.org:80\"", "listen on 127.0.0.1, or name the reverse proxy in trusted_proxies"},
		{"tls = \"off\"\nlisten = \":80\"\ntrusted_proxies = [\"10.0.0.2\"]", ""},
		{"tls = \"off\"\nlisten = \":80\"\ntrusted_proxies = []", "in the clear"},
		{"listen = \":8443\"", ""},
		{`tls = "files"`, `:1: tls = "files" needs tls_cert to be set`},
		{"tls = \"files\"\ntls_cert = \"c.pem\"", `needs tls_key to be set`},
		{"tls = \"files\"\ntls_cert = \"c.pem\"\ntls_key = \"k.pem\"", ""},
		{"tls_cert = \"c.pem\"\ntls_key = \"k.pem\"", `:1: tls_cert is only used with tls = "files", and tls is not set`},
		{"tls = \"auto\"\ntls_cert = \"c.pem\"\ntls_key = \"k.pem\"", ""},
	} {
		_, err := Load(Sources{File: write(t, tc.doc)})
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%q: %v", tc.doc, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%q: got %v, want %s", tc.doc, err, tc.want)
		}
	}
}
