package formats

// schemaOrgRelations are the properties of schema.org for the relations of DataCite; one without any is
// "mentions". The other end of sameAs is an address.
var schemaOrgRelations = map[string]string{
	"Cites": "citation", "References": "citation",
	"IsDerivedFrom": "isBasedOn", "IsNewVersionOf": "isBasedOn", "IsVariantFormOf": "isBasedOn",
	"IsIdenticalTo": "sameAs",
	"IsPartOf":      "isPartOf", "IsPublishedIn": "isPartOf", "IsCollectedBy": "isPartOf",
	"HasPart": "hasPart", "Collects": "hasPart",
	"IsVersionOf": "exampleOfWork", "HasVersion": "workExample",
	"IsTranslationOf": "translationOfWork", "HasTranslation": "workTranslation",
	"IsCitedBy": "subjectOf", "IsReferencedBy": "subjectOf", "IsSupplementTo": "subjectOf", "IsDocumentedBy": "subjectOf",
	"IsDescribedBy": "subjectOf", "IsReviewedBy": "subjectOf",
}

// schemaOrgRelated puts the references and related works into a description, each once by a property.
func (it *Item) schemaOrgRelated(into map[string]any) {
	seen := map[string]bool{}
	for _, r := range it.works() {
		property := schemaOrgRelations[r.Relation]
		if property == "" {
			property = "mentions"
		}
		address := r.address()
		key := property + " " + address
		if address == "" {
			key += r.Identifier
		}
		if seen[key] || property == "sameAs" && address == "" {
			continue
		}
		seen[key] = true
		if property == "sameAs" {
			same, _ := into[property].([]string)
			into[property] = append(same, address)
			continue
		}
		name := r.Title
		if name == "" && address == "" {
			name = r.Identifier
		}
		works, _ := into[property].([]map[string]any)
		into[property] = append(works, filled(map[string]any{"@type": "CreativeWork", "@id": address, "url": address, "name": name}))
	}
}

// address is where the work is, empty where that is not known.
func (r Related) address() string {
	if r.Type == "DOI" {
		return "https://doi.org/" + inPath.Replace(r.Identifier)
	}
	if r.URL != "" {
		return r.URL
	}
	return web(r.Identifier)
}
