package formats

import (
	"cmp"
	"strconv"
)

// dcat is a dcat:Dataset in RDF/XML, with what DCAT 3 says of licences, access and versions, and PROV of
// where it comes from.
func dcat(it *Item) string {
	m := &markup{}
	m.open("rdf:RDF", "xmlns:rdf", rdfNS, "xmlns:dcat", "http://www.w3.org/ns/dcat#", "xmlns:dct", "http://purl.org/dc/terms/",
		"xmlns:foaf", "http://xmlns.com/foaf/0.1/", "xmlns:prov", "http://www.w3.org/ns/prov#", "xmlns:skos", "http://www.w3.org/2004/02/skos/core#",
		"xmlns:spdx", "http://spdx.org/rdf/terms#")
	m.open("dcat:Dataset", "rdf:about", it.where())
	m.leaf("dct:title", it.Title)
	m.leaf("dct:description", it.abstract())
	m.leaf("dct:identifier", it.where())
	m.leaf("dct:type", capital(it.typeName()))
	m.leaf("dct:issued", day(it.Published), "rdf:datatype", xsd+"date")
	m.leaf("dct:modified", day(it.Modified), "rdf:datatype", xsd+"date")
	if it.Version > 0 {
		m.leaf("dcat:version", strconv.Itoa(it.Version))
	}
	for _, a := range it.Authors {
		m.open("dct:creator")
		class := "foaf:Person"
		switch {
		case a.Organisation:
			class = "foaf:Organization"
		case a.Guessed:
			class = "foaf:Agent"
		}
		m.open(class, "rdf:about", cmp.Or(a.orcidURL(), a.ROR))
		m.leaf("foaf:name", a.direct(a.Given))
		m.leaf("foaf:familyName", a.Family)
		if a.Family != "" {
			m.leaf("foaf:givenName", a.Given)
		}
		m.end(class)
		m.end("dct:creator")
	}
	if it.Publisher != "" {
		m.open("dct:publisher")
		m.open("foaf:Organization")
		m.leaf("foaf:name", it.Publisher)
		m.end("foaf:Organization")
		m.end("dct:publisher")
	}
	for _, k := range it.Keywords {
		m.leaf("dcat:keyword", k)
	}
	for _, c := range it.Categories {
		m.open("dcat:theme")
		m.open("skos:Concept")
		m.leaf("skos:prefLabel", c.Title)
		m.leaf("skos:notation", c.Code)
		m.end("skos:Concept")
		m.end("dcat:theme")
	}
	m.empty("dct:license", "rdf:resource", it.LicenseURL)
	m.empty("dct:accessRights", "rdf:resource", it.coar())
	m.empty("dcat:landingPage", "rdf:resource", it.URL)
	for _, r := range it.relations() {
		property := map[string]string{"IsVersionOf": "dcat:isVersionOf", "IsDerivedFrom": "prov:wasDerivedFrom", "References": "dct:references", "IsPartOf": "dct:isPartOf"}[r.Relation]
		if property == "" {
			property = "dct:relation"
		}
		m.empty(property, "rdf:resource", r.address())
	}
	for _, f := range it.Files {
		if f.URL == "" {
			continue
		}
		m.open("dcat:distribution")
		m.open("dcat:Distribution", "rdf:about", f.URL)
		m.leaf("dct:title", f.Name)
		m.empty("dcat:accessURL", "rdf:resource", it.URL)
		m.empty("dcat:downloadURL", "rdf:resource", f.URL)
		m.leaf("dcat:byteSize", strconv.FormatInt(f.Size, 10), "rdf:datatype", xsd+"nonNegativeInteger")
		if f.MIME != "" {
			m.empty("dcat:mediaType", "rdf:resource", "https://www.iana.org/assignments/media-types/"+inPath.Replace(f.MIME))
		}
		if f.MD5 != "" {
			m.open("spdx:checksum")
			m.open("spdx:Checksum")
			m.empty("spdx:algorithm", "rdf:resource", "http://spdx.org/rdf/terms#checksumAlgorithm_md5")
			m.leaf("spdx:checksumValue", f.MD5, "rdf:datatype", xsd+"hexBinary")
			m.end("spdx:Checksum")
			m.end("spdx:checksum")
		}
		m.end("dcat:Distribution")
		m.end("dcat:distribution")
	}
	m.end("dcat:Dataset")
	m.end("rdf:RDF")
	return m.b.String()
}

const xsd = "http://www.w3.org/2001/XMLSchema#"
