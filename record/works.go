package record

import (
	"net/url"
	"regexp"
	"strings"
)

// Work is another output that an identifier names. Two identifiers of the same type and value name the same work.
type Work struct {
	Type  string // one of IdentifierTypes, empty for text that identifies nothing
	Value string // normalised: a DOI bare and in lower case, an ISBN as 13 digits
	URL   string // that the work is found at, empty where none is known
}

// ReadWork reads an identifier of a reference or related material. It recognises DOI, arXiv, Handle, PMID, URN and ISBN by
// their form, their prefix or the address of their resolver, and any other http or https address as URL. kind is the
// type that came with it: it decides for identifiers without a prefix, such as "2101.00001" with the type arXiv. ReadWork ignores
// a type that does not fit, and the default, URL. Any other text is kept as text: Value has it as it was sent.
func ReadWork(identifier, kind string) Work {
	text := strings.TrimSpace(identifier)
	for _, form := range workForms {
		if len(text) > maxIdentifier {
			break // no form is that long
		}
		if w, ok := form.read(text, kind == form.kind); ok {
			return w
		}
	}
	if u, err := url.Parse(text); err == nil && u.Host != "" && (strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https")) {
		if kind == "PURL" || kind == "w3id" {
			return Work{kind, text, text}
		}
		return Work{"URL", text, text}
	}
	switch kind {
	case "", DefaultIdentifierType, "PURL":
		return Work{"", text, ""}
	}
	for _, form := range workForms {
		if kind == form.kind {
			return Work{"", text, ""}
		}
	}
	m := RelatedMaterial{Identifier: text, Type: kind}
	if text == "" {
		return Work{}
	}
	return Work{kind, text, m.text()}
}

// detected returns the type of an identifier by its form, the default where it has none.
func detected(identifier string) string {
	if w := ReadWork(identifier, ""); w.Type != "" {
		return w.Type
	}
	return DefaultIdentifierType
}

// Label returns the identifier as readers know it.
func (w Work) Label() string {
	switch w.Type {
	case "DOI":
		return "https://doi.org/" + w.Value
	case "PMID", "ISBN":
		return w.Type + " " + w.Value
	case "Handle":
		return "hdl:" + w.Value
	}
	return w.Value
}

// workForms lists the readers of identifiers by form. Ambiguous forms come first.
var workForms = []struct {
	kind string
	read func(text string, declared bool) (Work, bool)
}{{"DOI", readDOIWork}, {"arXiv", readArXiv}, {"ISBN", readISBN}, {"URN", readURN}, {"PMID", readPMID}, {"Handle", readHandleWork}}

var (
	doiInfo      = regexp.MustCompile(`^(?i)(?:info:doi/|urn:doi:|https?://(?:www\.)?hdl\.handle\.net/(?:10\.))`)
	arXivFront   = regexp.MustCompile(`^(?i)(?:arxiv:\s*|(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/)`)
	arXivForm    = regexp.MustCompile(`^(?i)(?:[0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[a-z]{2})?/[0-9]{7})(?:v[1-9][0-9]*)?$`)
	pmidFront    = regexp.MustCompile(`^(?i)(?:(?:pmid|pubmed)(?:\s*:\s*|\s+)|(?:https?://)?(?:pubmed\.ncbi\.nlm\.nih\.gov|(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed)/)`)
	pmidForm     = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)
	urnFront     = regexp.MustCompile(`^(?i)https?://(?:www\.)?nbn-resolving\.(?:org|de)/(?:resolver\?identifier=)?`)
	urnForm      = regexp.MustCompile(`^(?i)urn:([a-z0-9][a-z0-9-]{0,30}[a-z0-9]):([^\s<>"]+)$`) // RFC 8141
	isbnFront    = regexp.MustCompile(`^(?i)(?:isbn(?:-1[03])?\s*:?\s*|urn:isbn:|https?://(?:www\.)?(?:openlibrary\.org/isbn|worldcat\.org/isbn)/)`)
	isbnNotation = strings.NewReplacer("-", "", " ", "", "‐", "", "–", "")
)

