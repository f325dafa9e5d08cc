package stories

import (
	"encoding/json"
	"strings"
	"testing"

	"alcove/handlers/present"
	"alcove/tests/routes"
	"alcove/tests/stage"
)

// Each body has an example in the description, and the server takes it as it is, without a
// warning: each at a stage of its own, with the ids of the stage in its address.
func TestDescriptionExamples(t *testing.T) {
	t.Parallel()
	doc, _, err := routes.Described(present.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	var s *stage.Stage
	routes.EachJSON(t, func(r routes.Route, name, _, _ string) {
		media := doc.Paths.Value(routes.Template(r.Path)).GetOperation(r.Method).RequestBody.Value.Content.Get("application/json")
		body, ok := media.Example.(map[string]any)
		if !ok || len(body) == 0 {
			t.Errorf("%s: the example is %v", name, media.Example)
			return
		}
		if err := media.Schema.Value.VisitJSON(body); err != nil {
			t.Errorf("%s: the example is none by the document: %v", name, err)
		}
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		if s == nil || strings.HasSuffix(r.Path, "/unpublish") || strings.Contains(r.Path, ":version_id") {
			s = stage.New(t)
		}
		got := s.Ada.Send(r.Method, s.At(r), string(b))
		if got.StatusCode >= 300 || strings.Contains(string(got.Bytes), `"warnings"`) && len(got.Object()["warnings"].([]any)) > 0 {
			t.Errorf("%s answered %d to its example: %s", name, got.StatusCode, got.Bytes)
		}
		if strings.HasSuffix(r.Path, "/unpublish") {
			s = nil
		}
	})
}
