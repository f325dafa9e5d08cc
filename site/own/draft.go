package own

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record/catalogue"
	"alcove/site"
)

// draft is what the form of an article says: what its working copy has, or what was written. It is turned
// into bodies of the API, which alone says what is right.
type draft struct {
	collection                               bool
	Title, Description, Type, License, Group string
	Tags, Grants, Categories                 []string // the last are ids
	Funding, MetadataReason                  string
	MetadataOnly, DownloadDisabled           bool
	Authors                                  []authorRow
	Related                                  []relatedRow
	Custom                                   []customRow
	FirstOnline, Publication, Acceptance     string // days
	ResourceTitle, ResourceDOI, DOI, Handle  string
	Embargo                                  embargoRow
}

type relatedRow struct {
	Place                             int
	Identifier, Type, Relation, Title string
	Linkout                           bool
	Error, Number                     string
}

type embargoRow struct {
	Kind, Until   string // the kind is "" for none
	Title, Reason string
	Options       []string // ids
	date          string   // as the item has it, with its time
	groups        map[string][]int64
}

// draftOf is the working copy of an article as its form shows it.
func draftOf(doc *present.ArticlePrivate) *draft {
	of, _ := catalogue.ItemTypeByID(doc.DefinedType)
	d := &draft{
		Title: site.Text(doc.Title), Description: unified(site.Text(doc.Description)), Type: of.Name, License: strconv.FormatInt(doc.License.Value, 10),
		Tags: lines(strings.Join(doc.Tags, "\n")), Funding: unified(site.Text(doc.Funding)), MetadataReason: site.Text(doc.MetadataReason),
		MetadataOnly: doc.IsMetadataRecord, DownloadDisabled: doc.DownloadDisabled,
		FirstOnline: dateOnly(site.Text(doc.Timeline.FirstOnline)), Publication: dateOnly(site.Text(doc.Timeline.PublisherPublication)), Acceptance: dateOnly(site.Text(doc.Timeline.PublisherAcceptance)),
		ResourceTitle: site.Text(doc.ResourceTitle), ResourceDOI: site.Text(doc.ResourceDOI), DOI: site.Text(doc.DOI), Handle: site.Text(doc.Handle),
	}
	if doc.GroupID != nil && *doc.GroupID != 0 {
		d.Group = strconv.FormatInt(*doc.GroupID, 10)
	}
	for _, g := range doc.FundingList {
		d.Grants = append(d.Grants, lines(g.Title)...)
	}
	for _, k := range doc.Categories {
		d.Categories = append(d.Categories, strconv.FormatInt(k.ID, 10))
	}
	for i := range doc.Authors {
		d.Authors = append(d.Authors, storedAuthor(i+1, &doc.Authors[i]))
	}
	for i, r := range doc.RelatedMaterials {
		d.Related = append(d.Related, relatedRow{Place: i + 1, Identifier: r.Identifier, Type: r.IdentifierType, Relation: r.Relation, Title: site.Text(r.Title), Linkout: r.IsLinkout})
	}
	d.Custom = customRows(doc.CustomFields)
	d.Embargo = embargoRow{Title: site.Text(doc.EmbargoTitle), Reason: site.Text(doc.EmbargoReason), groups: map[string][]int64{}}
	if doc.IsEmbargoed {
		d.Embargo.Kind, d.Embargo.date = site.Text(doc.EmbargoType), site.Text(doc.EmbargoDate)
		d.Embargo.Until = dateOnly(d.Embargo.date)
	}
	for _, o := range doc.EmbargoOptions {
		id := strconv.FormatInt(o.ID, 10)
		d.Embargo.Options, d.Embargo.groups[id] = append(d.Embargo.Options, id), o.GroupIDs
	}
	return d
}

// maxRows bounds the rows of a list in a form.
const maxRows = 10_000

