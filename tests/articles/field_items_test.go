package articles

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
)

// The options of a large list are replaced by those of a file, by an administrator of its group,
// at most once an hour.
func TestFieldItems(t *testing.T) {
	t.Parallel()
	s, cyd := newFields(t)
	s.Enter()
	at := func(id int64) string { return fmt.Sprintf("/v2/account/institution/custom_fields/%d/items/upload", id) }
	options := func() string {
		for _, f := range s.Ben.Get("/v2/account/institution/custom_fields").Is(200).List() {
			if f["name"] == "Tools" {
				return fmt.Sprint(f["settings"].(map[string]any)["options"])
			}
		}
		return "none"
	}
	const tools = 3
	before := options()
	s.Ben.Form(at(tools), "external_file", "boat\n").Refuses(403, "Only administrators may do this")
	s.Role(cyd, 3, "administrator")
	cyd.Form(at(tools), "external_file", "boat\n").Refuses(404, "Custom field not found")
	s.Ada.Form(at(99), "external_file", "boat\n").Refuses(404, "Custom field not found")
	s.Ada.Form(at(2), "external_file", "boat\n").Refuses(400, "dropdown_large_list")
	s.Ada.Send("POST", at(tools), `{}`).Refuses(400, "external_file")
	s.Ada.Form(at(tools), "external_file", "\"boat").Refuses(400, "CSV")
	s.Ada.Form(at(tools), "external_file", "\xff").Refuses(400, "UTF-8")
	s.Ada.Form(at(tools), "external_file", "\n\n").Refuses(422, "options")
	s.Ada.Form(at(tools), "external_file", "net\nnet\n").Refuses(422, "options")
	s.Ada.Form(at(tools), "external_file", strings.Repeat("x", 256)).Refuses(422, "options")
	var many strings.Builder
	for n := range 10_001 {
		fmt.Fprintf(&many, "option %d\n", n)
	}
	s.Ada.Form(at(tools), "external_file", many.String()).Refuses(422, "at most 10000")
	if options() != before {
		t.Errorf("the options are %s, were %s", options(), before)
	}
	if got := s.Ada.Form(at(tools), "external_file", "\ufeffboat,ignored\r\n\"a, b\"\r\n\r\n").Is(200).Object(); got["message"] != "OK" {
		t.Errorf("%v", got)
	}
	if options() != "[boat a, b]" {
		t.Errorf("the options are %s", options())
	}
	s.Ada.Form(at(tools), "external_file", "net\n").Refuses(409, "once an hour")
	s.Alter(func(tx *bucket.Tx) error {
		f, err := users.Fields.Get(tx, tools)
		if err != nil {
			return err
		}
		f.Uploaded = f.Uploaded.Add(-time.Hour)
		return users.Fields.Put(tx, tools, f)
	})
	s.Root.Form(at(tools), "external_file", "net\n").Is(200)
	s.Ben.Article(`{"title": "With a tool", "custom_fields": {"Tools": ["net"]}}`)
	s.Ben.Send("POST", "/v2/account/articles", `{"title": "With a boat", "custom_fields": {"Tools": ["boat"]}}`).Refuses(422, "custom_fields.Tools")
}

// The fields of a group's items, as items without values have them.
func TestGroupFields(t *testing.T) {
	t.Parallel()
	s, cyd := newFields(t)
	const at = "/v2/account/groups/%d/metadata/item"
	list := s.Ben.Get(fmt.Sprintf(at, 2)).Is(200).List()
	if len(list) != 6 || list[0]["name"] != "Lake" || list[0]["is_mandatory"] != true || list[0]["value"] != nil || list[1]["name"] != "Note" {
		t.Errorf("%v", list)
	}
	cyd.Get(fmt.Sprintf(at, 2)).Refuses(404, "Group not found")
	cyd.Get(fmt.Sprintf(at, 99)).Refuses(404, "Group not found")
}
