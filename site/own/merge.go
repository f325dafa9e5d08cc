package own

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"alcove/record/catalogue"
	"alcove/site"
)

// changed are the keys of a draft that differ from another.
func changed(is, was map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range is {
		if !reflect.DeepEqual(value, was[key]) {
			out[key] = value
		}
	}
	return out
}

// sums are short sums of what a form was made of, by key: when it comes back they tell what was written in it.
func sums(keys map[string]any) string {
	q := url.Values{}
	for key, value := range keys {
		q.Set(key, site.Sum(value))
	}
	return q.Encode()
}

// merge brings what was saved since the form was made into a draft where nothing else was written, and
// returns the keys in which both were changed, sorted.
func (d *draft) merge(now *draft, made string, admin bool) (both []string) {
	was, err := url.ParseQuery(made)
	if err != nil {
		was = nil
	}
	mine, theirs := d.keys(admin), now.keys(admin)
	for key := range maps.Keys(changed(mine, theirs)) {
		switch was.Get(key) {
		case site.Sum(mine[key]):
			d.take(key, now)
		case site.Sum(theirs[key]): // only here
		default:
			both = append(both, key)
		}
	}
	slices.Sort(both)
	return both
}

// take makes what a key says that of another draft.
func (d *draft) take(key string, from *draft) {
	switch key {
	case "title":
		d.Title = from.Title
	case "description":
		d.Description = from.Description
	case "defined_type":
		d.Type = from.Type
	case "license":
		d.License = from.License
	case "tags":
		d.Tags = from.Tags
	case "funding":
		d.Funding = from.Funding
	case "funding_list":
		d.Grants = from.Grants
	case "categories":
		d.Categories = from.Categories
	case "is_metadata_record":
		d.MetadataOnly = from.MetadataOnly
	case "metadata_reason":
		d.MetadataReason = from.MetadataReason
	case "download_disabled":
		d.DownloadDisabled = from.DownloadDisabled
	case "timeline":
		d.FirstOnline, d.Publication, d.Acceptance = from.FirstOnline, from.Publication, from.Acceptance
	case "group_id":
		d.Group = from.Group
	case "resource_title":
		d.ResourceTitle = from.ResourceTitle
	case "resource_doi":
		d.ResourceDOI = from.ResourceDOI
	case keyResource:
		d.ResourceTitle, d.ResourceDOI = from.ResourceTitle, from.ResourceDOI
	case "doi":
		d.DOI = from.DOI
	case "handle":
		d.Handle = from.Handle
	case keyAuthors:
		d.Authors = from.Authors
	case "related_materials":
		d.Related = from.Related
	case keyFields:
		d.Custom = from.Custom
	case keyEmbargo:
		d.Embargo = from.Embargo
	}
}

// says is what a key says, in a line for people.
func (d *draft) says(key string) string {
	var list []string
	switch key {
	case "categories":
		for _, id := range d.Categories {
			n, _ := strconv.ParseInt(id, 10, 64)
			if k, ok := catalogue.CategoryByID(n); ok {
				list = append(list, k.Title)
			}
		}
	case "license":
		n, _ := strconv.ParseInt(d.License, 10, 64)
		l, _ := catalogue.LicenseByValue(n)
		list = append(list, l.Name)
	case "tags":
		list = d.Tags
	case "funding_list":
		list = d.Grants
	case keyAuthors:
		for _, a := range d.Authors {
			list = append(list, strings.TrimSpace(a.shown()+" "+a.ORCID))
		}
	case "related_materials":
		for _, r := range d.Related {
			list = append(list, r.Identifier)
		}
	case keyFields:
		for _, f := range d.Custom {
			if len(f.Values) > 0 {
				list = append(list, f.Name+": "+strings.Join(f.Values, ", "))
			}
		}
	case keyEmbargo:
		list = append(list, strings.TrimSpace(d.Embargo.Kind+" "+d.Embargo.Until))
	case "timeline":
		list = append(list, strings.Join(strings.Fields(d.FirstOnline+" "+d.Publication+" "+d.Acceptance), ", "))
	case keyResource:
		list = append(list, strings.TrimSpace(d.ResourceTitle+" "+d.ResourceDOI))
	default:
		list = append(list, fmt.Sprint(d.keys(true)[key]))
	}
	return strings.Join(list, "; ")
}
