package formats

import "cmp"

// dublinCore is the simple Dublin Core that every OAI-PMH repository has. The item stands first among its
// identifiers as the DOI alone, as harvesters of this kind of repository know it.
func dublinCore(it *Item) string {
	m := &markup{}
	m.open("oai_dc:dc", "xmlns:oai_dc", oaiNS, "xmlns:dc", "http://purl.org/dc/elements/1.1/", "xmlns:xsi", xsiNS, "xsi:schemaLocation", oaiNS+" "+oaiSchema)
	m.leaf("dc:identifier", it.DOI)
	for _, address := range []string{it.doiURL(), it.handleURL(), it.URL} {
		m.leaf("dc:identifier", address)
	}
	m.leaf("dc:title", it.Title)
	for _, a := range it.Authors {
		m.leaf("dc:creator", a.entry())
	}
	for _, c := range it.Categories {
		m.leaf("dc:subject", c.Title)
	}
	for _, k := range it.Keywords {
		m.leaf("dc:subject", k)
	}
	m.leaf("dc:description", it.Description)
	m.leaf("dc:publisher", it.Publisher)
	m.leaf("dc:date", day(it.Published))
	if it.Access == Embargoed {
		if end := day(it.EmbargoEnd); end != "" {
			m.leaf("dc:date", "info:eu-repo/date/embargoEnd/"+end)
		}
	}
	m.leaf("dc:type", capital(it.typeName()))
	for _, t := range it.mediaTypes() {
		m.leaf("dc:format", t)
	}
	for _, r := range it.works() {
		m.leaf("dc:relation", cmp.Or(r.address(), r.Identifier))
	}
	m.leaf("dc:rights", "info:eu-repo/semantics/"+[...]string{"openAccess", "embargoedAccess", "restrictedAccess", "closedAccess"}[it.Access])
	m.leaf("dc:rights", it.License)
	m.leaf("dc:rights", it.LicenseURL)
	m.end("oai_dc:dc")
	return m.b.String()
}

// handleURL is the address of the handle, empty without one.
func (it *Item) handleURL() string {
	if it.Handle == "" {
		return ""
	}
	return "https://hdl.handle.net/" + inPath.Replace(it.Handle)
}
