package config

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// write puts a configuration file into a directory of its own.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "alcove.toml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestDefaults(t *testing.T) {
	want := Config{
		Data: "./alcove-data", Listen: "127.0.0.1:8443", TLS: "auto",
		RepositoryName: "Alcove", InstitutionName: "Alcove",
		DOIPrefix: "10.5072/alcove", HandlePrefix: "123456789/alcove",
		Profile: "none", BlankStrings: "null", FilesInDetail: 1000,
		MaxBody: 1 << 20, MaxFileSize: 1 << 40, AccountQuota: 20 << 30, FilesPerArticle: 100_000,
		AuthorsPerItem: 5000, ReferencesPerItem: 5000, TagsPerItem: 5000, FundingPerItem: 1000, CategoriesPerItem: 1000,
		CustomValuesPerItem: 5000, MembersPerProject: 1000, ArticlesPerCollection: 100_000,
		UploadExpiry: 7 * 24 * time.Hour, DiskReserve: 1 << 30, DiskFloor: 64 << 20, SweepGrace: 24 * time.Hour, SweepShare: 10, ClockAhead: 400 * 24 * time.Hour, CheckEvery: 720 * time.Hour, CheckRate: 16 << 20, MaxHeaderBytes: 32 << 10,
		HeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Minute, StallTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, ShutdownTimeout: 10 * time.Second,
		ACME:      ACME{Directory: "https://acme-v02.api.letsencrypt.org/directory"},
		Mail:      Mail{TLS: "starttls"},
		DOI:       DOIs{Registrar: "none"},
		RateBurst: 100, PageRate: 60, PageBurst: 600, WrongTokens: 60, WrongPasswords: 20, SessionIdle: 7 * 24 * time.Hour, SessionEnd: 30 * 24 * time.Hour,
		BackupEvery: 24 * time.Hour, BackupKeep: 30, BackupReread: 720 * time.Hour, MirrorEvery: 24 * time.Hour, DrillEvery: 720 * time.Hour,
		AuditAddresses: "short", AuditKeep: 90 * 24 * time.Hour,
		LogFormat: "text", LogLevel: "info",
	}
	if got := Default(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A field that the table forgets could never be set; two entries that share a
// field or a name would silently undo each other.
func TestTableCoversEveryFieldOnce(t *testing.T) {
	c := new(Config)
	at, names := map[any]bool{}, map[string]bool{}
	for _, g := range c.groups() {
		for _, f := range g.fields {
			if at[f.at] || names[f.key] {
				t.Errorf("%s is in the table twice", f.key)
			}
			at[f.at], names[f.key] = true, true
			if sentences := strings.Count(f.help+" ", ". "); sentences < 1 || sentences > 2 {
				t.Errorf("the help of %s has %d sentences", f.key, sentences)
			}
		}
	}
	v := reflect.ValueOf(c).Elem()
	var look func(v reflect.Value)
	look = func(v reflect.Value) {
		for i := range v.NumField() {
			if f := v.Field(i); slices.Contains([]reflect.Type{reflect.TypeFor[ACME](), reflect.TypeFor[Mail](), reflect.TypeFor[DOIs]()}, f.Type()) {
				look(f)
			} else if f.Type() == reflect.TypeFor[SignIn]() {
				continue // tables of the file: TestSignInTables
			} else if !at[f.Addr().Interface()] {
				t.Errorf("%s.%s is not in the table", v.Type(), v.Type().Field(i).Name)
			}
		}
	}
	look(v)
}

// Each source wins over those before it, setting by setting.
func TestPrecedence(t *testing.T) {
	file := write(t, "repository_name = \"file\"\ninstitution_name = \"file\"\nmax_body = \"2MiB\"\n")
	c, err := Load(Sources{
		File:  file,
		Env:   []string{"ALCOVE_INSTITUTION_NAME=environment", "ALCOVE_MAX_BODY=3MiB", "PATH=/bin", FileEnv + "=ignored"},
		Flags: map[string]string{"max-body": "4MiB"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.RepositoryName != "file" || c.InstitutionName != "environment" || c.MaxBody != 4<<20 {
		t.Errorf("got %q, %q, %d", c.RepositoryName, c.InstitutionName, c.MaxBody)
	}
	if c.FilesInDetail != 1000 {
		t.Errorf("files_in_detail lost its default: %d", c.FilesInDetail)
	}
}

// Every setting can be given in all three places under its derived names.
func TestEverySettingFromEverySource(t *testing.T) {
	for _, s := range Settings() {
		value := map[ValueType]string{Text: s.Default, Number: "77", Size: "80kB", Switch: "true", Duration: "1h", Networks: "10.0.0.0/8, 192.0.2.7", Names: "data.example.org, files.example.org"}[s.ValueType]
		if strings.HasSuffix(s.Key, "_url") {
			value = "https://data.example.org/x"
		}
		names := []string{"data.example.org", "files.example.org"}
		if s.Key == "site_links" {
			names = []string{"Our library https://library.example.org/", "Write to us mailto:data@example.org"}
			value = strings.Join(names, ",")
		}
		if s.Key == "doi_group_prefixes" {
			names = []string{"3=10.1234/physics", "5=10.4321/chemistry"}
			value = strings.Join(names, ",")
		}
		if s.Key == "doi_taken_over" {
			names = []string{"10.1234", "10.5281"}
			value = strings.Join(names, ",")
		}
		line := s.Key + " = \"" + value + "\"\n"
		switch s.ValueType {
		case Number, Switch:
			line = s.Key + " = " + value + "\n"
		case Networks:
			line = s.Key + " = [\"10.0.0.0/8\", \"192.0.2.7\"]\n"
		case Names:
			line = fmt.Sprintf("%s = [%q, %q]\n", s.Key, names[0], names[1])
		}
		fromFile, err1 := Load(Sources{File: write(t, line)})
		fromEnv, err2 := Load(Sources{Env: []string{s.Env + "=" + value}})
		fromFlag, err3 := Load(Sources{Flags: map[string]string{s.Flag: value}})
		if err1 != nil || err2 != nil || err3 != nil {
			t.Errorf("%s: %v, %v, %v", s.Key, err1, err2, err3)
			continue
		}
		if !reflect.DeepEqual(fromFile, fromEnv) || !reflect.DeepEqual(fromEnv, fromFlag) {
			t.Errorf("%s: the three sources disagree", s.Key)
		}
		if s.ValueType != Text && reflect.DeepEqual(fromFile, Default()) {
			t.Errorf("%s: the value was not stored", s.Key)
		}
	}
}

func TestValues(t *testing.T) {
	c, err := Load(Sources{File: write(t, `
		listen = "[::]:443"
		base_url = "HTTPS://Data.Example.org:443/repo/v2/"
		site_url = "http://[::1]:80/"
		trusted_proxies = ["10.1.2.3/8", "::ffff:192.0.2.1", "2001:db8::1"]
		institution_domain = "Example.ORG"
		max_body = 5_000_000
		account_quota = "20 GB"
		max_file_size = 0
		upload_expiry = "1h30m"
		owner_is_author = true
		"tls" = 'off'
	`)})
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range []struct{ name, got, want string }{
		{"listen", c.Listen, "[::]:443"},
		{"base_url", c.BaseURL, "https://data.example.org/repo"},
		{"site_url", c.SiteURL, "http://[::1]"},
		{"institution_domain", c.InstitutionDomain, "example.org"},
		{"tls", c.TLS, "off"},
	} {
		if check.got != check.want {
			t.Errorf("%s is %q, want %q", check.name, check.got, check.want)
		}
	}
	wantNets := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("2001:db8::1/128")}
	if !reflect.DeepEqual(c.TrustedProxies, wantNets) {
		t.Errorf("trusted_proxies is %v", c.TrustedProxies)
	}
	if c.MaxBody != 5_000_000 || c.AccountQuota != 20_000_000_000 || c.MaxFileSize != 0 || c.UploadExpiry != 90*time.Minute || !c.OwnerIsAuthor {
		t.Errorf("got %+v", c)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "12B": 12, "1kB": 1000, "1KiB": 1024, "3 MiB": 3 << 20, "5TB": 5e12, "5TiB": 5 << 40,
		"8388607TiB": 8388607 << 40, "9223372036854775807": 1<<63 - 1,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "B", "MiB", "-1", "+1", "1.5GiB", "1G", "1mib", "1  MiB", "0x10", "1_000",
		"8388608TiB", "9223372036854775808", "18446744073709551616"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q was read as %d", text, got)
		}
	}
}

func FuzzSize(f *testing.F) {
	for _, s := range []string{"0", "1MiB", "20 GB", "9223372036854775807", "B"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parseSize(text)
		if err != nil {
			return
		}
		if back, err := parseSize(formatSize(n, 10)); n < 0 || err != nil || back != n {
			t.Errorf("%q is %d and comes back as %d, %v", text, n, back, err)
		}
	})
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte("max_body = 1\n[x]\ny = {a = [1, \"b\"]}\n"))
	f.Add([]byte(strings.ReplaceAll(Example(), "\n#", "\n")))
	f.Add([]byte("trusted_proxies = [\"::/0\", 3]\nbase_url = \"http://[::1%25a]:0/v2\"\n'tls'.x = 1979-05-27\n"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		var c Config
		l := loader{fields: map[string]field{}, origin: map[string]string{}}
		for _, g := range c.groups() {
			for _, f := range g.fields {
				l.fields[f.key] = f
			}
		}
		l.document(&c, "f.toml", doc)
		for _, err := range l.errs {
			if !strings.HasPrefix(err.Error(), "f.toml:") {
				t.Errorf("no place in %q", err)
			}
		}
	})
}

