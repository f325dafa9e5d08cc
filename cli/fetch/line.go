package fetch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"alcove/record"
	"alcove/record/catalogue"
)

// key is a key of a line with its value.
type key struct {
	name  string
	value any
}

// object is a JSON object whose keys stand in an order, so that the same item makes the same line.
type object []key

func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, k := range o {
		if i > 0 {
			b = append(b, ',')
		}
		value, err := encode(k.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(append(b, '"'), k.name...), '"', ':'), value...)
	}
	return append(b, '}'), nil
}

// encode is json.Marshal without the escapes of HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Line is the item as a line of "alcove import", whose files have the paths that path gives them: the newest version, and
// of each version what is other than in that. It is the same as long as the item is.
func (it *Item) Line(path func(File) string) ([]byte, error) {
	latest := it.Latest()
	line := object{{"kind", it.Kind()}, {"key", it.Origin}, {"origin", it.Origin}}
	doi := it.doi()
	if doi != "" {
		line = append(line, key{"doi", doi})
	}
	if latest.Handle != "" {
		line = append(line, key{"handle", latest.Handle})
	}
	if latest.MetadataRecord {
		line = append(line, key{"is_metadata_record", true})
	}
	now, hidden := it.body(latest, path), embargo(latest)
	line = append(line, now...)
	if latest.Embargoed {
		line = append(line, hidden...)
	}
	if it.Collection {
		line = append(line, key{"articles", it.memberNames()})
	}
	said := map[string][]byte{}
	for _, k := range append(now, key{"embargo", hidden}) {
		text, err := encode(k.value)
		if err != nil {
			return nil, err
		}
		said[k.name] = text
	}
	var versions []object
	for i := range it.Versions {
		v, err := it.differences(&it.Versions[i], doi, said, path)
		if err != nil {
			return nil, err
		}
		versions = append(versions, v)
	}
	line = append(line, key{"publish", true}, key{"versions", versions})
	text, err := encode(line)
	if err != nil {
		return nil, fmt.Errorf("cannot write the item: %w", err)
	}
	return append(text, '\n'), nil
}

// DraftLine is an item that was never public as such a line: its only version is its working copy, of which only is said what
// has a value. It is not published.
func (it *Item) DraftLine(path func(File) string) ([]byte, error) {
	draft := it.Latest()
	line := object{{"kind", it.Kind()}, {"key", it.Origin}}
	if draft.MetadataRecord {
		line = append(line, key{"is_metadata_record", true})
	}
	for _, k := range it.body(draft, path) {
		if k.value != "" && k.value != int64(0) && k.value != false {
			line = append(line, k)
		}
	}
	if draft.Embargoed {
		line = append(line, embargo(draft)...)
	}
	if it.Collection {
		line = append(line, key{"articles", it.memberNames()})
	}
	text, err := encode(line)
	if err != nil {
		return nil, fmt.Errorf("cannot write the draft: %w", err)
	}
	return append(text, '\n'), nil
}

// differences are a version as it stands in the line: its number, dates and DOI, and what is not as said.
func (it *Item) differences(v *Version, doi string, said map[string][]byte, path func(File) string) (object, error) {
	out := object{{"version", v.Number}, {"published_date", v.Published}}
	if v.Modified != "" && v.Modified != v.Published {
		out = append(out, key{"modified_date", v.Modified})
	}
	if bare, ok := record.ReadDOI(v.DOI); ok && record.BareDOI(bare) != record.BareDOI(doi) {
		out = append(out, key{"doi", bare})
	}
	for _, k := range it.body(v, path) {
		text, err := encode(k.value)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(text, said[k.name]) {
			out = append(out, k)
		}
	}
	hidden, err := encode(embargo(v))
	if !bytes.Equal(hidden, said["embargo"]) { // as a whole
		out = append(out, embargo(v)...)
	}
	return out, err
}

// doi is the DOI of the item as a whole: that of its newest version, without the number of the version at its end.
func (it *Item) doi() string {
	if it.DOI != "" {
		return it.DOI
	}
	doi, ok := record.ReadDOI(it.Latest().DOI)
	if !ok {
		return ""
	}
	whole, _ := strings.CutSuffix(doi, fmt.Sprintf(".v%d", it.Latest().Number))
	return whole
}

// memberNames are the articles of a collection as a line names them: by DOI, and those without one by their address.
func (it *Item) memberNames() []string {
	names := []string{}
	for _, m := range it.Members {
		if doi, ok := record.ReadDOI(m.DOI); ok { // of whatever version is the newest
			names = append(names, record.ItemDOI(doi))
		} else {
			names = append(names, m.Origin)
		}
	}
	return names
}

