package lists

import (
	"strconv"
	"time"

	"alcove/bucket/facts"
	"alcove/handlers/accounts"
	"alcove/record"
	"alcove/record/catalogue"
)

// Asked is what every list and search of items can ask for: in the query string of a list, in
// the body of a search.
type Asked struct {
	Paging
	SearchFor      *string `json:"search_for"`
	Order          *string `json:"order"`
	OrderDirection *string `json:"order_direction"`
	Institution    *int64  `json:"institution"`
	Group          *int64  `json:"group"`
	PublishedSince *string `json:"published_since"`
	ModifiedSince  *string `json:"modified_since"`
}

// ArticleSearch is what a list or search of articles or collections asks for.
type ArticleSearch struct {
	Asked
	ItemType    *int64  `json:"item_type"`
	ProjectID   *int64  `json:"project_id"`
	ResourceDOI *string `json:"resource_doi"`
	DOI         *string `json:"doi"`
	Handle      *string `json:"handle"`
}

// Filter is a checked ArticleSearch.
type Filter struct {
	ArticleSearch
	order                         string
	ascending                     bool
	publishedSince, modifiedSince time.Time
	doi, resourceDOI              string // bare
}

// newFilter merges what a query says into a body and checks it. The order is the usual one, or
// another that there is.
func newFilter(q Query, body ArticleSearch, usual string, known func(order string) bool) (*Filter, error) {
	f := &Filter{ArticleSearch: body, order: usual}
	if len(q) > 0 {
		if err := f.read(q); err != nil {
			return nil, err
		}
	}
	return f, f.check(known)
}

// texts sets what the body did not say to what the query says.
func (a *Asked) texts(q Query) {
	q.Text("search_for", &a.SearchFor)
	q.Text("order", &a.Order)
	q.Text("order_direction", &a.OrderDirection)
	q.Text("published_since", &a.PublishedSince)
	q.Text("modified_since", &a.ModifiedSince)
}

func (f *Filter) read(q Query) error {
	f.texts(q)
	q.Text("resource_doi", &f.ResourceDOI)
	q.Text("doi", &f.DOI)
	q.Text("handle", &f.Handle)
	for _, n := range [...]struct {
		name string
		to   **int64
	}{{"institution", &f.Institution}, {"group", &f.Group}, {"item_type", &f.ItemType}, {"project_id", &f.ProjectID}} {
		if err := q.Number(n.name, n.to); err != nil {
			return err
		}
	}
	return nil
}

func (f *Filter) check(known func(order string) bool) (err error) {
	if f.Order != nil && *f.Order != f.order {
		if f.order = *f.Order; !known(f.order) {
			return record.ErrBadOrder
		}
	}
	if f.ascending, err = direction(f.OrderDirection); err != nil {
		return err
	}
	if err := f.dates(&f.publishedSince, &f.modifiedSince); err != nil {
		return err
	}
	f.ItemType = currentType(f.ItemType)
	if f.DOI != nil {
		f.doi = record.BareDOI(*f.DOI)
	}
	if f.ResourceDOI != nil {
		f.resourceDOI = record.BareDOI(*f.ResourceDOI)
	}
	return nil
}

// direction reads an order_direction.
func direction(text *string) (ascending bool, err error) {
	if text == nil || *text == "desc" {
		return false, nil
	}
	if *text == "asc" {
		return true, nil
	}
	return false, record.Wrong("order_direction", "must be asc or desc")
}

// dates reads the dates of a filter, each a day or a time.
func (a *Asked) dates(published, modified *time.Time) error {
	for _, d := range [...]struct {
		name string
		text *string
		to   *time.Time
	}{{"published_since", a.PublishedSince, published}, {"modified_since", a.ModifiedSince, modified}} {
		if d.text == nil || *d.text == "" {
			continue
		}
		t, ok := record.Moment(*d.text)
		if !ok {
			return record.Wrong(d.name, "must be a date in the form YYYY-MM-DD")
		}
		*d.to = t
	}
	return nil
}

// currentType is the type that a withdrawn one has become, and any other as it is.
func currentType(id *int64) *int64 {
	if id != nil {
		if t, ok := catalogue.ItemTypeByID(*id); ok {
			return &t.ID
		}
	}
	return id
}

// byPublished reports whether the order is that of publication.
func (f *Filter) byPublished() bool { return f.order == "published_date" || f.order == "created_date" }

// ByCount reports whether the order is that of something counted.
func (f *Filter) ByCount() bool { return !f.byPublished() && f.order != "modified_date" }

// rank is what the order looks at: Unix seconds, or a count.
func (f *Filter) rank(have *facts.Facts) int64 {
	switch f.order {
	case "views":
		return have.Counts.Views
	case "shares":
		return have.Counts.Shares
	case "downloads":
		return have.Counts.Downloads
	case "cites":
		return have.Counts.Cites
	case "modified_date":
		return have.Modified.Unix()
	}
	return have.Published.Unix()
}

// since is the earliest time in the order that the filter lets pass, zero for none.
func (f *Filter) since() time.Time {
	switch {
	case f.byPublished():
		return f.publishedSince
	case f.ByCount():
		return time.Time{}
	}
	return f.modifiedSince
}

// over reports whether nothing behind an item in the order can pass: items are of the one
// institution, or of none.
func (f *Filter) over(have *facts.Facts) bool {
	if f.Institution != nil && *f.Institution != accounts.InstitutionID && *f.Institution != 0 {
		return true
	}
	since := f.since()
	return !f.ascending && !since.IsZero() && f.rank(have) < since.Unix()
}

// passes reports whether an item passes the filter, identifiers apart.
func (f *Filter) passes(have *facts.Facts) bool {
	return Is(f.Institution, have.Institution) && Is(f.Group, have.Group) && Is(f.ItemType, have.Type) && Is(f.ProjectID, have.Project) &&
		!have.Published.Before(f.publishedSince) && !have.Modified.Before(f.modifiedSince)
}

// identifies reports whether the filter asks for identifiers.
func (f *Filter) identifies() bool { return f.DOI != nil || f.ResourceDOI != nil || f.Handle != nil }

// names reports whether a version has the identifiers that the filter asks for.
func (f *Filter) names(m *record.Metadata, version int) bool {
	return (f.DOI == nil || f.namesDOI(record.BareDOI(m.DOI), int64(version))) &&
		(f.ResourceDOI == nil || record.BareDOI(m.ResourceDOI) == f.resourceDOI) &&
		(f.Handle == nil || record.BareHandle(m.Handle) == record.BareHandle(*f.Handle))
}

// namesDOI reports whether the filter asks for a bare DOI, or for that of one of so many versions.
func (f *Filter) namesDOI(doi string, versions int64) bool {
	if doi == f.doi {
		return true
	}
	item, version := splitDOI(f.doi)
	return doi == item && 0 < version && version <= versions
}

// versioned is the DOI of a version.
func versioned(doi string, version int64) string { return doi + ".v" + strconv.FormatInt(version, 10) }

// splitDOI parts a bare DOI from the version at its end, 0 for none.
func splitDOI(doi string) (item string, version int64) {
	item = record.ItemDOI(doi)
	if item != doi {
		version, _ = strconv.ParseInt(doi[len(item)+2:], 10, 64)
	}
	return item, version
}

// Is reports whether a number is the one that is wanted, or any is.
func Is(want *int64, have int64) bool { return want == nil || *want == have }

// compare orders positions as the filter asks; ties are by id.
func (f *Filter) compare(a, b Position) int { return compare(a, b, f.ascending) }
