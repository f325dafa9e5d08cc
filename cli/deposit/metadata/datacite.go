package metadata

import (
	"strings"
	"time"

	"alcove/record"
)

// attributes are the metadata of an answer of DataCite, which wraps them.
func attributes(top map[string]any) map[string]any {
	if data, ok := top["data"].(map[string]any); ok {
		top = data
	}
	if inner, ok := top["attributes"].(map[string]any); ok {
		return inner
	}
	return top
}

// generalTypes are the types of items that general types of DataCite stand for.
var generalTypes = map[string]string{
	"audiovisual": "media", "award": "funding", "book": "book", "bookchapter": "chapter", "computationalnotebook": "software",
	"conferencepaper": "conference contribution", "dataset": "dataset", "datapaper": "journal contribution", "dissertation": "thesis",
	"event": "event", "image": "figure", "journalarticle": "journal contribution", "model": "model", "outputmanagementplan": "data management plan",
	"peerreview": "peer review", "physicalobject": "physical object", "poster": "poster", "preprint": "preprint", "presentation": "presentation",
	"report": "report", "service": "service", "software": "software", "sound": "media", "standard": "standard", "workflow": "workflow",
}

// datacite reads the attributes of DataCite's JSON.
func (f *Found) datacite(o map[string]any) error {
	for _, t := range f.objects(o, "titles") {
		switch text := f.text(t, "title"); {
		case t["titleType"] != nil:
			f.leave("titles of the type " + f.text(t, "titleType"))
		case f.Body["title"] != nil:
			f.doubt("there is a further title, %q", text)
		default:
			f.set("title", text)
		}
	}
	var authors []map[string]any
	for _, c := range f.objects(o, "creators") {
		if a := f.creator(c); a != nil {
			authors = append(authors, a)
		}
	}
	f.set("authors", authors)
	for _, d := range f.objects(o, "descriptions") {
		switch kind := f.text(d, "descriptionType"); {
		case kind != "" && kind != "Abstract":
			f.leave("descriptions of the type " + kind)
		case f.Body["description"] != nil:
			f.doubt("there is a further abstract")
		default:
			f.set("description", Paragraphs(f.text(d, "description")))
		}
	}
	f.subjects(o)
	f.rights(o)
	f.general(o)
	f.relations(o)
	f.grants(o)
	for _, d := range f.objects(o, "dates") {
		// A date on which it becomes available is an embargo, which must not be overlooked.
		if end, err := time.Parse(time.DateOnly, f.text(d, "date")); f.text(d, "dateType") == "Available" && err == nil && end.After(time.Now()) {
			f.doubt("it becomes available on %s: say so with --embargo-until", end.Format(time.DateOnly))
		}
		f.leave("dates")
	}
	f.rest(o, "", "titles", "creators", "descriptions", "subjects", "rightsList", "types", "relatedIdentifiers", "fundingReferences",
		"dates", "schemaVersion", "id")
	return nil
}

// creator is a person, or an organisation where its type says so. A name without a type stays a person.
func (f *Found) creator(c map[string]any) map[string]any {
	given, family, name := f.text(c, "givenName"), f.text(c, "familyName"), f.text(c, "name")
	var author map[string]any
	switch {
	case f.text(c, "nameType") == "Organizational" && name != "":
		author = organisation(name)
	case family != "":
		author = person(given, "", family, "")
	case name != "" && name != ":unav":
		author = keysOf(record.ReadName(name))
	default:
		f.doubt("a creator has no name")
		return nil
	}
	for _, id := range f.objects(c, "nameIdentifiers") {
		switch scheme := f.text(id, "nameIdentifierScheme"); strings.ToUpper(scheme) {
		case "ORCID":
			f.withORCID(author, f.text(id, "nameIdentifier"))
		case "ROR":
			f.withROR(author, f.text(id, "nameIdentifier"), "creators.nameIdentifiers of ROR")
		default:
			f.leave("creators.nameIdentifiers of " + scheme)
		}
	}
	for _, v := range list(c["affiliation"]) {
		if of, ok := v.(map[string]any); ok {
			f.affiliate(author, f.text(of, "name"), f.text(of, "affiliationIdentifier"), "creators.affiliation.affiliationIdentifier")
		} else if text, ok := scalar(v); ok {
			f.affiliate(author, text, "", "")
		}
	}
	f.rest(c, "creators.", "name", "givenName", "familyName", "nameType", "nameIdentifiers", "affiliation", "lang")
	return author
}

// anzsrc is how subjects of the categories are marked that repositories of this kind come with.
const anzsrc = "ANZSRC Fields of Research"

