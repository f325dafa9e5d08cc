package config

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// dois checks what registering DOIs needs. A DOI is for good: one that leads to a machine of one's own cannot be taken
// back.
func (l *loader) dois(c Config) {
	d, origin := c.DOI, l.origin["doi_registrar"]
	l.groupPrefixes(c)
	if d.Registrar == "none" {
		return
	}
	if d.Account == "" || d.PasswordFile == "" {
		l.fault(origin, "doi_registrar needs doi_account and doi_password_file to be set")
	}
	if IsTestPrefix(c.DOIPrefix) {
		l.fault(l.origin["doi_prefix"], "doi_prefix begins with "+testPrefix+", which is for examples and no registrar takes")
	}
	for _, entry := range d.GroupPrefixes {
		if _, prefix, _ := groupPrefix(entry); IsTestPrefix(prefix) {
			l.fault(l.origin["doi_group_prefixes"], "doi_group_prefixes has %q, whose prefix is for examples and no registrar takes", entry)
		}
	}
	if d.Address != "" && !strings.HasPrefix(d.Address, "https://") && !local(d.Address) {
		l.fault(l.origin["doi_address"], "doi_address would send the password of doi_account in the clear: it must be an https address")
	}
	if at := cmp.Or(c.SiteURL, c.BaseURL, "https://localhost"); !d.Test && (!strings.HasPrefix(at, "https://") || local(at)) {
		l.fault(origin, "DOIs would lead to "+at+" for good: base_url must be an https address that others reach, or doi_test be true")
	}
}

// groupPrefixes checks that no group has two prefixes, and that no two of all prefixes can give one DOI to two items: DOIs
// of collections have a c in front of the id.
func (l *loader) groupPrefixes(c Config) {
	origin, seen := l.origin["doi_group_prefixes"], map[int64]bool{}
	all := []string{strings.ToLower(c.DOIPrefix)}
	for _, entry := range c.DOI.GroupPrefixes {
		group, prefix, _ := groupPrefix(entry)
		if seen[group] {
			l.fault(origin, "doi_group_prefixes has group %d twice", group)
		}
		seen[group], all = true, append(all, strings.ToLower(prefix))
	}
	slices.Sort(all)
	for _, prefix := range slices.Compact(all) {
		if slices.Contains(all, prefix+".c") {
			l.fault(origin, "doi_group_prefixes and doi_prefix have %s and %s.c: a collection under the one would have the DOI of an article under the other", prefix, prefix)
		}
	}
}

// groupDOIPrefix is an entry of doi_group_prefixes in its normal form.
func groupDOIPrefix(text string) (string, error) {
	group, prefix, ok := groupPrefix(text)
	if !ok {
		return "", fmt.Errorf(`must be ids of groups, each with its prefix, such as "3=10.1234/physics", and %q is not`, text)
	}
	return strconv.FormatInt(group, 10) + "=" + prefix, nil
}

func groupPrefix(text string) (group int64, prefix string, ok bool) {
	id, prefix, _ := strings.Cut(text, "=")
	group, err := strconv.ParseInt(strings.TrimSpace(id), 10, 64)
	prefix = strings.TrimSpace(prefix)
	return group, prefix, err == nil && group > 0 && doiPattern.MatchString(prefix)
}

// GroupPrefixes are the prefixes of groups by their ids, each as DOIPrefix is.
func (c *Config) GroupPrefixes() map[int64]string {
	by := map[int64]string{}
	for _, entry := range c.DOI.GroupPrefixes {
		group, prefix, _ := groupPrefix(entry)
		by[group] = prefix
	}
	return by
}

// Prefixes are what the DOIs begin with that are given out here, each a registered prefix with its slash, once.
func (c *Config) Prefixes() (list []string) {
	for _, prefix := range append([]string{c.DOIPrefix}, slices.Sorted(maps.Values(c.GroupPrefixes()))...) {
		registered, _, _ := strings.Cut(prefix, "/")
		if !slices.Contains(list, registered+"/") {
			list = append(list, registered+"/")
		}
	}
	return list
}

// testPrefix is the prefix that is reserved for examples.
const testPrefix = "10.5072/"

// IsTestPrefix reports whether a DOI or a prefix is one for examples.
func IsTestPrefix(doi string) bool { return strings.HasPrefix(doi, testPrefix) }

// local reports whether an address leads to this machine.
func local(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost") || ip != nil && ip.IsLoopback()
}

// RegistrarAddress is the address of the registrar's API.
func (c *Config) RegistrarAddress() string {
	switch d := c.DOI; {
	case d.Address != "":
		return d.Address
	case d.Test:
		return "https://api.test.datacite.org"
	}
	return "https://api.datacite.org"
}
