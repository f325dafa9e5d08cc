// Package config gathers every setting of "alcove serve" in one struct.
//
// A setting has one name in three spellings: base_url in the TOML file,
// ALCOVE_BASE_URL in the environment, --base-url on the command line. The value
// that is used comes from the last of these places that has one:
//
//	defaults  →  TOML file  →  environment  →  flags
//
// The package reads one TOML file and keeps nothing on disk. It knows nothing of the packages
// that use the settings, and it does not parse command lines: Settings describes the flags for
// the package that does.
package config

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
)

// FileEnv is the one variable beginning with ALCOVE_ that is not a setting. It
// may hold the path of the configuration file. Load accepts its presence and
// does not read it; the caller decides which file is meant.
const FileEnv = "ALCOVE_CONFIG"

// serviceLink matches what Kubernetes puts into every container for a service
// whose name begins with "alcove", such as ALCOVE_PORT=tcp://10.0.0.7:8443. No
// person wrote these, so they are not taken for misspelt settings.
var serviceLink = regexp.MustCompile(`^ALCOVE_([A-Z0-9_]+_)?` +
	`(SERVICE_HOST=|SERVICE_PORT(_[A-Z0-9_]+)?=|PORT=[a-z]+://|PORT_[0-9]+_(TCP|UDP|SCTP)(_[A-Z]+)?=)`)

// Config holds the settings after all sources were applied and checked. The
// meaning of each stands in the table of settings.go, from which the help texts
// and config.example.toml are made. Sizes are in bytes.
type Config struct {
	Data       string
	Repository string // id of 32 hex digits, dashes between them; may be empty

	// Listen is host:port. The host may be empty, and the port may be 0.
	Listen string
	// MetricsListen is host:port on loopback, or empty.
	MetricsListen string
	// The four addresses are absolute and have no trailing slash. They are empty when they were
	// not set; Resolve fills them in.
	BaseURL         string
	SiteURL         string
	DownloadBaseURL string
	UploadBaseURL   string
	AllowedHosts    []string // lower case, without ports

	TLS            string // "auto", "files", "acme" or "off"
	TLSCert        string // set when TLS is "files"
	TLSKey         string // set when TLS is "files"
	TrustedProxies []netip.Prefix

	ACME ACME
	HSTS time.Duration // 0 sends no such header

	RepositoryName    string // never empty
	OAIDomain         string // may be empty
	SiteText          string // may be empty
	SiteLogo          string // path, may be empty
	SiteAccent        string // lower case, as #0b5c66; may be empty
	SiteAccentDark    string
	SiteLinks         []string // each is for FooterLink
	SiteGroups        bool
	SiteEmbed         bool
	InstitutionName   string // never empty
	InstitutionDomain string // lower case; may be empty
	DOIPrefix         string // prefix/name, without a slash at the end
	HandlePrefix      string // prefix/name, without a slash at the end

	Profile       string // "none", or "figshare", which decides the two that follow
	BlankStrings  string // "null" or "empty"
	OwnerIsAuthor bool
	FilesInDetail int

	MaxBody         int64
	MaxFileSize     int64 // 0 sets no limit
	AccountQuota    int64 // 0 sets no limit
	FilesPerArticle int

	// How many entries the lists of one item may have, 0 for any number.
	AuthorsPerItem, ReferencesPerItem, TagsPerItem, FundingPerItem, CategoriesPerItem, CustomValuesPerItem int
	MembersPerProject, ArticlesPerCollection                                                               int

	UploadExpiry time.Duration
	DiskReserve  int64
	DiskFloor    int64
	SweepGrace   time.Duration
	SweepShare   int // percent of all blobs
	ClockAhead   time.Duration
	CheckEvery   time.Duration // 0 is never
	CheckRate    int64         // bytes a second, 0 sets no limit

	MaxHeaderBytes  int64         // at most 1 MiB, so it fits an int
	HeaderTimeout   time.Duration // never 0
	ReadTimeout     time.Duration // 0 sets no limit
	StallTimeout    time.Duration // never 0
	IdleTimeout     time.Duration // never 0
	ShutdownTimeout time.Duration

	MaxConnections int           // 0 leaves it to the number of file descriptors
	MaxPerAddress  int           // 0 is a quarter of all
	RateLimit      int           // requests per second of an account or address, 0 sets no limit
	RateBurst      int           // never 0
	PageRate       int           // pages a second of an address, 0 sets no limit
	PageBurst      int           // never 0
	WrongTokens    int           // per minute from one address, never 0
	WrongPasswords int           // the same
	SessionIdle    time.Duration // never 0
	SessionEnd     time.Duration // never 0
	OAuthPasswords bool

	AgreementNeeded bool // before anything is published, by a token too

	Mail   Mail
	DOI    DOIs
	SignIn SignIn

	// BackupDir is an absolute path, or empty.
	BackupDir   string
	BackupEvery time.Duration // 0, or an hour at least
	BackupKeep  int           // 0 keeps all
	// BackupReread is how long it counts that a file in the backups was read.
	BackupReread time.Duration
	DrillEvery   time.Duration // 0 is never
	DrillDir     string        // an absolute path, or empty for Data

	OCFLDir string // an absolute path outside of Data, or empty

	MirrorEvery time.Duration // 0 is never, else ten minutes at least

	// CountryDatabase is a file in MaxMind's format, or empty.
	CountryDatabase string

	AuditAddresses string // "short", "full" or "none"
	AuditKeep      time.Duration

	LogFormat string // "text" or "json"
	LogLevel  string // a name that slog.Level.UnmarshalText understands
}

