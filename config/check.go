package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	hostPattern   = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9])?$`)
	doiPattern    = regexp.MustCompile(`^10\.[0-9]{4,9}(\.[0-9]+)*/[A-Za-z0-9._-]{1,50}$`)
	handlePattern = regexp.MustCompile(`^[A-Za-z0-9.]{1,50}/[A-Za-z0-9._-]{1,50}$`)
)

// complete fills in the values that are taken from another setting.
func (c *Config) complete() {
	if c.InstitutionName == "" {
		c.InstitutionName = c.RepositoryName
	}
}

// profile sets what a profile decides. A contrary setting is told rather than overruled.
func (l *loader) profile(c *Config) {
	if c.Profile != "figshare" {
		return
	}
	if from := l.origin["blank_strings"]; from != "default" && c.BlankStrings != "empty" {
		l.fault(from, `blank_strings = %q and profile = "figshare" (%s) cannot both hold`, c.BlankStrings, l.origin["profile"])
	}
	if from := l.origin["owner_is_author"]; from != "default" && !c.OwnerIsAuthor {
		l.fault(from, `owner_is_author = false and profile = "figshare" (%s) cannot both hold`, l.origin["profile"])
	}
	c.BlankStrings, c.OwnerIsAuthor = "empty", true
}

// cross checks the settings that depend on each other.
func (l *loader) cross(c Config) {
	if c.MirrorEvery > 0 && c.MirrorEvery < 10*time.Minute {
		l.fault(l.origin["mirror_every"], "mirror_every must be 10m at least, or 0 for never")
	}
	if c.BackupEvery > 0 && c.BackupEvery < time.Hour {
		l.fault(l.origin["backup_every"], "backup_every must be 1h at least, or 0 for never")
	}
	l.mail(c)
	l.dois(c)
	switch c.TLS {
	case "files":
		if c.TLSCert == "" {
			l.fault(l.origin["tls"], `tls = "files" needs tls_cert to be set`)
		}
		if c.TLSKey == "" {
			l.fault(l.origin["tls"], `tls = "files" needs tls_key to be set`)
		}
	case "acme":
		l.acme(c)
	case "off":
		if !c.OnLoopback() && len(c.TrustedProxies) == 0 {
			l.fault(l.origin["tls"], `tls = "off" would send passwords and tokens in the clear, because listen is %q (%s): `+
				"listen on 127.0.0.1, or name the reverse proxy in trusted_proxies", c.Listen, l.origin["listen"])
		}
	case "auto":
		if l.origin["tls"] == "default" && c.TLSCert+c.TLSKey != "" {
			key := "tls_cert"
			if c.TLSCert == "" {
				key = "tls_key"
			}
			l.fault(l.origin[key], `%s is only used with tls = "files", and tls is not set`, key)
		}
	}
}

// OnLoopback reports whether only this machine can reach the listener. A host
// name other than localhost counts as reachable from elsewhere.
func (c Config) OnLoopback() bool {
	host, _, _ := net.SplitHostPort(c.Listen)
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return strings.EqualFold(host, "localhost")
	}
	return addr.Unmap().IsLoopback()
}

// absolutePath is a path that means the same wherever the program is started, in its plain form.
func absolutePath(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if !filepath.IsAbs(text) {
		return "", fmt.Errorf("must be an absolute path such as /srv/backup, not %q", text)
	}
	return filepath.Clean(text), nil
}

func notEmpty(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", errors.New("must not be empty")
	}
	return text, nil
}

// idPattern matches a UUID in any spelling that names one.
var idPattern = regexp.MustCompile(`^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`)

func repositoryID(text string) (string, error) {
	if text = strings.ToLower(text); text != "" && !idPattern.MatchString(text) {
		return "", fmt.Errorf("must be the id of a repository such as 1b4e28ba-2fa1-11d2-883f-0016d3cca427, not %q", text)
	}
	return text, nil
}

func domain(text string) (string, error) {
	if text != "" && !hostPattern.MatchString(text) {
		return "", fmt.Errorf("must be a domain such as example.org, not %q", text)
	}
	return strings.ToLower(text), nil
}

func doiPrefix(text string) (string, error) {
	if !doiPattern.MatchString(text) {
		return "", fmt.Errorf("must look like 10.1234/name, not %q", text)
	}
	return text, nil
}

func registeredPrefix(text string) (string, error) {
	if !doiPattern.MatchString(text + "/x") {
		return "", fmt.Errorf("must look like 10.1234, not %q", text)
	}
	return text, nil
}

func handlePrefix(text string) (string, error) {
	if !handlePattern.MatchString(text) {
		return "", fmt.Errorf("must look like 12345/name, not %q", text)
	}
	return text, nil
}

// allowedHost is a host name or an IP address without a port, in the form in which requests are compared.
func allowedHost(text string) (string, error) {
	if ip, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return ip.WithZone("").Unmap().String(), nil
	}
	name := strings.ToLower(strings.TrimSuffix(text, "."))
	if !hostPattern.MatchString(name) {
		return "", fmt.Errorf("must list host names or IP addresses without ports, such as data.internal or 192.0.2.7, not %q", text)
	}
	return name, nil
}

func listenAddress(text string) (string, error) {
	wrong := fmt.Errorf("must be host:port such as 127.0.0.1:8443 or [::1]:8443, not %q", text)
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", wrong
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", wrong
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "" && !hostPattern.MatchString(host) {
		return "", wrong
	}
	return text, nil
}

// metricsAddress is a listenAddress on loopback. An empty text stays empty.
func metricsAddress(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if _, err := listenAddress(text); err != nil {
		return "", err
	}
	if !(Config{Listen: text}).OnLoopback() {
		return "", fmt.Errorf("must be on loopback, such as 127.0.0.1:9100, not %q: what stands there is for the operator", text)
	}
	return text, nil
}

// apiAddress is webAddress that also takes a copied address of the API.
func apiAddress(text string) (string, error) {
	return webAddress(strings.TrimSuffix(strings.TrimRight(text, "/"), "/v2"))
}

// webAddress checks an address that paths are appended to. It must be absolute
// with the scheme http or https, without user, query and fragment; a path is
// allowed. The result has lower-case scheme and host, no default port and no
// trailing slash. An empty text stays empty.
func webAddress(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	wrong := func(why string) (string, error) {
		return "", fmt.Errorf("must be an address such as https://data.example.org, and %q %s", text, why)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return wrong("cannot be read")
	case !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https"):
		return wrong("does not begin with https:// or http://")
	case u.User != nil:
		return wrong("contains a user name")
	case strings.ContainsAny(text, "?#"):
		return wrong("contains a query or a fragment")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	host := u.Hostname()
	port, err := strconv.ParseUint(cmp.Or(u.Port(), "0"), 10, 16)
	_, notIP := netip.ParseAddr(host)
	switch {
	case notIP != nil && !hostPattern.MatchString(host):
		return wrong("has no valid host name (names with other letters are written in their xn-- form)")
	case err != nil || u.Port() == "0" || strings.HasSuffix(u.Host, ":"):
		return wrong("has no valid port")
	case u.RawPath != "" || u.Path != "" && path.Clean(u.Path) != u.Path:
		return wrong("has a path that is not in its plain form")
	}
	return address(strings.ToLower(u.Scheme), strings.ToLower(host), int(port)) + u.EscapedPath(), nil
}
