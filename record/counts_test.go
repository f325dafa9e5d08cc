package record

import (
	"slices"
	"strings"
	"testing"
)

// The citations of an item: DOIs in any form, in references and in materials of any relation,
// each once, with and without a version.
func TestCited(t *testing.T) {
	for _, tt := range []struct {
		references string
		related    []RelatedMaterial
		want       string
	}{
		{"", nil, ""},
		{"https://doi.org/10.5072/Alcove.7 http://dx.doi.org/10.5072/alcove.7 doi:10.1234/x", nil, "10.1234/x 10.5072/alcove.7"},
		{"10.5072/alcove.7.v2", nil, "10.5072/alcove.7 10.5072/alcove.7.v2"},
		{"10.1234/v2 10.1234/a.vx", nil, "10.1234/a.vx 10.1234/v2"},
		{"https://example.org/10.1234/x 10.1234/ 10.1 10.x/y doi.org", nil, ""},
		{"https://doi.org/10.1234/" + strings.Repeat("x", 1000), nil, ""},
		{"", []RelatedMaterial{{Identifier: "10.1234/b", Relation: "IsCitedBy", Type: "DOI"}, {Identifier: "https://doi.org/10.1234/a", Relation: "References", Type: "URL"}}, "10.1234/a 10.1234/b"},
	} {
		m := Metadata{References: strings.Fields(tt.references), Related: tt.related}
		if got := m.Cited(); !slices.Equal(got, strings.Fields(tt.want)) {
			t.Errorf("%s %v cites %v, want %s", tt.references, tt.related, got, tt.want)
		}
	}
}
