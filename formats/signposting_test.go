package formats

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// A Link header is bounded, whatever the item has, and names the most important links first.
func TestHeader(t *testing.T) {
	page := "https://data.example.org/articles/dataset/" + url.PathEscape(strings.Repeat("雨", 120)) + "/7"
	it := Item{Kind: "article", Type: "dataset", Title: strings.Repeat("雨", 240), URL: page, LicenseURL: "https://creativecommons.org/licenses/by/4.0/", Package: page + "?format=bagit"}
	for i := range 3000 {
		it.Authors = append(it.Authors, Author{Family: "Lovelace", ORCID: fmt.Sprintf("0000-0002-0000-%04d", i)})
	}
	for i := range 100 {
		it.Files = append(it.Files, File{Name: "a", URL: fmt.Sprintf("https://data.example.org/files/%d", i)})
	}
	links := Signs(it, func(f Format) string { return "https://data.example.org/export/articles/7/1/" + f.Name })
	for _, media := range []string{LinksetJSON, LinksetText} {
		links = append(links, Link{Rel: "linkset", URL: "https://data.example.org/articles/dataset/_/7/linkset", Type: media})
	}
	header := Header(links)
	if n := len("Link: " + header + "\r\n"); n > HeaderMost {
		t.Errorf("a header of %d bytes", n)
	}
	if strings.Contains(header, `rel="item"`) {
		t.Errorf("the header names files: %s", header)
	}
	for rel, n := range map[string]int{"cite-as": 1, "type": 2, "license": 1, "linkset": 2} {
		if got := strings.Count(header, `rel="`+rel+`"`); got != n {
			t.Errorf("%d links %s: %s", got, rel, header)
		}
	}
	if !strings.Contains(header, `rel="describedby"`) || !strings.HasPrefix(header, "<"+page+`>; rel="cite-as"`) {
		t.Errorf("the header is %s", header)
	}
	it.DOI = "10.1234/a"
	if header = Header(append(Signs(it, func(f Format) string { return "https://data.example.org/" + f.Name }), links...)); strings.Count(header, `rel="author"`) != 10 {
		t.Errorf("with a DOI the header is %s", header)
	}
	if all := Signs(it, func(Format) string { return "" }); len(all) < 3000+100 {
		t.Errorf("%d links of all", len(all))
	}
	if header = Header([]Link{{Rel: "cite-as", URL: "https://data.example.org/" + strings.Repeat("x", 9000)}}); header != "" {
		t.Errorf("a link of 9,000 bytes: %d", len(header))
	}
}