// ACME is how a certificate is obtained when TLS is "acme".
type ACME struct {
	Domains     []string // lower case, ASCII; at least one when TLS is "acme"
	Email       string
	AcceptTerms bool   // always set when TLS is "acme"
	Directory   string // https address of the directory of the ACME server
	CA          string // PEM file with what Directory's own certificate is checked against; empty for the system's
	KeyID       string // of the external account binding, empty for none
	KeyFile     string // has the key of KeyID; set when that is
	HTTPListen  string // host:port that answers challenges over plain HTTP, or empty
}

// Sources says where Load looks.
type Sources struct {
	// File is the path of a TOML file. When it is empty no file is read; when it
	// is not, the file must exist.
	File string
	// Env is the environment in the form of os.Environ. Variables that do not
	// begin with ALCOVE_ are left alone.
	Env []string
	// Flags holds, under their names without dashes, only the flags that were set. A list is
	// written with commas between its entries.
	Flags map[string]string
}

// DOIs is where they are registered.
type DOIs struct {
	Registrar    string // "none" or "datacite"
	Test         bool   // the registrar is one for tests
	Address      string // of its API, without a slash at the end
	Account      string
	PasswordFile string
	TakenOver    []string // prefixes of other repositories, without a slash

	GroupPrefixes []string // each is for groupPrefix; Config.GroupPrefixes has them by group
}

// Mail is how mails are sent.
type Mail struct {
	Server       string // host:port, empty for no mail
	TLS          string // "starttls", "tls" or "off"
	From         string // set when Server is
	User         string // empty for none
	PasswordFile string // set when User is
	CA           string // PEM file, empty for the system's authorities
}

// Default returns the settings that apply when no source says otherwise.
func Default() Config {
	c, err := Load(Sources{})
	if err != nil {
		panic("the built-in defaults are refused: " + err.Error())
	}
	return c
}

// Load applies the sources in their order and checks the result. When something
// is wrong it returns a joined error with one line for each fault found, so that
// a person can repair them all at once; every line names the setting and the place
// where the value came from (file and line, environment variable or flag). A
// value that a later source overrides must still be valid.
func Load(src Sources) (Config, error) {
	var c Config
	l := loader{fields: map[string]field{}, origin: map[string]string{}}
	for _, g := range c.groups() {
		for _, f := range g.fields {
			l.fields[f.key] = f
			l.set(f, f.def, "default")
		}
	}
	if src.File != "" {
		l.file(&c, src.File)
	}
	l.env(src.Env)
	l.flags(src.Flags)
	if len(l.errs) == 0 {
		c.complete()
		l.profile(&c)
		l.signIn(&c)
		l.cross(c)
	}
	if len(l.errs) > 0 {
		return Config{}, errors.Join(l.errs...)
	}
	return c, nil
}

// loader carries one run of Load: the settings by key, where the value of each
// came from, and the faults found so far.
type loader struct {
	fields map[string]field
	origin map[string]string
	errs   []error
}

// set stores a value given as text and notes where it came from.
func (l *loader) set(f field, text, origin string) {
	if err := f.set(text); err != nil {
		l.fault(origin, "%s %w", f.key, err)
		return
	}
	l.origin[f.key] = origin
}

func (l *loader) fault(origin, format string, args ...any) {
	l.errs = append(l.errs, fmt.Errorf("%s: "+format, append([]any{origin}, args...)...))
}

// env applies the environment in the order of names, so that the faults of two
// runs are told in the same order. Of a name given twice the later value counts.
func (l *loader) env(environ []string) {
	values := map[string]string{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "ALCOVE_") && name != FileEnv && !serviceLink.MatchString(entry) {
			values[name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		key := strings.ToLower(strings.TrimPrefix(name, "ALCOVE_"))
		f, known := l.fields[key]
		if !known || envName(key) != name {
			l.errs = append(l.errs, fmt.Errorf("unknown environment variable %s: no setting has that name", name))
			continue
		}
		l.set(f, values[name], "environment variable "+name)
	}
}

func (l *loader) flags(flags map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		f, known := l.fields[strings.ReplaceAll(name, "-", "_")]
		if !known || flagName(f.key) != name {
			l.errs = append(l.errs, fmt.Errorf("unknown flag --%s: no setting has that name", name))
			continue
		}
		l.set(f, flags[name], "flag --"+name)
	}
}

func envName(key string) string  { return "ALCOVE_" + strings.ToUpper(key) }
func flagName(key string) string { return strings.ReplaceAll(key, "_", "-") }
