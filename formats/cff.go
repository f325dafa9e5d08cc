package formats

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Patterns of the Citation File Format 1.2.0, which refuses a file with other values.
var (
	cffORCID = regexp.MustCompile(`^[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]$`)
	cffDOI   = regexp.MustCompile(`^10\.\d{4,9}(\.\d+)?/[A-Za-z0-9:/_;\-.()\[\]\\]+$`)
)

// citationCFF is a CITATION.cff. Each value is a text of JSON, which YAML reads as it is.
func citationCFF(it *Item) string {
	var b strings.Builder
	put := func(key, value string) {
		if value != "" {
			b.WriteString(key + ": " + quoted(value) + "\n")
		}
	}
	of := "dataset"
	if it.kind().ris == "COMP" {
		of = "software"
	}
	b.WriteString("cff-version: 1.2.0\nmessage: \"If you use this " + of + ", please cite it as below.\"\ntype: " + of + "\n")
	put("title", it.Title)
	b.WriteString("authors:\n")
	for _, a := range it.Authors {
		switch particle, family := a.apart(); {
		case a.Organisation:
			put("  - name", a.Full)
			put("    website", a.ROR)
		case a.Family == "":
			put("  - given-names", a.Full)
		default:
			put("  - family-names", family)
			put("    given-names", a.Given)
			put("    name-particle", particle)
			put("    name-suffix", a.Suffix)
		}
		put("    affiliation", a.affiliated())
		if cffORCID.MatchString(a.ORCID) {
			put("    orcid", orcidSite+a.ORCID)
		}
	}
	if len(it.Authors) == 0 {
		put("  - name", it.publisher())
	}
	if it.Version > 0 {
		put("version", strconv.Itoa(it.Version))
	}
	if cffDOI.MatchString(it.DOI) {
		put("doi", it.DOI)
	}
	put("url", it.where())
	put("date-released", day(it.Published))
	if id := it.spdx(); id != "" {
		put("license", id)
	} else {
		put("license-url", it.LicenseURL)
	}
	put("abstract", it.abstract())
	if len(it.Keywords) > 0 {
		b.WriteString("keywords:\n")
		for i, k := range it.Keywords {
			if !slices.Contains(it.Keywords[:i], k) {
				b.WriteString("  - " + quoted(k) + "\n")
			}
		}
	}
	return b.String()
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		return `""` // texts always encode
	}
	return string(b)
}