// body is what a version says of the item. Each version says all of it, so that one can say less than the next.
func (it *Item) body(v *Version, path func(File) string) object {
	body := object{
		{"title", v.Title}, {"description", v.Description}, {"tags", orEmpty(v.Tags)}, {"categories", it.categories(v)},
		{"authors", it.authors(v)}, {"custom_fields_list", customFields(v)}, {"timeline", it.timeline(v)},
		{"resource_doi", v.ResourceDOI}, {"resource_title", v.ResourceTitle},
	}
	if it.plainReferences() {
		body = append(body, key{"references", orEmpty(v.References)})
	} else {
		body = append(body, key{"related_materials", materials(v)})
	}
	if it.Collection {
		return append(body, key{"funding_list", it.grants(v)}, key{"resource_id", v.ResourceID},
			key{"resource_link", v.ResourceLink}, key{"resource_version", v.ResourceVersion})
	}
	funding := ""
	_ = json.Unmarshal(v.Funding, &funding) // null, or another shape, is none
	body = append(body, key{"funding", funding}, key{"funding_list", it.grants(v)}, key{"defined_type", v.Type}, key{"license", v.License.Value},
		key{"metadata_reason", v.MetadataReason}, key{"download_disabled", v.DownloadDisabled})
	return append(body, key{"files", filesOf(v, path)})
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// note adds what was not taken, once.
func (it *Item) note(text string) {
	if !slices.Contains(it.Notes, text) {
		it.Notes = append(it.Notes, text)
	}
}

// categories are those that there are here too.
func (it *Item) categories(v *Version) []int64 {
	ids := []int64{}
	for _, c := range v.Categories {
		if _, ok := catalogue.CategoryByID(c.ID); ok {
			ids = append(ids, c.ID)
		} else {
			it.note(fmt.Sprintf("the category %d is left out, as there is none with that id here", c.ID))
		}
	}
	return ids
}

func customFields(v *Version) []object {
	out := []object{}
	for _, f := range v.Custom {
		value := f.Value
		if value == nil {
			value = json.RawMessage("null")
		}
		out = append(out, object{{"name", f.Name}, {"value", value}})
	}
	return out
}

// timeline has the steps that the dates of the versions do not tell.
func (it *Item) timeline(v *Version) object {
	first := v.Timeline.FirstOnline
	if strings.TrimSuffix(it.Versions[0].Published, "Z") == strings.TrimSuffix(first, "Z") {
		first = ""
	}
	return object{{"firstOnline", first}, {"publisherPublication", v.Timeline.Publication}, {"publisherAcceptance", v.Timeline.Acceptance}}
}

// plainReferences reports whether the related materials of all versions are no more than their references.
func (it *Item) plainReferences() bool {
	for i := range it.Versions {
		v := &it.Versions[i]
		if len(v.Materials) != 0 && len(v.Materials) != len(v.References) {
			return false
		}
		for i, m := range v.Materials {
			if m != (material{v.References[i], "", record.DefaultRelation, record.DefaultIdentifierType, false}) {
				return false
			}
		}
	}
	return true
}

func materials(v *Version) []object {
	out := []object{}
	for _, m := range v.Materials {
		out = append(out, object{{"identifier", m.Identifier}, {"title", m.Title}, {"relation", m.Relation}, {"identifier_type", m.Type}, {"is_linkout", m.Linkout}})
	}
	if len(out) == 0 {
		for _, r := range v.References {
			out = append(out, object{{"identifier", r}, {"title", ""}, {"relation", record.DefaultRelation}, {"identifier_type", record.DefaultIdentifierType}, {"is_linkout", false}})
		}
	}
	return out
}

// grants are named by their titles: the ids are the server's own.
func (it *Item) grants(v *Version) []object {
	list := v.Grants
	if it.Collection {
		_ = json.Unmarshal(v.Funding, &list) // null, or another shape, is none
	}
	out := []object{}
	for _, g := range list {
		if strings.TrimSpace(g.Title) != "" {
			out = append(out, object{{"title", g.Title}})
		}
	}
	return out
}

// embargo is the embargo on the files of a version. Address ranges are the server's own, so their readers are not named.
func embargo(v *Version) object {
	if !v.Embargoed {
		return object{{"is_embargoed", false}}
	}
	options := []object{}
	for _, o := range v.EmbargoOptions {
		if o.ID == record.LoggedInOption || o.ID == record.AdministratorOption {
			options = append(options, object{{"id", o.ID}})
		}
	}
	var until any // null is for ever
	if v.EmbargoDate != "" {
		until = v.EmbargoDate
	}
	return object{{"is_embargoed", true}, {"embargo_type", v.EmbargoType}, {"embargo_date", until}, {"embargo_title", v.EmbargoTitle},
		{"embargo_reason", v.EmbargoReason}, {"embargo_options", options}}
}

func filesOf(v *Version, path func(File) string) []object {
	out := []object{}
	for _, f := range v.Files {
		if f.Link != "" {
			out = append(out, object{{"link", f.Link}, {"folder_path", f.Folder}})
		} else {
			out = append(out, object{{"path", path(f)}, {"name", f.Name}, {"folder_path", f.Folder}})
		}
	}
	return out
}