func readDOIWork(text string, _ bool) (Work, bool) {
	if front := doiInfo.FindString(text); front != "" {
		text = text[len(strings.TrimSuffix(front, "10.")):]
	}
	if front := resolver.FindString(text); strings.Contains(front, "/") {
		if decoded, err := url.PathUnescape(text[len(front):]); err == nil {
			text = decoded
		}
	}
	doi, ok := ReadDOI(strings.TrimRight(text, ".,;"))
	if !ok {
		return Work{}, false
	}
	doi = BareDOI(doi)
	return Work{"DOI", doi, "https://doi.org/" + escapedPath(doi)}, true
}

func readArXiv(text string, declared bool) (Work, bool) {
	front := arXivFront.FindString(text)
	id := strings.TrimSuffix(strings.TrimSuffix(text[len(front):], "/"), ".pdf")
	if front == "" && !declared || !arXivForm.MatchString(id) {
		return Work{}, false
	}
	return Work{"arXiv", "arXiv:" + id, "https://arxiv.org/abs/" + id}, true
}

func readPMID(text string, declared bool) (Work, bool) {
	front := pmidFront.FindString(text)
	id := strings.TrimSuffix(text[len(front):], "/")
	if front == "" && !declared || !pmidForm.MatchString(id) {
		return Work{}, false
	}
	return Work{"PMID", id, "https://pubmed.ncbi.nlm.nih.gov/" + id + "/"}, true
}

func readURN(text string, _ bool) (Work, bool) {
	m := urnForm.FindStringSubmatch(text[len(urnFront.FindString(text)):])
	if m == nil {
		return Work{}, false
	}
	w := Work{Type: "URN", Value: "urn:" + strings.ToLower(m[1]) + ":" + m[2]}
	if strings.EqualFold(m[1], "nbn") {
		w.Value = strings.ToLower(w.Value) // RFC 8458: its names are compared without case
		w.URL = "https://nbn-resolving.org/" + w.Value
	}
	return w, true
}

// readISBN checks the last digit (ISO 2108). One of ten digits gets its thirteen.
func readISBN(text string, declared bool) (Work, bool) {
	front := isbnFront.FindString(text)
	digits := strings.ToUpper(isbnNotation.Replace(text[len(front):]))
	thirteen := len(digits) == 13 && (strings.HasPrefix(digits, "978") || strings.HasPrefix(digits, "979"))
	if front == "" && !declared && !thirteen {
		return Work{}, false
	}
	if len(digits) == 10 && elevens(digits) == 0 {
		digits = "978" + digits[:9]
		digits += string("0123456789"[(10-tens(digits))%10])
	} else if !thirteen || tens(digits) != 0 {
		return Work{}, false
	}
	return Work{"ISBN", digits, "https://openlibrary.org/isbn/" + digits}, true
}

// tens returns the sum of digits with the weights 1 and 3 in turn, modulo 10, and 1 for other characters.
func tens(digits string) (sum int) {
	for i, c := range digits {
		if c < '0' || c > '9' {
			return 1
		}
		sum += int(c-'0') * (1 + 2*(i%2))
	}
	return sum % 10
}

// elevens returns the sum of ten digits with the weights 10 to 1, modulo 11, and 1 for other characters. X is ten, in
// the last place alone.
func elevens(digits string) (sum int) {
	for i, c := range digits {
		n := int(c - '0')
		if c == 'X' && i == 9 {
			n = 10
		} else if c < '0' || c > '9' {
			return 1
		}
		sum += n * (10 - i)
	}
	return sum % 11
}

func readHandleWork(text string, declared bool) (Work, bool) {
	front := handleResolver.FindString(text)
	if front == "" && !declared {
		return Work{}, false
	}
	handle, ok := ReadHandle(strings.TrimSuffix(text, "/"))
	if decoded, err := url.PathUnescape(handle); err == nil && strings.Contains(front, "/") {
		handle = decoded
	}
	if !ok {
		return Work{}, false
	}
	handle = BareHandle(handle)
	return Work{"Handle", handle, "https://hdl.handle.net/" + escapedPath(handle)}, true
}

// escapedPath returns a name as the path of an address.
func escapedPath(name string) string {
	return strings.NewReplacer("[", "%5B", "]", "%5D").Replace((&url.URL{Path: name}).EscapedPath())
}
