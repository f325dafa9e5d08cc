package deposit

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// place is what a key of a line is for.
type place int

const (
	inLine    place = iota // read here
	inBody                 // sent to create the article
	inEmbargo              // the embargo, or the deprecated confidentiality
	inMove                 // what an item brings along from elsewhere: alcove import only
)

// keys are all keys that the line of an article may have.
var keys = map[string]place{
	"kind": inLine, "key": inLine, "publish": inLine, "files": inLine, "private_links": inLine, "collections": inLine,
	"project_id": inLine, "resource": inLine,

	"title": inBody, "description": inBody, "tags": inBody, "keywords": inBody, "references": inBody,
	"categories": inBody, "categories_by_source_id": inBody, "authors": inBody, "custom_fields": inBody,
	"custom_fields_list": inBody, "defined_type": inBody, "funding": inBody, "funding_list": inBody,
	"license": inBody, "doi": inBody, "handle": inBody, "resource_doi": inBody, "resource_title": inBody,
	"is_metadata_record": inBody, "metadata_reason": inBody, "download_disabled": inBody,
	"related_materials": inBody, "timeline": inBody, "group_id": inBody,

	"published_date": inMove, "created_date": inMove, "modified_date": inMove, "views": inMove, "downloads": inMove,
	"shares": inMove, "old_urls": inMove, "versions": inMove, "origin": inMove,

	"is_embargoed": inEmbargo, "embargo_type": inEmbargo, "embargo_date": inEmbargo, "embargo_title": inEmbargo,
	"embargo_reason": inEmbargo, "embargo_options": inEmbargo, "is_confidential": inEmbargo, "confidential_reason": inEmbargo,
}

// collectionKeys are all keys that the line of a collection may have.
var collectionKeys = map[string]place{
	"kind": inLine, "key": inLine, "publish": inLine, "articles": inLine, "private_links": inLine, "resource": inLine,

	"title": inBody, "description": inBody, "tags": inBody, "keywords": inBody, "references": inBody,
	"categories": inBody, "categories_by_source_id": inBody, "authors": inBody, "custom_fields": inBody,
	"custom_fields_list": inBody, "funding": inBody, "funding_list": inBody, "doi": inBody, "handle": inBody,
	"resource_id": inBody, "resource_doi": inBody, "resource_title": inBody, "resource_link": inBody, "resource_version": inBody,
	"related_materials": inBody, "timeline": inBody, "group_id": inBody,

	"published_date": inMove, "created_date": inMove, "modified_date": inMove, "views": inMove, "shares": inMove,
	"old_urls": inMove, "versions": inMove, "origin": inMove,
}

// keysOf are the keys of a line.
func keysOf(collection bool) map[string]place {
	if collection {
		return collectionKeys
	}
	return keys
}

// inner are the keys of the objects that are the values of keys, or stand in their lists.
var inner = map[string][]string{
	"authors":            {"id", "name", "first_name", "last_name", "email", "orcid_id", "kind", "given_name", "family_name", "name_particle", "name_suffix", "ror_id", "affiliations"},
	"custom_fields_list": {"name", "value"},
	"funding_list":       {"id", "title"},
	"related_materials":  {"id", "identifier", "title", "relation", "identifier_type", "is_linkout"},
	"timeline":           {"firstOnline", "publisherPublication", "publisherAcceptance"},
	"resource":           {"id", "title", "doi", "link", "status", "version"},
	"embargo_options":    {"id", "group_ids"},
	"private_links":      {"expires_date", "read_only", "anonymous"},
}

// versionKeys are what an entry of "versions" can say beside the body of an article, and
// itemKeys what of that body it cannot, as all versions of an item have it in common.
var (
	versionKeys = []string{"version", "published_date", "modified_date"}
	itemKeys    = []string{"handle", "group_id", "is_metadata_record", "is_confidential", "confidential_reason"}
)

// heldBy is the key of what an item holds, which each version may have otherwise.
func heldBy(collection bool) string {
	if collection {
		return "articles"
	}
	return "files"
}

// knownInVersion refuses a key that an entry of "versions" cannot have.
func knownInVersion(f member, collection bool) error {
	names := append(slices.Clone(versionKeys), heldBy(collection))
	if slices.Contains(names, f.name) {
		return nil
	}
	if inVersions(f.name, collection) {
		return known(f, collection)
	}
	for name := range keysOf(collection) {
		if inVersions(name, collection) {
			names = append(names, name)
		}
	}
	return unknownKey(f.name, ` in "versions"`, names)
}

// inVersions reports whether each version can have a key otherwise: what is in the body of an item, and its embargo.
func inVersions(name string, collection bool) bool {
	at, ok := keysOf(collection)[name]
	return ok && (at == inBody || at == inEmbargo) && !slices.Contains(itemKeys, name)
}

// known refuses a key that a line cannot have. A server would leave out what it does not
// know, and publish the rest under its defaults.
func known(f member, collection bool) error {
	if _, ok := keysOf(collection)[f.name]; !ok {
		if _, ok := keysOf(!collection)[f.name]; ok && collection {
			return fmt.Errorf("%q is a key of articles, and collections have none", f.name)
		} else if ok {
			return fmt.Errorf(`%q is a key of collections, whose lines have "kind": "collection"`, f.name)
		}
		return unknownKey(f.name, "", slices.Collect(maps.Keys(keysOf(collection))))
	}
	if len(inner[f.name]) == 0 {
		return nil
	}
	list, ok := elements(f.value)
	if !ok {
		list = []json.RawMessage{f.value}
	}
	for _, value := range list {
		if value[0] != '{' {
			continue // what is wrong with it the server says
		}
		fields, err := members(value)
		if err != nil {
			return err
		}
		for _, in := range fields {
			if !slices.Contains(inner[f.name], in.name) {
				return unknownKey(in.name, fmt.Sprintf(" in %q", f.name), inner[f.name])
			}
		}
	}
	return nil
}

func unknownKey(name, where string, names []string) error {
	return fmt.Errorf("there is no key %q%s; the nearest is %q", clean(name), where, nearest(name, names))
}

// nearest is the name that needs the fewest letters changed, added and removed, the first
// in the alphabet of several.
func nearest(name string, names []string) string {
	const most = 64 // letters that are looked at
	runes := []rune(strings.ToLower(name))
	runes = runes[:min(len(runes), most)]
	best, least := "", 0
	for _, n := range slices.Sorted(slices.Values(names)) { // lists of keys are shared by goroutines
		if d := changes(runes, []rune(strings.ToLower(n))); best == "" || d < least {
			best, least = n, d
		}
	}
	return best
}

// changes is how many letters lie between two words.
func changes(a, b []rune) int {
	row := make([]int, len(b)+1) // of the letters of a so far
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		corner := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := corner
			if x != y {
				cost = 1 + min(corner, row[j], row[j+1])
			}
			corner, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
