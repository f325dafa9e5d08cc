package index

import (
	"regexp"
	"strings"

	"alcove/record"
)

var doiForm = regexp.MustCompile(`^10\.[0-9]{4,9}(?:\.[0-9]+)*/\S+$`)

// isDOI reports whether a word is a DOI in any of the ways people write one.
func isDOI(s string) bool { return doiForm.MatchString(record.BareDOI(s)) }

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