// readDraft is what was written into the form of an article. Custom fields are those of is, the working copy.
func readDraft(c *endpoint.Call, is *draft) *draft {
	value := func(name string) string { return strings.TrimSpace(c.Field(name)) }
	d := &draft{
		collection: is.collection, Title: value("title"), Description: unified(c.Field("description")), Type: value("defined_type"), License: value("license"), Group: value("group_id"),
		Tags: lines(c.Field("tags")), Grants: lines(c.Field("funding_list")), Categories: slices.Clone(c.Fields("categories")),
		Funding: unified(c.Field("funding")), MetadataReason: value("metadata_reason"),
		MetadataOnly: value("is_metadata_record") != "", DownloadDisabled: value("download_disabled") != "",
		FirstOnline: value("first_online"), Publication: value("publication"), Acceptance: value("acceptance"),
		ResourceTitle: value("resource_title"), ResourceDOI: value("resource_doi"), DOI: value("doi"), Handle: value("handle"),
		Embargo: embargoRow{
			Kind: value("embargo_type"), Until: value("embargo_date"), Title: value("embargo_title"), Reason: value("embargo_reason"),
			Options: slices.Clone(c.Fields("embargo_options")), date: is.Embargo.date, groups: is.Embargo.groups,
		},
	}
	if d.Group == "" {
		d.Group = is.Group
	}
	d.Authors = readAuthors(c, is.Authors)
	for i := range maxRows {
		at := func(part string) string { return strings.TrimSpace(c.Field(fmt.Sprintf("related.%d.%s", i, part))) }
		if !c.Written(fmt.Sprintf("related.%d.identifier", i)) {
			break
		}
		row := relatedRow{Place: place(at("place"), i), Identifier: at("identifier"), Type: at("type"), Relation: at("relation"), Title: at("title"), Linkout: at("linkout") != ""}
		if row.Identifier != "" || row.Title != "" {
			d.Related = append(d.Related, row)
		}
	}
	sort.SliceStable(d.Related, func(i, j int) bool { return d.Related[i].Place < d.Related[j].Place })
	d.Custom = readRows(c, is.Custom)
	return d
}

func place(text string, i int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return i + 1
}

// unified is a text with the ends of lines that a browser does not send.
func unified(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// lines are those of a text that are not blank.
func lines(text string) (list []string) {
	for line := range strings.SplitSeq(unified(text), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

func dateOnly(date string) string {
	if len(date) > len("2006-01-02") {
		return date[:len("2006-01-02")]
	}
	return date
}

// numeric is an id as the API takes it. Any other text goes on as it is, to be refused there.
func numeric(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return text
}

func numbers(list []string) []any {
	out := []any{}
	for _, text := range list {
		out = append(out, numeric(text))
	}
	return out
}

// Keys of a draft that are bodies of their own in the API.
const (
	keyAuthors  = "authors"
	keyEmbargo  = "embargo"
	keyResource = "resource"
)

// keys is the draft in the words of the API: the keys of the body of an article, and the bodies of its
// authors, embargo and publication. Some keys only administrators may send.
func (d *draft) keys(admin bool) map[string]any {
	keys := map[string]any{
		"title": d.Title, "description": d.Description, "defined_type": d.Type, "license": numeric(d.License), "tags": slices.Concat([]string{}, d.Tags),
		"funding": d.Funding, "categories": numbers(d.Categories), "is_metadata_record": d.MetadataOnly, "metadata_reason": d.MetadataReason,
		"download_disabled": d.DownloadDisabled,
		"timeline":          map[string]any{"firstOnline": d.FirstOnline, "publisherPublication": d.Publication, "publisherAcceptance": d.Acceptance},
	}
	if d.Group != "" {
		keys["group_id"] = numeric(d.Group)
	}
	if admin {
		keys["resource_title"], keys["resource_doi"], keys["doi"], keys["handle"] = d.ResourceTitle, d.ResourceDOI, d.DOI, d.Handle
	} else {
		keys[keyResource] = map[string]any{"title": d.ResourceTitle, "doi": d.ResourceDOI}
	}
	grants, authors, related := []any{}, []any{}, []any{}
	for _, g := range d.Grants {
		grants = append(grants, map[string]any{"title": g})
	}
	for i := range d.Authors {
		authors = append(authors, d.Authors[i].reference())
	}
	for i := range d.Related {
		related = append(related, d.Related[i].material())
	}
	keys["funding_list"], keys[keyAuthors], keys["related_materials"] = grants, map[string]any{"authors": authors}, related
	keys[keyFields], keys[keyEmbargo] = fieldBodies(d.Custom), d.Embargo.body()
	if d.collection {
		for _, key := range []string{"defined_type", "license", "funding", "is_metadata_record", "metadata_reason", "download_disabled", keyEmbargo, keyResource, "resource_title", "resource_doi"} {
			delete(keys, key)
		}
	}
	return keys
}

func (r *relatedRow) material() map[string]any {
	return map[string]any{"identifier": r.Identifier, "identifier_type": r.Type, "relation": r.Relation, "title": r.Title, "is_linkout": r.Linkout}
}

func (e *embargoRow) body() map[string]any {
	if e.Kind == "" {
		return map[string]any{"is_embargoed": false}
	}
	date := e.Until
	switch date {
	case "":
		date = "0" // for ever
	case dateOnly(e.date):
		date = e.date
	}
	options := []any{}
	if e.Kind == "file" {
		for _, id := range slices.Sorted(slices.Values(e.Options)) {
			options = append(options, map[string]any{"id": numeric(id), "group_ids": slices.Concat([]int64{}, e.groups[id])})
		}
	}
	return map[string]any{"is_embargoed": true, "embargo_type": e.Kind, "embargo_date": date, "embargo_title": e.Title, "embargo_reason": e.Reason, "embargo_options": options}
}