func FuzzWebAddress(f *testing.F) {
	for _, s := range []string{"https://a.example/v2/", "http://[::1%25eth0]:8443/x", "HTTP://h:80//", "https://h:0443/%41"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, err := webAddress(text)
		if err != nil {
			return
		}
		if twice, err := webAddress(once); err != nil || twice != once {
			t.Errorf("%q becomes %q becomes %q, %v", text, once, twice, err)
		}
	})
}

// A profile decides what it stands for, and is refused beside a setting that says otherwise.
func TestProfile(t *testing.T) {
	c, err := Load(Sources{Flags: map[string]string{"profile": "figshare"}})
	if err != nil || c.BlankStrings != "empty" || !c.OwnerIsAuthor {
		t.Errorf("%v, %q, %v", err, c.BlankStrings, c.OwnerIsAuthor)
	}
	agreeing := map[string]string{"profile": "figshare", "blank-strings": "empty", "owner-is-author": "true"}
	if _, err := Load(Sources{Flags: agreeing}); err != nil {
		t.Error(err)
	}
	for flag, value := range map[string]string{"blank-strings": "null", "owner-is-author": "false"} {
		_, err := Load(Sources{Flags: map[string]string{"profile": "figshare", flag: value}})
		if err == nil || !strings.Contains(err.Error(), "--"+flag) || !strings.Contains(err.Error(), "--profile") {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
