package deposit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sort"
	"strings"
)

// differences returns the names of the fields that were sent to create an
// article and stand otherwise in its detail. Fields that the detail does not
// show are not compared.
func differences(body []byte, detail map[string]json.RawMessage) []string {
	fields, err := members(body)
	if err != nil {
		return []string{"everything"}
	}
	var names []string
	for _, f := range fields {
		if !agrees(f.name, f.value, detail) {
			names = append(names, f.name)
		}
	}
	return names
}

// agrees compares one field of a body with the detail of the article.
func agrees(name string, sent json.RawMessage, detail map[string]json.RawMessage) bool {
	shown, ok := detail[name]
	switch name {
	case "keywords":
		if !ok {
			shown, ok = detail["tags"]
		}
		return !ok || reflect.DeepEqual(stringSet(sent), stringSet(shown))
	case "tags", "references":
		return !ok || reflect.DeepEqual(stringSet(sent), stringSet(shown))
	case "categories":
		return !ok || reflect.DeepEqual(numberSet(sent), idSet(shown))
	case "authors":
		return !ok || authorsAgree(sent, shown)
	case "custom_fields":
		return !ok || customAgree(sent, shown)
	case "license":
		var license struct {
			Value json.Number `json:"value"`
		}
		if !ok || json.Unmarshal(shown, &license) != nil {
			return true
		}
		return blank(sent) || strings.Trim(string(sent), `" `) == license.Value.String()
	case "defined_type":
		var typed string
		if json.Unmarshal(detail["defined_type_name"], &typed) != nil {
			return true
		}
		var asked string
		return json.Unmarshal(sent, &asked) != nil || asked == "" || typeName(asked) == typed
	case "title":
		var a, b string
		return json.Unmarshal(sent, &a) == nil && json.Unmarshal(shown, &b) == nil && strings.TrimSpace(a) == strings.TrimSpace(b)
	}
	if !ok || !scalar(sent) || !scalar(shown) {
		return true
	}
	return blank(sent) && blank(shown) || reflect.DeepEqual(plain(sent), plain(shown))
}

// typeName is the name in representations of a type as it is written; the older
// names are still accepted on write.
func typeName(written string) string {
	switch written {
	case "fileset":
		return "dataset"
	case "paper":
		return "journal contribution"
	case "code":
		return "software"
	case "metadata":
		return "online resource"
	}
	return written
}

// authorsAgree tells whether the sent authors stand in the shown list in their
// order; a server may add the owner.
func authorsAgree(sent, shown json.RawMessage) bool {
	var all []json.RawMessage
	var there []serverAuthor
	if json.Unmarshal(sent, &all) != nil || json.Unmarshal(shown, &there) != nil {
		return true
	}
	for _, a := range there {
		if len(all) > 0 && a.is(all[0]) {
			all = all[1:]
		}
	}
	return len(all) == 0
}

// customAgree tells whether each custom field that was sent is shown with the
// same value.
func customAgree(sent, shown json.RawMessage) bool {
	var values map[string]json.RawMessage
	var list []struct {
		Name  string          `json:"name"`
		Value json.RawMessage `json:"value"`
	}
	if json.Unmarshal(sent, &values) != nil || json.Unmarshal(shown, &list) != nil {
		return true
	}
	there := map[string]json.RawMessage{}
	for _, f := range list {
		there[f.Name] = f.Value
	}
	for name, value := range values {
		got, ok := there[name]
		if blank(value) && (!ok || blank(got)) {
			continue
		}
		if !ok || !reflect.DeepEqual(plain(value), plain(got)) {
			return false
		}
	}
	return true
}

func blank(raw json.RawMessage) bool {
	text := string(bytes.TrimSpace(raw))
	return text == "" || text == "null" || text == `""`
}

func scalar(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] != '{' && raw[0] != '['
}

// plain decodes a value for comparison, numbers as they are written.
func plain(raw json.RawMessage) any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil
	}
	return v
}

// stringSet returns the strings of a list, sorted, each once.
func stringSet(raw json.RawMessage) []string {
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return sortedSet(list)
}

func numberSet(raw json.RawMessage) []string {
	var numbers []json.Number
	if json.Unmarshal(raw, &numbers) != nil {
		return nil
	}
	var list []string
	for _, n := range numbers {
		list = append(list, n.String())
	}
	return sortedSet(list)
}

// idSet returns the ids of a list of objects like numberSet.
func idSet(raw json.RawMessage) []string {
	var objects []struct {
		ID json.Number `json:"id"`
	}
	if json.Unmarshal(raw, &objects) != nil {
		return nil
	}
	var list []string
	for _, o := range objects {
		list = append(list, o.ID.String())
	}
	return sortedSet(list)
}

func sortedSet(list []string) []string {
	var set []string
	sort.Strings(list)
	for i, s := range list {
		if i == 0 || s != list[i-1] {
			set = append(set, s)
		}
	}
	return set
}
