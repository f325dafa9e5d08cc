package formats

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Unavailable stands where DataCite's kernel 4.7 asks for a value and there is none, as its documentation says.
const Unavailable = ":unav"

const (
	orcidSite = "https://orcid.org/"
	spdxSite  = "https://spdx.org/licenses/"
	anzsrc    = "ANZSRC Fields of Research 2020"
	anzsrcURI = "https://www.abs.gov.au/statistics/classifications/australian-and-new-zealand-standard-research-classification-anzsrc"
)

// identifier is what the item is called, and of which type that is.
func (it *Item) identifier() (value, of string) {
	switch {
	case it.DOI != "":
		return it.DOI, "DOI"
	case it.Handle != "":
		return it.Handle, "Handle"
	case it.URL != "":
		return it.URL, "URL"
	}
	return Unavailable, "Other"
}

type named struct{ Value, Of string }

// otherIdentifiers are those beside the first.
func (it *Item) otherIdentifiers() (list []named) {
	_, first := it.identifier()
	for _, n := range []named{{it.Handle, "Handle"}, {it.URL, "URL"}} {
		if n.Value != "" && n.Of != first {
			list = append(list, n)
		}
	}
	return list
}

// dates are those that are known, as DataCite calls them.
func (it *Item) dates() (list []named) {
	available := it.First
	if !it.EmbargoEnd.IsZero() {
		available = it.EmbargoEnd
	}
	for _, n := range []named{{day(it.Published), "Issued"}, {day(available), "Available"}, {day(it.Accepted), "Accepted"}, {day(it.Modified), "Updated"}} {
		if n.Value != "" {
			list = append(list, n)
		}
	}
	return list
}

// relations are the works that have an identifier.
func (it *Item) relations() []Related {
	return slices.DeleteFunc(it.works(), func(r Related) bool { return r.Type == "" })
}

// works are the related outputs, the DOI of all versions among them, each once.
func (it *Item) works() (list []Related) {
	if it.ConceptDOI != "" && it.DOI != "" && it.ConceptDOI != it.DOI {
		list = append(list, Related{Identifier: it.ConceptDOI, Type: "DOI", Relation: "IsVersionOf"})
	}
	for _, r := range it.Related {
		same := func(o Related) bool { return o.Identifier == r.Identifier && o.Relation == r.Relation }
		if slices.Contains(relationTypes, r.Relation) && (r.Type == "" || slices.Contains(identifierTypes, r.Type)) && !slices.ContainsFunc(list, same) {
			list = append(list, r)
		}
	}
	return list
}

var relationTypes = strings.Fields(`IsCitedBy Cites IsSupplementTo IsSupplementedBy IsContinuedBy Continues IsNewVersionOf
	IsPreviousVersionOf IsPartOf HasPart IsPublishedIn IsReferencedBy References IsDocumentedBy Documents IsCompiledBy
	Compiles IsVariantFormOf IsOriginalFormOf IsIdenticalTo HasMetadata IsMetadataFor Reviews IsReviewedBy IsDerivedFrom
	IsSourceOf Describes IsDescribedBy HasVersion IsVersionOf Requires IsRequiredBy Obsoletes IsObsoletedBy Collects
	IsCollectedBy HasTranslation IsTranslationOf`)

var identifierTypes = strings.Fields(`ARK arXiv bibcode CSTR DOI EAN13 EISSN Handle IGSN ISBN ISSN ISTC LISSN LSID PMID PURL
	RAiD RRID SWHID UPC URL URN w3id`)

// mediaTypes are those of the files, each once.
func (it *Item) mediaTypes() (list []string) {
	for _, f := range it.Files {
		if f.MIME != "" && !slices.Contains(list, f.MIME) {
			list = append(list, f.MIME)
		}
	}
	return list
}

// sizes are how much there is.
func (it *Item) sizes() (list []string) {
	if it.Size > 0 {
		list = append(list, fmt.Sprintf("%d bytes", it.Size))
	}
	if it.Count == 1 {
		list = append(list, "1 file")
	} else if it.Count > 1 {
		list = append(list, fmt.Sprintf("%d files", it.Count))
	}
	return list
}

// issuedYear is the year of publication, or of the last change: four digits.
func (it *Item) issuedYear() string {
	for _, d := range []string{day(it.Published), day(it.First), day(it.Modified)} {
		if d != "" {
			return d[:4]
		}
	}
	return "0000"
}

func (it *Item) publisher() string {
	if it.Publisher == "" {
		return Unavailable
	}
	return it.Publisher
}

// nameType is empty where a name is a guess.
func (a Author) nameType() string {
	switch {
	case a.Organisation:
		return "Organizational"
	case a.Guessed:
		return ""
	}
	return "Personal"
}

