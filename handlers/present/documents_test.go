package present

import (
	"encoding/json"
	"testing"
)

// A member that is blank in every sample could change unseen: only what collections never have is.
func TestSampleDocuments(t *testing.T) {
	made, err := sampleDocuments(settings)
	if err != nil {
		t.Fatal(err)
	}
	var forms []map[string]any
	if err := json.Unmarshal(made, &forms); err != nil || len(forms) != 12 {
		t.Fatalf("%d forms: %v", len(forms), err)
	}
	seen := map[string]bool{} // whether a member has a value in a sample
	for i, form := range forms {
		of := [...]string{"article", "article detail", "collection", "collection detail"}[i%2+i/8*2]
		for key, v := range form {
			seen[of+": "+key] = seen[of+": "+key] || v != nil && v != ""
		}
	}
	for key, is := range seen {
		if !is && key != "collection detail: group_resource_id" {
			t.Errorf("%s is blank in all samples", key)
		}
	}
}
