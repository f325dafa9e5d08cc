package record

import (
	"strings"
	"testing"
)

// ISO 26324 and RFC 3651, 3.1: what a DOI and a handle look like.
func TestReadIdentifiers(t *testing.T) {
	for _, c := range []struct{ text, doi, handle string }{
		{"10.5281/zenodo.123456", "10.5281/zenodo.123456", "10.5281/zenodo.123456"},
		{" https://doi.org/10.5281/Zenodo.1 ", "10.5281/Zenodo.1", ""},
		{"http://dx.doi.org/10.1234/x.v2", "10.1234/x.v2", ""},
		{"DOI: 10.1234.5/é(1)<2>", "10.1234.5/é(1)<2>", ""},
		{"https://hdl.handle.net/2134/5.x", "", "2134/5.x"}, {"hdl:2134/5", "", "2134/5"},
		{"10.1234/", "", ""}, {"10.12/x", "", "10.12/x"}, {"not a doi", "", ""}, {"10.1234/a b", "", ""}, {"10.1234/a\x00b", "", ""},
		{"10.1234/a\u200bb", "", ""}, {"https://doi.org/https://doi.org/10.1234/x", "", ""}, {"", "", ""}, {"a/" + strings.Repeat("x", 254), "", ""},
	} {
		if doi, ok := ReadDOI(c.text); ok != (c.doi != "") || ok && doi != c.doi {
			t.Errorf("DOI %q: %q, %v", c.text, doi, ok)
		}
		if handle, ok := ReadHandle(c.text); ok != (c.handle != "") || ok && handle != c.handle {
			t.Errorf("handle %q: %q, %v", c.text, handle, ok)
		}
	}
}
