package record

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// shaped is a binder whose keys are those of a struct.
type shaped interface{ keys() reflect.Type }

// ignorer is a body, or an object in one, of which some keys say nothing beside others, or at all.
type ignorer interface {
	// ignores tells why a key of an object says nothing, "" where it does not.
	ignores(key string, n *node) (why string)
}

// ignores is of what articles and collections have in common: of two keys for one thing the
// other counts (compatibility.md).
func (*Extras) ignores(key string, n *node) string {
	for _, two := range [...][2]string{{"keywords", "tags"}, {"references", "related_materials"}, {"categories", "categories_by_source_id"}, {"custom_fields", "custom_fields_list"}} {
		if key == two[0] && n.member(two[1]) != nil {
			return two[1] + " counts"
		}
	}
	return ""
}

func (*ProjectBody) ignores(key string, n *node) string {
	if key == "custom_fields" && n.member("custom_fields_list") != nil {
		return "custom_fields_list counts"
	}
	return ""
}

func (*ProfileBody) ignores(key string, n *node) string {
	if key == "fields_of_interest" && n.member("fields_of_interest_by_source_id") != nil {
		return "fields_of_interest_by_source_id counts"
	}
	return ""
}

func (*AuthorRef) ignores(key string, n *node) string {
	id := n.member("id")
	text := func(key string) string {
		if m := n.member(key); m != nil {
			return m.text
		}
		return ""
	}
	switch {
	case key != "id" && id != nil && id.kind == '0' && string(id.raw) != "0":
		return "id says who it is"
	case key == "email":
		return "addresses of authors are not kept"
	case (key == "name_particle" || key == "name_suffix") && text("family_name") == "" && text("last_name") == "":
		return "it belongs to a family_name"
	case key == "first_name" && text("given_name") != "", key == "last_name" && text("family_name") != "":
		return "given_name and family_name count"
	}
	kind, _ := readKind(text("kind"))
	switch organisation := kind == OrganisationKind; {
	case organisation && (key == "orcid_id" || key == "name_particle" || key == "name_suffix" || key == "affiliations"):
		return "an organisation has none"
	case !organisation && key == "ror_id":
		return "a person has none; its affiliations may have some"
	}
	return ""
}

func (*MaterialRef) ignores(key string, n *node) string {
	i := n.member("identifier")
	switch named := i != nil && i.text != ""; {
	case named && key == "id":
		return "identifier says what it is"
	case !named && key == "identifier_type":
		return "id says what it is"
	}
	return ""
}

func (*EmbargoBody) ignores(key string, n *node) string {
	if on := n.member("is_embargoed"); key != "is_embargoed" && on != nil && string(on.raw) == "false" {
		return "nothing is embargoed"
	}
	return ""
}

func (*embargoOptionIn) ignores(key string, n *node) string {
	if id := n.member("id"); key == "group_ids" && id != nil && string(id.raw) != strconv.Itoa(LoggedInOption) {
		return "only the option logged_in has groups"
	}
	return ""
}

func (*InviteBody) ignores(key string, n *node) string {
	if id := n.member("user_id"); key == "email" && id != nil && id.kind == '0' && string(id.raw) != "0" {
		return "user_id says who it is"
	}
	return ""
}

// objectsOf is the struct whose keys the objects of a field have, nil where there are none.
func objectsOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		if t = t.Elem(); reflect.PointerTo(t).Implements(reflect.TypeFor[binder]()) {
			break
		}
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	return keysOf(t)
}

// keysOf is the struct that has the keys of a body, nil where its keys are free.
func keysOf(t reflect.Type) reflect.Type {
	switch b := reflect.New(t).Interface().(type) {
	case shaped:
		return b.keys()
	case binder:
		return nil
	}
	return t
}

// ignored are warnings of the keys of a body that say nothing: those that are not known, those that
// count for nothing beside others, and truths that are null.
func ignored(n *node, t reflect.Type) []string {
	var f finder
	if keys := keysOf(t); keys != nil {
		f.object(n, keys, nil)
	}
	return f.warnings
}

// finder gathers warnings, up to a bound.
type finder struct{ warnings []string }

func (f *finder) full() bool { return len(f.warnings) == maxWarnings }

func (f *finder) warn(in *spot, key, format string, args ...any) {
	at := strings.TrimPrefix(in.String()+"."+shorten(key, 64), ".")
	f.warnings = append(f.warnings, fmt.Sprintf(format, append([]any{at}, args...)...))
}

func (f *finder) object(n *node, t reflect.Type, in *spot) {
	s := shapeOf(t)
	for i, k := range n.keys {
		if f.full() {
			return
		}
		kid := n.kids[i]
		switch {
		case !s.known[k]:
			f.warn(in, k, "Unknown key %q was ignored")
		case kid.kind == 'n' && s.truths[k]:
			f.warn(in, k, "%q was null, which says neither true nor false, and was ignored")
		case kid.kind != 'n' && s.rules != nil:
			if why := s.rules.ignores(k, n); why != "" {
				f.warn(in, k, "%q was ignored: %s", why)
			}
		}
	}
	f.below(n, s, in)
}

// below looks into the objects of a body.
func (f *finder) below(n *node, s *shape, in *spot) {
	for _, field := range s.fields {
		if field.embedded {
			f.below(n, shapeOf(field.of), in)
			continue
		}
		kid := n.member(field.name)
		if field.of == nil || kid == nil {
			continue
		}
		at := &spot{in: in, name: field.name}
		if kid.kind == '{' {
			f.object(kid, field.of, at)
		}
		if kid.kind != '[' {
			continue
		}
		for i, each := range kid.kids {
			if each.kind == '{' && !f.full() {
				f.object(each, field.of, &spot{in: at, at: i})
			}
		}
	}
}
