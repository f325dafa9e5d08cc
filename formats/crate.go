package formats

import (
	"cmp"
	"fmt"
	"strconv"
)

// crateGraph are the entities of an RO-Crate: each thing is one of its own, and is referred to by its id.
type crateGraph struct {
	known    map[string]bool
	entities []map[string]any
}

func newCrateGraph(root string) *crateGraph {
	return &crateGraph{known: map[string]bool{"": true, root: true}}
}

// add adds an entity, unless its id is known, and is a reference to it.
func (g *crateGraph) add(id string, o map[string]any) map[string]any {
	if !g.known[id] {
		g.known[id] = true
		o["@id"] = id
		g.entities = append(g.entities, filled(o))
	}
	return crateRef(id)
}

func crateRef(id string) map[string]any { return map[string]any{"@id": id} }

// crateDescriptor is the entity of the document itself.
func crateDescriptor(root string) map[string]any {
	return map[string]any{"@id": CrateName, "@type": "CreativeWork", "about": crateRef(root), "conformsTo": crateRef(roCrate + "/1.2")}
}

// CrateName is the name of the metadata document in the folder of an RO-Crate.
const CrateName = "ro-crate-metadata.json"

// crate is the metadata document of a detached RO-Crate 1.2: its files stay where they are.
func crate(it *Item) string {
	root := it.where()
	if root == "" {
		root = "./"
	}
	g := newCrateGraph(root)
	o := g.root(it, root, func() (files []map[string]any) {
		for _, f := range it.Files {
			if f.URL != "" && !g.known[f.URL] {
				o := map[string]any{"@type": "File", "name": f.Name, "encodingFormat": f.MIME, "contentSize": strconv.FormatInt(f.Size, 10)}
				if f.MD5 != "" {
					o["identifier"] = g.add("#md5-"+inPath.Replace(f.MD5), map[string]any{"@type": "PropertyValue", "propertyID": "MD5", "value": f.MD5})
				}
				files = append(files, g.add(f.URL, o))
			}
		}
		return files
	})
	return object(map[string]any{"@context": roCrate + "/1.2/context", "@graph": append([]map[string]any{crateDescriptor(root), o}, g.entities...)})
}

// root is the root entity. It adds all that it refers to, and what parts adds, to which it refers as its parts.
func (g *crateGraph) root(it *Item, root string, parts func() []map[string]any) map[string]any {
	authors, about, grants := []map[string]any{}, []map[string]any{}, []map[string]any{}
	for i, a := range it.Authors {
		id := cmp.Or(a.orcidURL(), a.ROR, "#author-"+strconv.Itoa(i+1))
		o, of := schemaOrgAuthor(a), []map[string]any{}
		delete(o, "sameAs")
		for n, f := range a.Affiliations {
			name := cmp.Or(f.ROR, fmt.Sprintf("#affiliation-%d-%d", i+1, n+1))
			of = append(of, g.add(name, map[string]any{"@type": "Organization", "name": f.Name}))
		}
		o["affiliation"] = of
		authors = append(authors, g.add(id, o))
	}
	files := parts()
	for i, c := range it.Categories {
		about = append(about, g.add("#subject-"+strconv.Itoa(i+1), map[string]any{"@type": "DefinedTerm", "name": c.Title, "termCode": c.Code}))
	}
	for i, paid := range it.Grants {
		grants = append(grants, g.add("#grant-"+strconv.Itoa(i+1), map[string]any{"@type": "Grant", "name": paid.Title, "identifier": paid.Code, "url": paid.URL}))
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
		o["license"] = g.add(address, map[string]any{"@type": "CreativeWork", "name": it.License, "url": it.LicenseURL})
	} else if it.License != "" {
		o["license"] = g.add("#license", map[string]any{"@type": "CreativeWork", "name": it.License})
	}
	if it.Publisher != "" {
		id := it.Site
		if id == "" {
			id = "#publisher"
		}
		o["publisher"] = g.add(id, map[string]any{"@type": "Organization", "name": it.Publisher, "url": it.Site})
	}
	for i, r := range it.works() {
		property := schemaOrgRelations[r.Relation]
		if property == "" || property == "hasPart" { // the parts of a crate are its files
			property = "mentions"
		}
		id := r.address()
		if id == "" {
			id = "#work-" + strconv.Itoa(i+1)
		}
		list, _ := o[property].([]map[string]any)
		o[property] = append(list, g.add(id, map[string]any{"@type": "CreativeWork", "name": cmp.Or(r.Title, r.Identifier), "url": r.address()}))
	}
	if it.DOI != "" {
		o["identifier"] = g.add("#doi", map[string]any{"@type": "PropertyValue", "propertyID": "https://registry.identifiers.org/registry/doi", "value": "doi:" + it.DOI, "url": it.doiURL()})
	}
	return filled(o)
}
