package record

import "testing"

// An identifier is the same work in each of its forms. Anything else is an address or text.
func TestReadWork(t *testing.T) {
	for _, c := range []struct{ text, kind, of, value, url string }{
		{"10.1234/paper", "URL", "DOI", "10.1234/paper", "https://doi.org/10.1234/paper"},
		{"doi:10.1234/Two", "", "DOI", "10.1234/two", "https://doi.org/10.1234/two"},
		{" https://doi.org/10.1234/PAPER. ", "URL", "DOI", "10.1234/paper", "https://doi.org/10.1234/paper"},
		{"http://dx.doi.org/10.1234%2Fpaper", "URL", "DOI", "10.1234/paper", "https://doi.org/10.1234/paper"},
		{"info:doi/10.1234/paper", "URL", "DOI", "10.1234/paper", "https://doi.org/10.1234/paper"},
		{"https://hdl.handle.net/10.1234/paper", "Handle", "DOI", "10.1234/paper", "https://doi.org/10.1234/paper"},
		{"10.1234/a<b>#?%", "DOI", "DOI", "10.1234/a<b>#?%", "https://doi.org/10.1234/a%3Cb%3E%23%3F%25"},
		{"arXiv:2101.00001", "URL", "arXiv", "arXiv:2101.00001", "https://arxiv.org/abs/2101.00001"},
		{"https://arxiv.org/pdf/2101.00001v2.pdf", "URL", "arXiv", "arXiv:2101.00001v2", "https://arxiv.org/abs/2101.00001v2"},
		{"arxiv.org/abs/hep-th/9901001", "URL", "arXiv", "arXiv:hep-th/9901001", "https://arxiv.org/abs/hep-th/9901001"},
		{"2101.00001", "arXiv", "arXiv", "arXiv:2101.00001", "https://arxiv.org/abs/2101.00001"},
		{"2101.00001", "URL", "", "2101.00001", ""},
		{"hdl:2381/12345", "URL", "Handle", "2381/12345", "https://hdl.handle.net/2381/12345"},
		{"https://hdl.handle.net/2381/12345", "URL", "Handle", "2381/12345", "https://hdl.handle.net/2381/12345"},
		{"2381/12345", "Handle", "Handle", "2381/12345", "https://hdl.handle.net/2381/12345"},
		{"2381/12345", "URL", "", "2381/12345", ""},
		{"PMID:12345678", "URL", "PMID", "12345678", "https://pubmed.ncbi.nlm.nih.gov/12345678/"},
		{"PMID 12345678", "URL", "PMID", "12345678", "https://pubmed.ncbi.nlm.nih.gov/12345678/"},
		{"https://pubmed.ncbi.nlm.nih.gov/12345678/", "URL", "PMID", "12345678", "https://pubmed.ncbi.nlm.nih.gov/12345678/"},
		{"https://www.ncbi.nlm.nih.gov/pubmed/12345678", "URL", "PMID", "12345678", "https://pubmed.ncbi.nlm.nih.gov/12345678/"},
		{"PMID:x", "PMID", "", "PMID:x", ""},
		{"urn:nbn:de:101:1-2019", "URL", "URN", "urn:nbn:de:101:1-2019", "https://nbn-resolving.org/urn:nbn:de:101:1-2019"},
		{"https://nbn-resolving.org/urn:nbn:de:101:1-2019", "URL", "URN", "urn:nbn:de:101:1-2019", "https://nbn-resolving.org/urn:nbn:de:101:1-2019"},
		{"URN:LEX:eu:x", "URN", "URN", "urn:lex:eu:x", ""},
		{"ISBN 978-3-16-148410-0", "URL", "ISBN", "9783161484100", "https://openlibrary.org/isbn/9783161484100"},
		{"978-3-16-148410-0", "URL", "ISBN", "9783161484100", "https://openlibrary.org/isbn/9783161484100"},
		{"ISBN 3-16-148410-X", "URL", "ISBN", "9783161484100", "https://openlibrary.org/isbn/9783161484100"},
		{"urn:isbn:316148410X", "URL", "ISBN", "9783161484100", "https://openlibrary.org/isbn/9783161484100"},
		{"ISBN 978-3-16-148410-1", "URL", "", "ISBN 978-3-16-148410-1", ""},
		{"https://example.org/10.1234/x", "DOI", "URL", "https://example.org/10.1234/x", "https://example.org/10.1234/x"},
		{"http://purl.org/x", "PURL", "PURL", "http://purl.org/x", "http://purl.org/x"},
		{"ark:/12148/x", "ARK", "ARK", "ark:/12148/x", "https://n2t.net/ark:/12148/x"},
		{"1234-5678", "ISSN", "ISSN", "1234-5678", ""},
		{"Doe 1999, p. 4", "URL", "", "Doe 1999, p. 4", ""},
		{"javascript:alert(1)", "URL", "", "javascript:alert(1)", ""},
		{"https:", "URL", "", "https:", ""},
		{"", "URL", "", "", ""},
	} {
		if got := ReadWork(c.text, c.kind); got != (Work{c.of, c.value, c.url}) {
			t.Errorf("%q of %q is %+v, want %q %q %q", c.text, c.kind, got, c.of, c.value, c.url)
		}
	}
}
