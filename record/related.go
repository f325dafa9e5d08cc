package record

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
)

// RelatedMaterial is a typed link from an item to another output.
type RelatedMaterial struct {
	Identifier string `json:"identifier"` // as it was sent
	Title      string `json:"title"`
	Relation   string `json:"relation"` // one of the relations below
	Type       string `json:"type"`     // of the identifier, one of those below
	Linkout    bool   `json:"linkout"`  // shown prominently
}

// The defaults of a material.
const (
	DefaultRelation       = "References"
	DefaultIdentifierType = "URL"
)

var relations = strings.Fields(`IsCitedBy Cites IsSupplementTo IsSupplementedBy IsContinuedBy Continues
	Describes IsDescribedBy HasMetadata IsMetadataFor HasVersion IsVersionOf IsNewVersionOf
	IsPreviousVersionOf IsPartOf HasPart IsPublishedIn IsReferencedBy References IsDocumentedBy Documents
	IsCompiledBy Compiles IsVariantFormOf IsOriginalFormOf IsIdenticalTo IsReviewedBy Reviews
	IsDerivedFrom IsSourceOf IsRequiredBy Requires IsObsoletedBy Obsoletes`)

var identifierTypes = strings.Fields(`ARK arXiv bibcode DOI EAN13 EISSN Handle IGSN ISBN ISSN ISTC LISSN
	LSID PMID PURL UPC URL URN w3id`)

// Relations are those that a material can be in.
func Relations() []string { return slices.Clone(relations) }

// IdentifierTypes are the types of identifiers that a material can have.
func IdentifierTypes() []string { return slices.Clone(identifierTypes) }

// resolvers are where identifiers of a type lead, and how they may begin.
var resolvers = map[string]struct{ address, prefix string }{
	"ARK": {"https://n2t.net/ark:", "ark:"}, "arXiv": {"https://arxiv.org/abs/", "arxiv:"},
	"bibcode": {"https://ui.adsabs.harvard.edu/abs/", "bibcode:"}, "DOI": {"https://doi.org/", "doi:"},
	"Handle": {"https://hdl.handle.net/", "hdl:"}, "PMID": {"https://pubmed.ncbi.nlm.nih.gov/", "pmid:"},
	"w3id": {"https://w3id.org/", "w3id:"}, "PURL": {}, "URL": {},
}

// Link is the address that the identifier leads to: one of http, https or ftp, or that of a
// DOI. It is empty where the type has none, and for any other text.
func (r *RelatedMaterial) Link() string {
	text := r.text()
	if followable.MatchString(text) {
		return text
	}
	if doi, ok := ReadDOI(text); ok {
		return "https://doi.org/" + doi
	}
	return ""
}

// text is what stands for the material among references: its address, or what was sent as
// one.
func (r *RelatedMaterial) text() string {
	to, ok := resolvers[r.Type]
	lower := strings.ToLower(r.Identifier)
	switch {
	case ok && to.address == "", strings.HasPrefix(lower, "http://"), strings.HasPrefix(lower, "https://"):
		return r.Identifier
	case !ok:
		return ""
	case strings.HasPrefix(lower, to.prefix):
		return to.address + strings.TrimSpace(r.Identifier[len(to.prefix):])
	}
	return to.address + r.Identifier
}

// ID is a number for the material, the same wherever the same identifier stands in the
// same relation with the same title.
func (r *RelatedMaterial) ID() int64 {
	return number(strings.Join([]string{r.Relation, r.Type, r.Identifier, r.Title}, "\x00"))
}

// number is a positive number below 2^48 for a text, the same for the same text.
func number(text string) int64 {
	sum := sha256.Sum256([]byte(text))
	return int64(binary.BigEndian.Uint64(sum[:])>>16) + 1
}

// reference reports whether the material is one of the references of its item.
func (r *RelatedMaterial) reference() bool { return r.Relation == DefaultRelation && r.text() != "" }

func byReference(link string) RelatedMaterial {
	return RelatedMaterial{Identifier: link, Relation: DefaultRelation, Type: DefaultIdentifierType}
}

// Materials are all related materials of the item. Where only references were ever
// given, those are they.
func (m *Metadata) Materials() []RelatedMaterial {
	if len(m.Related) > 0 {
		return m.Related
	}
	list := []RelatedMaterial{}
	for _, r := range m.References {
		list = append(list, byReference(r))
	}
	return list
}

// MaterialsByID are the related materials by their ids.
func (m *Metadata) MaterialsByID() map[int64]RelatedMaterial {
	byID := make(map[int64]RelatedMaterial, m.MaterialCount())
	for _, r := range m.Materials() {
		id := r.ID()
		if _, have := byID[id]; !have {
			byID[id] = r
		}
	}
	return byID
}

