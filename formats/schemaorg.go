package formats

import "strconv"

// schemaOrg is JSON-LD as search engines for data sets read it.
func schemaOrg(it *Item) string {
	creators := []map[string]any{}
	for _, a := range it.Authors {
		creators = append(creators, schemaOrgCreator(a))
	}
	k := it.kind()
	files := []map[string]any{}
	media, property := "MediaObject", "associatedMedia"
	if k.schema == "Dataset" {
		media, property = "DataDownload", "distribution"
	}
	for _, f := range it.Files {
		if f.URL == "" {
			continue
		}
		o := filled(map[string]any{"@type": media, "name": f.Name, "contentUrl": f.URL, "encodingFormat": f.MIME,
			"contentSize": strconv.FormatInt(f.Size, 10) + " B"})
		if f.MD5 != "" {
			o["identifier"] = map[string]any{"@type": "PropertyValue", "propertyID": "MD5", "value": f.MD5}
		}
		files = append(files, o)
	}
	var publisher map[string]any
	if it.Publisher != "" {
		publisher = map[string]any{"@type": "Organization", "name": it.Publisher}
	}
	grants := []map[string]any{}
	for _, g := range it.Grants {
		grants = append(grants, filled(map[string]any{"@type": "Grant", "name": g.Title, "identifier": g.Code, "url": g.URL}))
	}
	subjects := []string{}
	for _, c := range it.Categories {
		subjects = append(subjects, c.Title)
	}
	var identifier any = it.where()
	if it.DOI != "" {
		identifier = map[string]any{"@type": "PropertyValue", "propertyID": "https://registry.identifiers.org/registry/doi", "value": "doi:" + it.DOI, "url": it.doiURL()}
	}
	var within map[string]any
	if it.Site != "" {
		within = filled(map[string]any{"@type": "DataCatalog", "name": it.Publisher, "url": it.Site})
	}
	version := ""
	if it.Version > 0 {
		version = strconv.Itoa(it.Version)
	}
	license := it.LicenseURL
	if license == "" {
		license = it.License
	}
	o := map[string]any{
		"@context": "https://schema.org", "@type": k.schema, "@id": it.where(), "identifier": identifier, "url": it.URL,
		"name": it.Title, "description": it.abstract(), "creator": creators, "publisher": publisher,
		"datePublished": day(it.Published), "dateModified": day(it.Modified), "version": version, "license": license,
		"keywords": it.Keywords, "about": subjects, "funding": grants,
		"image": it.Image, "isAccessibleForFree": it.Access == Open || it.Access == MetadataOnly, "conditionsOfAccess": it.coar(),
		"includedInDataCatalog": within, property: files,
	}
	it.schemaOrgRelated(o)
	return object(o)
}

// schemaOrgCreator is an author with its affiliations inside.
func schemaOrgCreator(a Author) map[string]any {
	o, of := schemaOrgAuthor(a), []map[string]any{}
	for _, f := range a.Affiliations {
		of = append(of, filled(map[string]any{"@type": "Organization", "@id": f.ROR, "name": f.Name}))
	}
	o["affiliation"] = of
	return filled(o)
}

// schemaOrgAuthor is a Person or an Organization. It has no affiliations: an RO-Crate refers to them.
func schemaOrgAuthor(a Author) map[string]any {
	if a.Organisation {
		o := map[string]any{"@type": "Organization", "name": a.Full}
		if a.ROR != "" {
			o["@id"], o["sameAs"] = a.ROR, a.ROR
		}
		return o
	}
	o := map[string]any{"@type": "Person", "name": a.direct(a.Given), "familyName": a.Family, "givenName": "", "honorificSuffix": a.Suffix}
	if a.Family != "" {
		o["givenName"] = a.Given
	}
	if a.ORCID != "" {
		o["@id"], o["sameAs"] = "https://orcid.org/"+inPath.Replace(a.ORCID), "https://orcid.org/"+inPath.Replace(a.ORCID)
	}
	return filled(o)
}