// identities are the nameIdentifiers of an author.
func (a Author) identities() (list []named) {
	for _, n := range []named{{a.orcidURL(), "ORCID"}, {a.ROR, "ROR"}} {
		if n.Value != "" {
			list = append(list, n)
		}
	}
	return list
}

// affiliated are the names of the affiliations in one text.
func (a Author) affiliated() string {
	names := []string{}
	for _, f := range a.Affiliations {
		names = append(names, f.Name)
	}
	return strings.Join(names, "; ")
}

// schemes are the addresses of the schemes of nameIdentifiers and affiliations.
var schemes = map[string]string{"ORCID": orcidSite, "ROR": "https://ror.org/"}

func (a Author) orcidURL() string {
	if a.ORCID == "" {
		return ""
	}
	return orcidSite + inPath.Replace(a.ORCID)
}

// funder is who paid: often only the title of a grant is known.
func (g Grant) funder() string {
	if g.Funder == "" {
		return Unavailable
	}
	return g.Funder
}

func dataciteXML(it *Item) string {
	m := &markup{}
	m.resource(it)
	return m.b.String()
}

// oaiDatacite is the same in the wrapper that DataCite harvests it in. The symbol of the client that registers
// is not known here, and the element has to be there.
func oaiDatacite(it *Item) string {
	m := &markup{}
	m.open("oai_datacite", "xmlns", wrapperNS, "xmlns:xsi", xsiNS, "xsi:schemaLocation", wrapperNS+" "+wrapperXSD)
	m.leaf("schemaVersion", "4.7")
	m.leaf("datacentreSymbol", it.publisher())
	m.open("payload")
	m.resource(it)
	m.end("payload")
	m.end("oai_datacite")
	return m.b.String()
}

const xsiNS = "http://www.w3.org/2001/XMLSchema-instance"

func (m *markup) resource(it *Item) {
	m.open("resource", "xmlns", kernelNS, "xmlns:xsi", xsiNS, "xsi:schemaLocation", kernelNS+" "+kernelXSD)
	value, of := it.identifier()
	m.leaf("identifier", value, "identifierType", of)
	m.open("creators")
	for _, a := range it.Authors {
		m.open("creator")
		m.leaf("creatorName", a.entry(), "nameType", a.nameType())
		if a.Family != "" {
			m.leaf("givenName", a.Given)
			m.leaf("familyName", a.Family)
		}
		for _, n := range a.identities() {
			m.leaf("nameIdentifier", n.Value, "nameIdentifierScheme", n.Of, "schemeURI", schemes[n.Of])
		}
		for _, f := range a.Affiliations {
			if f.ROR != "" {
				m.leaf("affiliation", f.Name, "affiliationIdentifier", f.ROR, "affiliationIdentifierScheme", "ROR", "schemeURI", schemes["ROR"])
			} else {
				m.leaf("affiliation", f.Name)
			}
		}
		m.end("creator")
	}
	if len(it.Authors) == 0 {
		m.open("creator")
		m.leaf("creatorName", Unavailable)
		m.end("creator")
	}
	m.end("creators")
	m.open("titles")
	m.leaf("title", it.Title)
	m.end("titles")
	m.leaf("publisher", it.publisher())
	m.leaf("publicationYear", it.issuedYear())
	m.leaf("resourceType", capital(it.typeName()), "resourceTypeGeneral", it.kind().datacite)
	m.group("subjects", len(it.Categories)+len(it.Keywords), func(i int) {
		if i < len(it.Categories) {
			c := it.Categories[i]
			m.leaf("subject", c.Title, "subjectScheme", anzsrc, "schemeURI", anzsrcURI, "classificationCode", inPath.Replace(c.Code))
			return
		}
		m.leaf("subject", it.Keywords[i-len(it.Categories)])
	})
	dates := it.dates()
	m.group("dates", len(dates), func(i int) { m.leaf("date", dates[i].Value, "dateType", dates[i].Of) })
	others := it.otherIdentifiers()
	m.group("alternateIdentifiers", len(others), func(i int) {
		m.leaf("alternateIdentifier", others[i].Value, "alternateIdentifierType", others[i].Of)
	})
	related := it.relations()
	m.group("relatedIdentifiers", len(related), func(i int) {
		m.leaf("relatedIdentifier", related[i].Identifier, "relatedIdentifierType", related[i].Type, "relationType", related[i].Relation)
	})
	sizes, types := it.sizes(), it.mediaTypes()
	m.group("sizes", len(sizes), func(i int) { m.leaf("size", sizes[i]) })
	m.group("formats", len(types), func(i int) { m.leaf("format", types[i]) })
	if it.Version > 0 {
		m.leaf("version", strconv.Itoa(it.Version))
	}
	m.open("rightsList")
	if id := it.spdx(); id != "" {
		m.leaf("rights", it.License, "rightsURI", it.LicenseURL, "rightsIdentifier", id, "rightsIdentifierScheme", "SPDX", "schemeURI", spdxSite)
	} else {
		m.leaf("rights", it.License, "rightsURI", it.LicenseURL)
	}
	m.leaf("rights", it.coarLabel(), "rightsURI", it.coar(), "rightsIdentifierScheme", "COAR")
	m.end("rightsList")
	if it.Description != "" {
		m.open("descriptions")
		m.leaf("description", it.Description, "descriptionType", "Abstract")
		m.end("descriptions")
	}
	m.group("fundingReferences", len(it.Grants), func(i int) {
		g := it.Grants[i]
		m.open("fundingReference")
		m.leaf("funderName", g.funder())
		m.leaf("awardNumber", g.Code, "awardURI", g.URL)
		m.leaf("awardTitle", g.Title)
		m.end("fundingReference")
	})
	m.end("resource")
}

