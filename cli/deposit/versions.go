package deposit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// maxVersions is how many versions a line may have.
const maxVersions = 1000

// parseVersions reads the member "versions", the oldest first.
func parseVersions(value json.RawMessage, in Files, collection bool) ([]itemVersion, error) {
	list, ok := elements(value)
	if !ok || len(list) == 0 || len(list) > maxVersions {
		return nil, fmt.Errorf(`"versions" is not a list of 1 to %d versions`, maxVersions)
	}
	var versions []itemVersion
	for _, raw := range list {
		if raw[0] != '{' {
			return nil, errors.New(`an element of "versions" is not an object`)
		}
		fields, err := members(raw)
		if err != nil {
			return nil, err
		}
		var v itemVersion
		var which, body, hidden []member
		for _, f := range fields {
			if err := knownInVersion(f, collection); err != nil {
				return nil, err
			}
			switch {
			case f.name == "files":
				if v.files, err = parseFiles(f.value, in); v.files == nil {
					v.files = []localFile{}
				}
			case f.name == "articles":
				v.articles, err = parseArticles(f.value)
			case slices.Contains(versionKeys, f.name):
				which = append(which, f)
			case keysOf(collection)[f.name] == inEmbargo:
				hidden = append(hidden, f)
			default:
				body = append(body, f)
			}
			if err != nil {
				return nil, err
			}
		}
		v.which, v.body = joinObject(which), joinObject(body)
		if v.embargo, err = hiddenVersion(hidden); err != nil {
			return nil, err
		}
		versions = append(versions, v)
	}
	return versions, nil
}

// parseArticles reads the articles of a collection: ids, and names.
func parseArticles(value json.RawMessage) ([]itemMember, error) {
	list, ok := elements(value)
	if !ok {
		return nil, errors.New(`"articles" is not a list`)
	}
	articles := []itemMember{}
	for _, raw := range list {
		var m itemMember
		if unquote(raw, &m.name) != nil || m.name == "" {
			if m.name = ""; json.Unmarshal(raw, &m.id) != nil || m.id < 1 {
				return nil, fmt.Errorf(`an element of "articles" is neither the id of an article nor the key of a line, a DOI or a handle: %s`, clean(string(raw)))
			}
		}
		articles = append(articles, m)
	}
	return articles, nil
}

// hiddenVersion is the body of the embargo of a version, nil where it says nothing of one. It takes the place of
// that of the item.
func hiddenVersion(fields []member) ([]byte, error) {
	if len(fields) == 0 {
		return nil, nil
	}
	var of item
	if err := of.hide(fields); err != nil {
		return nil, err
	}
	if of.embargo == nil {
		return []byte(`{"is_embargoed":false}`), nil
	}
	return of.embargo.body, nil
}
