package site

import (
	"encoding/json"
	"slices"
	"testing"

	"alcove/handlers/present"
)

// A version that was read of its stored document differs in what is said otherwise, and in nothing else.
func TestDifferences(t *testing.T) {
	title, w := "Pond", WordsIn("en")
	is := present.ArticleComplete{}
	is.Title, is.Tags = &title, []string{"water"}
	is.CustomFields = []present.CustomField{{Name: "Depth", Value: json.RawMessage(`"2 m"`), FieldType: "text", Settings: struct {
		Validations []string `json:"validations"`
	}{[]string{"x"}}}}
	b, err := json.Marshal(is)
	if err != nil {
		t.Fatal(err)
	}
	var was present.ArticleComplete
	if err := json.Unmarshal(b, &was); err != nil {
		t.Fatal(err)
	}
	if names := w.Differences(&was, &is); len(names) > 0 {
		t.Errorf("the same item differs in %q", names)
	}
	was.CustomFields[0].Value = json.RawMessage(`"3 m"`)
	is.Tags = nil
	if names := w.Differences(&was, &is); !slices.Equal(names, []string{w.Keywords, w.Fields}) {
		t.Errorf("it differs in %q", names)
	}
}