func (f *Found) subjects(o map[string]any) {
	var keywords, categories []string
	for _, s := range f.objects(o, "subjects") {
		code := f.text(s, "classificationCode")
		switch {
		case code != "" && strings.HasPrefix(f.text(s, "subjectScheme"), anzsrc):
			categories = append(categories, code)
		default:
			if word := f.text(s, "subject"); word != "" {
				keywords = append(keywords, word)
			}
		}
	}
	f.set("keywords", keywords)
	f.set("categories_by_source_id", categories)
}

// openAccess are statements of rights that are no licence, and let every reader in.
var openAccess = []string{"open access", "info:eu-repo/semantics/openaccess", "http://purl.org/coar/access_right/c_abf2"}

func (f *Found) rights(o map[string]any) {
next:
	for _, r := range f.objects(o, "rightsList") {
		name := ""
		for _, key := range []string{"rightsIdentifier", "rightsUri", "rights"} {
			text := f.text(r, key)
			for _, open := range openAccess {
				if strings.EqualFold(text, open) {
					continue next
				}
			}
			if name == "" {
				name = text
			}
		}
		switch {
		case name == "":
		case strings.EqualFold(f.text(r, "rightsIdentifierScheme"), "COAR") || strings.Contains(strings.ToLower(name), "access"):
			f.doubt("it restricts the access: %q", name)
		case f.Body["license"] != nil:
			f.doubt("there is a further licence, %q, and an item has one", name)
		default:
			f.set("license", name)
		}
	}
}

func (f *Found) general(o map[string]any) {
	types, ok := o["types"].(map[string]any)
	if !ok {
		if o["types"] != nil {
			f.doubt(`"types" is not an object`)
		}
		return
	}
	of := f.text(types, "resourceTypeGeneral")
	if name := generalTypes[strings.ToLower(strings.ReplaceAll(of, " ", ""))]; name != "" {
		f.set("defined_type", name)
	} else if of != "" {
		f.doubt("there is no type of items for %q: choose one with --type", of)
	}
	if t := f.text(types, "resourceType"); t != "" && !strings.EqualFold(strings.ReplaceAll(t, " ", ""), of) {
		f.leave("types.resourceType")
	}
}

// relatedTypes and relatedHow are what related materials can be.
var (
	relatedTypes = strings.Fields(`ARK arXiv bibcode DOI EAN13 EISSN Handle IGSN ISBN ISSN ISTC LISSN LSID PMID PURL UPC URL URN w3id`)
	relatedHow   = strings.Fields(`IsCitedBy Cites IsSupplementTo IsSupplementedBy IsContinuedBy Continues Describes IsDescribedBy
		HasMetadata IsMetadataFor HasVersion IsVersionOf IsNewVersionOf IsPreviousVersionOf IsPartOf HasPart IsPublishedIn
		IsReferencedBy References IsDocumentedBy Documents IsCompiledBy Compiles IsVariantFormOf IsOriginalFormOf IsIdenticalTo
		IsReviewedBy Reviews IsDerivedFrom IsSourceOf IsRequiredBy Requires IsObsoletedBy Obsoletes`)
)

func (f *Found) relations(o map[string]any) {
	var related []map[string]any
	for _, r := range f.objects(o, "relatedIdentifiers") {
		id := f.text(r, "relatedIdentifier")
		of, known := oneOf(relatedTypes, f.text(r, "relatedIdentifierType"))
		how, named := oneOf(relatedHow, f.text(r, "relationType"))
		if id == "" || !known || !named {
			f.doubt("the related identifier %q is of a type (%s) or in a relation (%s) that items do not have", id, of, how)
			continue
		}
		related = append(related, map[string]any{"identifier": id, "identifier_type": of, "relation": how})
	}
	f.set("related_materials", related)
}

// oneOf is a word as a list has it, in whatever case it was written.
func oneOf(list []string, word string) (string, bool) {
	for _, w := range list {
		if strings.EqualFold(w, word) {
			return w, true
		}
	}
	return word, false
}

// grants are told in one text each, because items have no keys for their parts.
func (f *Found) grants(o map[string]any) {
	var grants []map[string]any
	for _, g := range f.objects(o, "fundingReferences") {
		var parts []string
		for _, key := range []string{"funderName", "awardTitle", "awardNumber"} {
			if text := f.text(g, key); text != "" && text != ":unav" {
				parts = append(parts, text)
			}
		}
		if len(parts) > 0 {
			grants = append(grants, map[string]any{"title": strings.Join(parts, ", ")})
		}
		f.rest(g, "fundingReferences.", "funderName", "awardTitle", "awardNumber")
	}
	f.set("funding_list", grants)
}
