package index

import (
	"regexp"
	"strings"
)

var resolver = regexp.MustCompile(`^(?i)(?:(?:https?://)?(?:dx\.)?doi\.org/|(?:info:)?doi:\s*)`)

var doiForm = regexp.MustCompile(`^10\.[0-9]{4,9}(?:\.[0-9]+)*/\S+$`)

// bareDOI is a DOI as it is compared: in lower case, without a resolver's address or
// "doi:" in front. DOIs are not case-sensitive (ISO 26324).
func bareDOI(s string) string {
	s = strings.TrimSpace(s)
	return strings.ToLower(strings.TrimRight(s[len(resolver.FindString(s)):], ".,;"))
}

// isDOI reports whether a word is a DOI in any of the ways people write one.
func isDOI(s string) bool { return doiForm.MatchString(bareDOI(s)) }

// bareORCID is an ORCID iD as it is compared: sixteen digits with hyphens.
func bareORCID(s string) string {
	s = strings.ToLower(strings.Trim(strings.TrimSpace(s), "/"))
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		s = s[i+1:]
	}
	digits := strings.ReplaceAll(s, "-", "")
	if len(digits) != 16 {
		return s
	}
	return digits[:4] + "-" + digits[4:8] + "-" + digits[8:12] + "-" + digits[12:]
}