// dataciteJSON has the attributes of DataCite's REST interface.
func dataciteJSON(it *Item) string {
	creators := []map[string]any{}
	for _, a := range it.Authors {
		o := map[string]any{"name": a.entry(), "nameType": a.nameType()}
		if a.Family != "" {
			o["givenName"], o["familyName"] = a.Given, a.Family
		}
		identities, of := []map[string]any{}, []map[string]any{}
		for _, n := range a.identities() {
			identities = append(identities, map[string]any{"nameIdentifier": n.Value, "nameIdentifierScheme": n.Of, "schemeUri": schemes[n.Of]})
		}
		for _, f := range a.Affiliations {
			one := map[string]any{"name": f.Name}
			if f.ROR != "" {
				one["affiliationIdentifier"], one["affiliationIdentifierScheme"], one["schemeUri"] = f.ROR, "ROR", schemes["ROR"]
			}
			of = append(of, one)
		}
		o["nameIdentifiers"], o["affiliation"] = identities, of
		creators = append(creators, filled(o))
	}
	if len(creators) == 0 {
		creators = append(creators, map[string]any{"name": Unavailable})
	}
	subjects := []map[string]any{}
	for _, c := range it.Categories {
		subjects = append(subjects, filled(map[string]any{"subject": c.Title, "subjectScheme": anzsrc, "schemeUri": anzsrcURI, "classificationCode": c.Code}))
	}
	for _, k := range it.Keywords {
		subjects = append(subjects, map[string]any{"subject": k})
	}
	dates, others, related, grants := []map[string]any{}, []map[string]any{}, []map[string]any{}, []map[string]any{}
	for _, d := range it.dates() {
		dates = append(dates, map[string]any{"date": d.Value, "dateType": d.Of})
	}
	for _, n := range it.otherIdentifiers() {
		others = append(others, map[string]any{"alternateIdentifier": n.Value, "alternateIdentifierType": n.Of})
	}
	for _, r := range it.relations() {
		related = append(related, map[string]any{"relatedIdentifier": r.Identifier, "relatedIdentifierType": r.Type, "relationType": r.Relation})
	}
	for _, g := range it.Grants {
		grants = append(grants, filled(map[string]any{"funderName": g.funder(), "awardNumber": g.Code, "awardUri": g.URL, "awardTitle": g.Title}))
	}
	rights := []map[string]any{{"rights": it.coarLabel(), "rightsUri": it.coar(), "rightsIdentifierScheme": "COAR"}}
	if it.License != "" {
		o := map[string]any{"rights": it.License, "rightsUri": it.LicenseURL}
		if id := it.spdx(); id != "" {
			o["rightsIdentifier"], o["rightsIdentifierScheme"], o["schemeUri"] = strings.ToLower(id), "SPDX", spdxSite
		}
		rights = append([]map[string]any{filled(o)}, rights...)
	}
	descriptions := []map[string]any{}
	if it.Description != "" {
		descriptions = append(descriptions, map[string]any{"description": it.Description, "descriptionType": "Abstract"})
	}
	year, _ := strconv.Atoi(it.issuedYear())
	version := ""
	if it.Version > 0 {
		version = strconv.Itoa(it.Version)
	}
	return object(map[string]any{
		"doi": it.DOI, "url": it.URL, "schemaVersion": kernelNS, "creators": creators, "titles": []map[string]any{{"title": it.Title}},
		"publisher": map[string]any{"name": it.publisher()}, "publicationYear": year,
		"types":    filled(map[string]any{"resourceTypeGeneral": it.kind().datacite, "resourceType": capital(it.typeName())}),
		"subjects": subjects, "dates": dates, "alternateIdentifiers": others, "relatedIdentifiers": related, "sizes": it.sizes(),
		"formats": it.mediaTypes(), "version": version, "rightsList": rights, "descriptions": descriptions, "fundingReferences": grants,
	})
}