// setMaterials gives the item other materials. Its references are those in the relation
// References that lead somewhere.
func (m *Metadata) setMaterials(list []RelatedMaterial) {
	m.Related, m.References = list, []string{}
	for i := range list {
		if list[i].reference() {
			m.References = append(m.References, list[i].text())
		}
	}
}

// setReferences gives the item other references. Materials in other relations stay, and
// those that a reference leads to keep what is known of them.
func (m *Metadata) setReferences(links []string) {
	old := m.Related
	if m.References = links; links == nil {
		m.References = []string{}
	}
	if len(old) == 0 {
		return
	}
	known := map[string]RelatedMaterial{}
	m.Related = []RelatedMaterial{}
	for _, r := range old {
		if r.reference() {
			known[r.text()] = r
		} else {
			m.Related = append(m.Related, r)
		}
	}
	for _, link := range links {
		r, ok := known[link]
		if !ok {
			r = byReference(link)
		}
		m.Related = append(m.Related, r)
	}
}

// Limits of related materials, the lengths in characters.
const (
	maxIdentifier    = 2000
	maxMaterialTitle = 1000
)

// MaterialRef names a material: by what it is, or one that is known by its id alone.
type MaterialRef struct {
	ID         *int64  `json:"id"`
	Identifier *string `json:"identifier"`
	Title      *string `json:"title"`
	Relation   *string `json:"relation"`
	Type       *string `json:"identifier_type"`
	Linkout    *bool   `json:"is_linkout"`
}

// Known is the id of the material that is meant, 0 when the reference says itself what
// it is.
func (r *MaterialRef) Known() int64 {
	if r.Identifier != nil && *r.Identifier != "" {
		return 0
	}
	return sent(r.ID)
}

// Fill completes a reference by id from the material that it means; what was sent stays.
func (r *MaterialRef) Fill(from RelatedMaterial) {
	r.Identifier, r.Type = &from.Identifier, &from.Type
	for _, f := range []struct {
		to   **string
		from string
	}{{&r.Title, from.Title}, {&r.Relation, from.Relation}} {
		if *f.to == nil {
			*f.to = &f.from
		}
	}
	if r.Linkout == nil {
		r.Linkout = &from.Linkout
	}
}

func (r *MaterialRef) check() error {
	const field = "related_materials"
	switch {
	case r.Known() == 0 && sent(r.Identifier) == "":
		return Wrong(field, "must give every material an identifier, or the id of a known one")
	case longer(sent(r.Identifier), maxIdentifier):
		return Wrong(field, "must give identifiers of at most 2000 characters")
	case longer(sent(r.Title), maxMaterialTitle):
		return Wrong(field, "must give titles of at most 1000 characters")
	case sent(r.Relation) != "" && !slices.Contains(relations, *r.Relation):
		return Wrong(field, "must give every material a known relation")
	case sent(r.Type) != "" && !slices.Contains(identifierTypes, *r.Type):
		return Wrong(field, "must give every material a known identifier_type")
	}
	switch identifier := sent(r.Identifier); {
	case identifier == "":
		return nil
	case sent(r.Type) == "DOI":
		if _, ok := ReadDOI(identifier); !ok {
			return Wrong(field, "must give a DOI such as 10.1234/name where identifier_type is DOI")
		}
	case sent(r.Type) == "Handle":
		if _, ok := ReadHandle(identifier); !ok {
			return Wrong(field, "must give a handle such as 12345/name where identifier_type is Handle")
		}
	}
	return checkSchemes(field, sent(r.Identifier))
}

func checkMaterials(list []MaterialRef) error {
	for i := range list {
		if err := list[i].check(); err != nil {
			return err
		}
	}
	return nil
}

// materials are what references stand for, repetitions left out. They must be filled.
func materials(refs []MaterialRef) []RelatedMaterial {
	list := []RelatedMaterial{}
	seen := map[int64]bool{}
	for _, r := range refs {
		m := RelatedMaterial{
			Identifier: sent(r.Identifier), Title: sent(r.Title), Relation: sent(r.Relation), Type: sent(r.Type), Linkout: sent(r.Linkout),
		}
		if m.Relation == "" {
			m.Relation = DefaultRelation
		}
		switch {
		case r.Type != nil && m.Type == "":
			m.Type = detected(m.Identifier)
		case m.Type == "":
			m.Type = DefaultIdentifierType
		}
		if id := m.ID(); !seen[id] {
			seen[id] = true
			list = append(list, m)
		}
	}
	return list
}
