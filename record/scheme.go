package record

import (
	"regexp"
	"strings"
	"unicode"
)

// runnable are the schemes of addresses that a browser runs, or reads from the reader's own disk.
var runnable = regexp.MustCompile(`^(?i)(?:javascript|vbscript|data|file):`)

// followable are the schemes of addresses that are given as links.
var followable = regexp.MustCompile(`^(?i)(?:https?|ftp)://[^/]`)

// checkSchemes refuses a text of a field that a browser would run when it is followed. Browsers
// pass over white space and control characters in a scheme (WHATWG URL, 4.4), so those do
// not hide it. Any other text is taken.
func checkSchemes(field string, texts ...string) error {
	for _, text := range texts {
		bare := strings.Map(func(r rune) rune {
			if r <= ' ' || unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
				return -1
			}
			return r
		}, text[:min(len(text), 256)])
		if runnable.MatchString(bare) {
			return Wrong(field, "must not hold addresses with javascript:, vbscript:, data: or file:")
		}
	}
	return nil
}

// orcidForm is an ORCID iD; its last character is a check digit (ISO 7064, MOD 11-2).
var orcidForm = regexp.MustCompile(`^[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]$`)

var orcidAddress = regexp.MustCompile(`^(?i)(?:https?://)?(?:www\.)?orcid\.org/`)

// ReadORCID is an ORCID iD of a request in its own form, four groups of four characters,
// without an address in front of it. ok is false for what is none.
func ReadORCID(text string) (orcid string, ok bool) {
	text = strings.TrimSpace(text)
	orcid = strings.ToUpper(strings.TrimSuffix(text[len(orcidAddress.FindString(text)):], "/"))
	if !orcidForm.MatchString(orcid) {
		return "", false
	}
	sum := 0
	for _, c := range strings.ReplaceAll(orcid[:len(orcid)-1], "-", "") {
		sum = (sum + int(c-'0')) * 2
	}
	return orcid, "0123456789X"[(12-sum%11)%11] == orcid[len(orcid)-1]
}
