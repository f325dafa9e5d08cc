package fetch

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"alcove/record"
	"alcove/record/catalogue"
)

// Words of other systems, and ours for them.

const inCopyright = 43 // the licence of what has another one than those that there are here

// spdx are the licences of the catalogue by their names at SPDX, in lower case.
var spdx = map[string]int64{
	"cc-by-4.0": 1, "cc0-1.0": 2, "cc-zero": 2, "mit": 3, "gpl-2.0-or-later": 5, "gpl-2.0+": 5, "gpl-3.0-or-later": 6, "gpl-3.0+": 6,
	"apache-2.0": 7, "cc-by-sa-4.0": 8, "cc-by-nd-4.0": 9, "cc-by-nc-4.0": 10, "cc-by-nc-sa-4.0": 11, "cc-by-nc-nd-4.0": 12,
}

var addressEnd = regexp.MustCompile(`/(legalcode|deed)?(\.[a-z]{2})?/?$`)

// license takes the licence of a version by its SPDX name or its address. One that there is not here stands in a custom
// field, and the version is said to be in copyright, which it is under any licence.
func (it *Item) license(v *Version, id, name, address string) {
	if v.License.Value = spdx[strings.ToLower(id)]; v.License.Value != 0 {
		return
	}
	plain := func(u string) string {
		_, u, _ = strings.Cut(u, "://")
		return strings.ToLower(addressEnd.ReplaceAllString(strings.TrimPrefix(u, "www."), ""))
	}
	for _, l := range slices.Concat(catalogue.PublicLicenses(), catalogue.InstitutionLicenses()) {
		if address != "" && plain(l.URL) == plain(address) {
			v.License.Value = l.Value
			return
		}
	}
	v.License.Value = inCopyright
	said := strings.Join(slices.DeleteFunc([]string{name, address}, func(s string) bool { return s == "" }), ", ")
	if said == "" {
		said = id
	}
	if said == "" {
		it.note("it has no licence, and becomes In Copyright")
		return
	}
	v.more("License", said)
	it.note(fmt.Sprintf("the licence %q is none of those that there are here: it stands in a custom field, and the item becomes In Copyright", shorten(said)))
}

// more adds a custom field with a text, or with a list of texts. Blank ones are left out.
func (v *Version) more(name string, texts ...string) {
	texts = slices.DeleteFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(texts) == 0 {
		return
	}
	var value any = texts
	if len(texts) == 1 {
		value = texts[0]
	}
	text, err := encode(value)
	if err != nil {
		return // no text is
	}
	v.Custom = append(v.Custom, custom{name, json.RawMessage(text)})
}

// tag adds tags, each once.
func (v *Version) tag(texts ...string) {
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(v.Tags, text) {
			v.Tags = append(v.Tags, text)
		}
	}
}

// related adds a related material, whose relation and type are compared without case.
func (it *Item) related(v *Version, identifier, relation, kind, title string) {
	if identifier = strings.TrimSpace(identifier); identifier == "" {
		return
	}
	if kind = strings.TrimSpace(kind); strings.EqualFold(kind, "ads") {
		kind = "bibcode"
	}
	r := folded(record.Relations(), relation)
	t := folded(record.IdentifierTypes(), kind)
	switch {
	case t == "DOI":
		doi, ok := record.ReadDOI(identifier)
		if !ok {
			t = ""
		} else {
			identifier = doi
		}
	case t == "Handle":
		if _, ok := record.ReadHandle(identifier); !ok {
			t = ""
		}
	case t == "":
		if u, err := url.Parse(identifier); err == nil && webAddress(u) == nil {
			t = record.DefaultIdentifierType
		}
	}
	if r == "" || t == "" {
		it.note(fmt.Sprintf("the related work %q (%s, %s) is left out, as its relation or its identifier is of no kind that there is here",
			shorten(identifier), shorten(relation), shorten(kind)))
		return
	}
	v.Materials = append(v.Materials, material{identifier, title, r, t, false})
}

// folded is the word of a list that is the same without case, "" for none.
func folded(list []string, word string) string {
	i := slices.IndexFunc(list, func(s string) bool { return strings.EqualFold(s, word) })
	if i < 0 {
		return ""
	}
	return list[i]
}

// moment is a time as our bodies have it, "" for what is none.
func moment(text string) string {
	text = strings.TrimSpace(text)
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil { // a fraction of a second is read by all of them
			return t.UTC().Truncate(time.Second).Format(time.RFC3339)
		}
	}
	return ""
}

// inOrder has no version be published before the one before it, as clocks and migrations of servers have it.
func (it *Item) inOrder() {
	for i := range it.Versions[1:] {
		if was, v := it.Versions[i].Published, &it.Versions[i+1]; v.Published < was {
			it.note(fmt.Sprintf("version %d is dated %s, before the version before it, and takes that one's date", v.Number, v.Published))
			v.Published = was
		}
	}
}

// changed sets the time of the last change, where it is after the publication.
func (v *Version) changed(text string) {
	if at := moment(text); at > v.Published {
		v.Modified = at
	}
}

// named is a name of a file in folders, which some systems write with slashes.
func (f *File) named(name string) {
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		f.Folder, name = strings.Trim(name[:at], "/"), name[at+1:]
	}
	f.Name = name
}
