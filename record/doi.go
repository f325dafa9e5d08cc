package record

import (
	"regexp"
	"strconv"
	"strings"
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
