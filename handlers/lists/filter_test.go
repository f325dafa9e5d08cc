package lists

import (
	"reflect"
	"strings"
	"testing"
)

// Every field that a list or search can be filtered by changes the key of its cursors.
func TestQueriesDiffer(t *testing.T) {
	seen := map[string]string{}
	note := func(name string, f Filter) {
		key := string(f.appendQuery(nil))
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have the same cursors", name, other)
		}
		seen[key] = name
	}
	note("nothing", Filter{order: "views"})
	note("ascending", Filter{order: "views", ascending: true})
	note("another order", Filter{order: "cites"})
	ordered := map[string]bool{"Order": true, "OrderDirection": true} // said by order and ascending
	for _, at := range reflect.VisibleFields(reflect.TypeFor[ArticleSearch]()) {
		if at.Anonymous || ordered[at.Name] || reflect.TypeFor[Paging]() == at.Type {
			continue
		}
		if _, paging := reflect.TypeFor[Paging]().FieldByName(at.Name); paging {
			continue
		}
		f := Filter{order: "views"}
		field := reflect.ValueOf(&f.ArticleSearch).Elem().FieldByIndex(at.Index)
		for _, text := range []string{"", "\x00", "1"} {
			switch field.Interface().(type) {
			case *string:
				field.Set(reflect.ValueOf(&text))
			case *int64:
				n := int64(len(text)) + int64(strings.Count(text, "1"))
				field.Set(reflect.ValueOf(&n))
			default:
				t.Fatalf("%s is neither a text nor a number", at.Name)
			}
			note(at.Name+" "+text, f)
		}
	}
}
