package formats

import "strconv"

// croissantTerms are the terms of Croissant 1.1. schema.org has an address with https in them, which is what
// its validator takes.
func croissantTerms() map[string]any {
	terms := map[string]any{
		"@language": "en", "@vocab": "https://schema.org/", "sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/",
		"rai": "http://mlcommons.org/croissant/RAI/", "dct": "http://purl.org/dc/terms/", "conformsTo": "dct:conformsTo",
		"data": map[string]any{"@id": "cr:data", "@type": "@json"}, "examples": map[string]any{"@id": "cr:examples", "@type": "@json"},
		"dataType": map[string]any{"@id": "cr:dataType", "@type": "@vocab"},
	}
	for _, name := range []string{
		"arrayShape", "citeAs", "column", "extract", "field", "fileObject", "fileProperty", "fileSet", "format", "includes", "isArray",
		"isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated", "replace",
		"samplingRate", "separator", "source", "subField", "transform",
	} {
		terms[name] = "cr:" + name
	}
	return terms
}

// croissant names the files that have a checksum, which the format asks for, and does not say what is in them.
func croissant(it *Item) string {
	creators := []map[string]any{}
	for _, a := range it.Authors {
		creators = append(creators, schemaOrgCreator(a))
	}
	files := []map[string]any{}
	for _, f := range it.Files {
		if f.URL == "" || f.MD5 == "" {
			continue
		}
		mime := f.MIME
		if mime == "" {
			mime = "application/octet-stream"
		}
		files = append(files, map[string]any{
			"@type": "cr:FileObject", "@id": "file-" + strconv.Itoa(len(files)+1), "name": f.Name, "contentUrl": f.URL,
			"contentSize": strconv.FormatInt(f.Size, 10) + " B", "encodingFormat": mime, "md5": f.MD5,
		})
	}
	var publisher map[string]any
	if it.Publisher != "" {
		publisher = map[string]any{"@type": "sc:Organization", "name": it.Publisher}
	}
	about := it.abstract()
	if about == "" {
		about = it.Title
	}
	license, version := it.licenseAddress(), ""
	if license == "" {
		license = it.License
	}
	if it.Version > 0 {
		version = strconv.Itoa(it.Version) + ".0.0"
	}
	address := it.URL
	if address == "" {
		address = it.where()
	}
	return object(map[string]any{
		"@context": croissantTerms(), "@type": "sc:Dataset", "conformsTo": croissant1, "name": it.Title, "description": about,
		"license": license, "url": address, "sameAs": it.doiURL(), "creator": creators, "publisher": publisher, "keywords": it.Keywords,
		"datePublished": day(it.Published), "dateModified": day(it.Modified), "version": version, "citeAs": bibtex(it), "distribution": files,
	})
}
