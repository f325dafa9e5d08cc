package described

import (
	"alcove/formats"
	"alcove/handlers/present"
	"alcove/record"
)

// Works returns the publication, the related materials and the references of an item as others name them. A work that
// has several identifiers of the same meaning stands there once in a relation. The relation References says the
// least: it is left out where the work has another one.
func Works(doc *present.ArticleComplete) []formats.Related {
	l := works{at: map[record.Work][]int{}}
	l.add(text(doc.ResourceDOI), "DOI", "IsSupplementTo", text(doc.ResourceTitle))
	for _, r := range doc.RelatedMaterials {
		l.add(r.Identifier, r.IdentifierType, r.Relation, text(r.Title))
	}
	for _, r := range doc.References {
		l.add(r, record.DefaultIdentifierType, record.DefaultRelation, "")
	}
	return l.list
}

// works is a list of related works, with the places at which each work stands.
type works struct {
	list []formats.Related
	at   map[record.Work][]int
}

func (l *works) add(identifier, kind, relation, title string) {
	w := record.ReadWork(identifier, kind)
	if w.Value == "" {
		return
	}
	title = oneLine(title)
	for _, i := range l.at[w] {
		switch known := &l.list[i]; {
		case known.Relation == record.DefaultRelation:
			known.Relation = relation
			fallthrough
		case known.Relation == relation, relation == record.DefaultRelation:
			if known.Title == "" {
				known.Title = title
			}
			return
		}
	}
	l.at[w] = append(l.at[w], len(l.list))
	l.list = append(l.list, formats.Related{Identifier: w.Value, Type: w.Type, Relation: relation, Title: title, URL: w.URL})
}
