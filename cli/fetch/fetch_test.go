package fetch

import (
	"net/netip"
	"testing"
)

// A server that everyone reaches leads to no address inside; one that is inside, only to those of its own sort.
func TestReach(t *testing.T) {
	for host, may := range map[string]string{"192.88.1.1": "", "127.0.0.1": "loopback", "10.1.2.3": "private", "::1": "loopback", "169.254.1.1": "link-local"} {
		r, err := reachFrom(t.Context(), host)
		if err != nil {
			t.Fatal(err)
		}
		for ip, sort := range map[string]string{
			"8.8.8.8": "", "2606:4700::1": "", "127.0.0.1": "loopback", "127.9.9.9": "loopback", "::1": "loopback", "::ffff:127.0.0.1": "loopback",
			"10.0.0.1": "private", "172.31.0.1": "private", "192.168.1.1": "private", "100.64.0.1": "private", "fd00::1": "private",
			"169.254.169.254": "link-local", "fe80::1": "link-local", "::ffff:169.254.169.254": "link-local",
			"0.0.0.0": "special", "::": "special", "255.255.255.255": "special", "224.0.0.1": "special", "64:ff9b::7f00:1": "special", "2002:7f00:1::": "special",
		} {
			if got := r.may(netip.MustParseAddr(ip)) == nil; got != (sort == "" || sort == may) {
				t.Errorf("from %s to %s: %v", host, ip, got)
			}
		}
	}
	if _, err := reachFrom(t.Context(), ""); err == nil {
		t.Error("an address without a host")
	}
}

func TestParseRef(t *testing.T) {
	for text, want := range map[string]Ref{
		"7": {ID: 7}, "article/7": {ID: 7}, "collections/3": {ID: 3, Collection: true},
		"10.1234/x.v2": {DOI: "10.1234/x.v2"}, "https://doi.org/10.1234/x": {DOI: "10.1234/x"}, "doi:10.1234/x": {DOI: "10.1234/x"},
		"https://Host.org/v2/articles/7":                                    {Base: "https://host.org", ID: 7},
		"https://host.org/repo/v2/collections/7/versions/2":                 {Base: "https://host.org/repo", ID: 7, Collection: true},
		"https://figshare.com/articles/dataset/Some_title/123/2":            {Base: "https://api.figshare.com", ID: 123},
		"https://uni.figshare.com/collections/2020/123":                     {Base: "https://api.figshare.com", ID: 123, Collection: true},
		"http://127.0.0.1:8080/articles/dataset/2020/7":                     {Base: "http://127.0.0.1:8080", ID: 7},
		"http://127.0.0.1:8080/articles/2020/7":                             {Base: "http://127.0.0.1:8080", ID: 7},
		"https://figshare.com/articles/Some_title/123/2":                    {Base: "https://api.figshare.com", ID: 123},
		"https://figshare.com/articles/Some_title/123":                      {Base: "https://api.figshare.com", ID: 123},
		"https://figshare.com/articles/journal_contribution/2020/123/4":     {Base: "https://api.figshare.com", ID: 123},
		"https://figshare.com/collections/Some_title/123/2":                 {Base: "https://api.figshare.com", ID: 123, Collection: true},
		"https://uni.figshare.com/articles/a_type_of_theirs/Some_title/123": {Base: "https://api.figshare.com", ID: 123},
		"http://127.0.0.1:8080/articles/7":                                  {Base: "http://127.0.0.1:8080", ID: 7},
		"https://zenodo.org/records/123":                                    {Base: "https://zenodo.org", System: Invenio, Name: "123"},
		"https://zenodo.org/record/123/files/a.csv":                         {Base: "https://zenodo.org", System: Invenio, Name: "123"},
		"https://rdm.org/repo/api/records/abcde-12345/versions":             {Base: "https://rdm.org/repo", System: Invenio, Name: "abcde-12345"},
		"https://zenodo.org/doi/10.5281/zenodo.123":                         {Base: "https://zenodo.org", DOI: "10.5281/zenodo.123"},
		"https://dv.org/dataset.xhtml?persistentId=doi:10.7910/DVN/X&v=1.0": {Base: "https://dv.org", System: Dataverse, Name: "doi:10.7910/DVN/X"},
		"https://dv.org/api/datasets/:persistentId/?persistentId=hdl:1/X":   {Base: "https://dv.org", System: Dataverse, Name: "hdl:1/X"},
	} {
		if got, err := ParseRef(text); err != nil || got != want {
			t.Errorf("%s: %+v %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "x", "article/x", "project/7", "https://host.org/", "https://host.org/articles", "ftp://host.org/v2/articles/7",
		"https://me@host.org/v2/articles/7", "file:///v2/articles/7", "https://host.org/v2/articles/99999999999999999999", "https:///v2/articles/7",
		"https://zenodo.org/records/..", "https://zenodo.org/records/", "https://dv.org/dataset.xhtml?persistentId=x", "https://dv.org/dataset.xhtml?persistentId=doi:10.1234/a%0Ab", "ftp://zenodo.org/records/1"} {
		if got, err := ParseRef(text); err == nil {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
