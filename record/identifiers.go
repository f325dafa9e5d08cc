package record

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var (
	resolver       = regexp.MustCompile(`^(?i)(?:(?:https?://)?(?:dx\.|www\.)?doi\.org/|(?:info:)?doi:\s*)`)
	handleResolver = regexp.MustCompile(`^(?i)(?:(?:https?://)?(?:www\.)?hdl\.handle\.net/|(?:info:)?hdl[:/]\s*)`)

	wholeDOI    = regexp.MustCompile(`^10\.[0-9]{4,9}(?:\.[0-9]+)*/[\pL\pM\pN\pP\pS]+$`)
	wholeHandle = regexp.MustCompile(`^[0-9A-Za-z._-]+/[\pL\pM\pN\pP\pS]+$`)
)

// versionEnd is what a DOI of a version ends with.
var versionEnd = regexp.MustCompile(`\.v[1-9][0-9]*$`)

// ForTests reports whether a DOI has the prefix that DataCite reserves for tests and examples, whose DOIs lead nowhere.
func ForTests(doi string) bool { return strings.HasPrefix(BareDOI(doi), "10.5072/") }

// maxIdentifierName bounds a DOI or handle, in characters.
const maxIdentifierName = 255

// ReadDOI is a DOI of a request without white space around it and a resolver's address or
// "doi:" in front, otherwise as it was sent. ok is false for what is no DOI (ISO 26324: a
// prefix of 10. and digits, a slash, a suffix of printable characters without white space),
// and for more than 255 characters.
func ReadDOI(text string) (doi string, ok bool) {
	doi = strings.TrimSpace(text)
	doi = doi[len(resolver.FindString(doi)):]
	return doi, wholeDOI.MatchString(doi) && !longer(doi, maxIdentifierName)
}

// ReadHandle is ReadDOI for a handle (RFC 3651, 3.1): a naming authority, a slash, a local name.
func ReadHandle(text string) (handle string, ok bool) {
	handle = strings.TrimSpace(text)
	handle = handle[len(handleResolver.FindString(handle)):]
	return handle, wholeHandle.MatchString(handle) && !longer(handle, maxIdentifierName)
}

// ItemDOI is a DOI without a version at its end, otherwise as BareDOI has it.
func ItemDOI(s string) string { return versionEnd.ReplaceAllString(BareDOI(s), "") }

// BareDOI is a DOI as it is compared: in lower case, without a resolver's address or
// "doi:" in front. DOIs are not case-sensitive (ISO 26324). A version at its end stays.
func BareDOI(s string) string {
	s = strings.TrimSpace(s)
	return strings.ToLower(strings.TrimRight(s[len(resolver.FindString(s)):], ".,;"))
}

// BareHandle is a handle as it is compared: in lower case, without a resolver's address.
func BareHandle(s string) string {
	s = strings.TrimSpace(s)
	return strings.ToLower(s[len(handleResolver.FindString(s)):])
}

// Identifiers are what identifies an item with this metadata, as it is compared: its DOI
// without a version, and its handle, each once.
func (m *Metadata) Identifiers() []string {
	var list []string
	if m.DOI != "" {
		list = append(list, ItemDOI(m.DOI))
	}
	if h := BareHandle(m.Handle); h != "" && (len(list) == 0 || list[0] != h) {
		list = append(list, h)
	}
	return list
}

// PublicDOI is the DOI of a public version: the one that it brought along, that of the item,
// or, of items that got theirs here, that with the version at its end. "" is none.
func (m *Metadata) PublicDOI(version int) string {
	switch {
	case m.VersionDOI != "":
		return m.VersionDOI
	case m.DOI == "" || m.PlainDOI:
		return m.DOI
	}
	return m.DOI + ".v" + strconv.Itoa(version)
}

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

// rorForm is a ROR ID; its last two characters are check digits (ISO 7064, MOD 97-10).
var rorForm = regexp.MustCompile(`^0[a-hj-km-np-tv-z0-9]{6}[0-9]{2}$`)

var rorAddress = regexp.MustCompile(`^(?i)(?:https?://)?(?:www\.)?ror\.org/`)

// ReadROR is the ROR ID of an organisation in its own form, nine characters in small letters, without an address in front
// of it. ok is false for any other text.
func ReadROR(text string) (ror string, ok bool) {
	text = strings.TrimSpace(text)
	ror = strings.ToLower(strings.TrimSuffix(text[len(rorAddress.FindString(text)):], "/"))
	if !rorForm.MatchString(ror) {
		return "", false
	}
	n := 0
	for _, c := range ror[1:7] {
		n = n*32 + strings.IndexRune("0123456789abcdefghjkmnpqrstvwxyz", c)
	}
	return ror, fmt.Sprintf("%02d", 98-n*100%97) == ror[7:]
}
