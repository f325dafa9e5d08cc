package record

import (
	"regexp"
	"strings"
)

var resolver = regexp.MustCompile(`^(?i)(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/|(?:info:)?doi:\s*)`)

// versionEnd is what a DOI of a version ends with.
var versionEnd = regexp.MustCompile(`\.v[1-9][0-9]*$`)

// ItemDOI is a DOI without a version at its end, otherwise as BareDOI has it.
func ItemDOI(s string) string { return versionEnd.ReplaceAllString(BareDOI(s), "") }

// BareDOI is a DOI as it is compared: in lower case, without a resolver's address or
// "doi:" in front. DOIs are not case-sensitive (ISO 26324). A version at its end stays.
func BareDOI(s string) string {
	s = strings.TrimSpace(s)
	return strings.ToLower(strings.TrimRight(s[len(resolver.FindString(s)):], ".,;"))
}
