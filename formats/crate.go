package formats

import "strconv"

// crate is the metadata document of a detached RO-Crate 1.2: each thing is an entity of its own, and its files
// stay where they are.
func crate(it *Item) string {
	root := it.where()
	if root == "" {
		root = "./"
	}
	graph := []map[string]any{}
	known := map[string]bool{"": true, root: true}
	add := func(id string, o map[string]any) map[string]any {
		if !known[id] {
			known[id] = true
			o["@id"] = id
			graph = append(graph, filled(o))
		}
		return map[string]any{"@id": id}
	}
	authors, files, about, grants := []map[string]any{}, []map[string]any{}, []map[string]any{}, []map[string]any{}
	for i, a := range it.Authors {
		id := a.orcidURL()
		if id == "" {
			id = "#author-" + strconv.Itoa(i+1)
		}
		o := schemaOrgAuthor(a)
		delete(o, "sameAs")
		authors = append(authors, add(id, o))
	}
	for _, f := range it.Files {
		if f.URL != "" && !known[f.URL] {
			o := map[string]any{"@type": "File", "name": f.Name, "encodingFormat": f.MIME, "contentSize": strconv.FormatInt(f.Size, 10)}
			if f.MD5 != "" {
				o["identifier"] = add("#md5-"+inPath.Replace(f.MD5), map[string]any{"@type": "PropertyValue", "propertyID": "MD5", "value": f.MD5})
			}
			files = append(files, add(f.URL, o))
		}
	}
	for i, c := range it.Categories {
		about = append(about, add("#subject-"+strconv.Itoa(i+1), map[string]any{"@type": "DefinedTerm", "name": c.Title, "termCode": c.Code}))
	}
	for i, g := range it.Grants {
		grants = append(grants, add("#grant-"+strconv.Itoa(i+1), map[string]any{"@type": "Grant", "name": g.Title, "identifier": g.Code, "url": g.URL}))
	}
	description, published, version := it.abstract(), day(it.Published), ""
	if description == "" {
		description = it.Title
	}
	if published == "" {
		published = day(it.Modified)
	}
	if it.Version > 0 {
		version = strconv.Itoa(it.Version)
	}
	o := map[string]any{
		"@id": root, "@type": "Dataset", "name": it.Title, "description": description, "datePublished": published, "dateModified": day(it.Modified),
		"keywords": it.Keywords, "author": authors, "hasPart": files, "about": about, "funding": grants, "version": version, "url": it.URL,
		"cite-as": it.where(),
	}
	if address := it.licenseAddress(); address != "" {
		o["license"] = add(address, map[string]any{"@type": "CreativeWork", "name": it.License, "url": it.LicenseURL})
	} else if it.License != "" {
		o["license"] = add("#license", map[string]any{"@type": "CreativeWork", "name": it.License})
	}
	if it.Publisher != "" {
		id := it.Site
		if id == "" {
			id = "#publisher"
		}
		o["publisher"] = add(id, map[string]any{"@type": "Organization", "name": it.Publisher, "url": it.Site})
	}
	if it.DOI != "" {
		o["identifier"] = add("#doi", map[string]any{"@type": "PropertyValue", "propertyID": "https://registry.identifiers.org/registry/doi", "value": "doi:" + it.DOI, "url": it.doiURL()})
	}
	descriptor := map[string]any{"@id": "ro-crate-metadata.json", "@type": "CreativeWork", "about": map[string]any{"@id": root}, "conformsTo": map[string]any{"@id": roCrate + "/1.2"}}
	return object(map[string]any{"@context": roCrate + "/1.2/context", "@graph": append([]map[string]any{descriptor, filled(o)}, graph...)})
}
