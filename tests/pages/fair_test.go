package pages

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

// publicSite is where the items of the test are for readers, behind a proxy that has TLS.
const publicSite = "https://data.example.org"

// fairRules are the metrics of F-UJI (metrics_v0.8) with the most points that each gives, and the points that an item
// gets by what a client finds.
var fairRules = []struct {
	metric string
	most   float64
	points func(*assessed) float64
}{
	{"FsF-F1-01MD", 1, func(a *assessed) float64 { return one(a.identifier() != "") }},
	{"FsF-F1-02MD", 1, func(a *assessed) float64 { // the other half needs a DOI that doi.org leads on
		cited := a.links("cite-as")[0] // on the page of all versions the DOI of all
		return one(doiAddress.MatchString(cited) && strings.HasPrefix(a.identifier(), cited)) / 2
	}},
	{"FsF-F2-01M", 2, func(a *assessed) float64 {
		core := filled(a.data, "creator", "name", "datePublished", "publisher", "@type") && a.identifier() != ""
		return one(core) + one(core && filled(a.data, "description", "keywords"))
	}},
	{"FsF-F3-01M", 1, func(a *assessed) float64 { return one(a.file != nil && slices.Contains(a.links("item"), a.fileURL())) }},
	{"FsF-F4-01M", 2, func(a *assessed) float64 {
		return one(a.data["@type"] == "Dataset") + one(a.tags["DC.title"] != "" && a.tags["DC.creator"] != "" && a.tags["DC.identifier"] == a.identifier())
	}},
	{"FsF-A1-01M", 1, func(a *assessed) float64 {
		right, _ := a.data["conditionsOfAccess"].(string)
		return one(strings.HasPrefix(right, "http://purl.org/coar/access_right/c_") && a.data["isAccessibleForFree"] == true)
	}},
	{"FsF-A1-02MD", 2, func(a *assessed) float64 {
		return one(a.answered(a.links("describedby")...)) + one(a.answered(a.fileURL()))
	}},
	{"FsF-A1.1-01MD", 2, func(a *assessed) float64 {
		return one(strings.HasPrefix(a.page, "http")) + one(strings.HasPrefix(a.fileURL(), "http"))
	}},
	{"FsF-A1.2-01MD", 2, func(a *assessed) float64 {
		return one(strings.HasPrefix(a.page, "https://")) + one(strings.HasPrefix(a.fileURL(), "https://"))
	}},
	{"FsF-I1-01M", 2, func(a *assessed) float64 {
		return one(a.data["@context"] == "https://schema.org") + one(len(a.rdf) > 0 && a.linked("describedby", "application/rdf+xml"))
	}},
	{"FsF-I2-01M", 2, func(a *assessed) float64 {
		return one(len(a.rdf) > 0) + one(a.rdf["http://www.w3.org/ns/dcat#"] && a.rdf["http://spdx.org/rdf/terms#"])
	}},
	{"FsF-I3-01M", 2, func(a *assessed) float64 {
		works, by := a.related()
		return one(works > 0) + one(by["isBasedOn"] && by["citation"] && by["subjectOf"])
	}},
	{"FsF-R1-01M", 2, func(a *assessed) float64 {
		length, kind := a.sent(a.fileURL())
		return one(a.data["@type"] == "Dataset") + one(a.file["contentSize"] == length+" B" && a.file["encodingFormat"] == kind)
	}},
	{"FsF-R1.1-01M", 1, func(a *assessed) float64 {
		return one(filled(a.data, "license") && a.links("license")[0] == "https://spdx.org/licenses/CC-BY-4.0")
	}},
	{"FsF-R1.2-01M", 1, func(a *assessed) float64 {
		return one(filled(a.data, "creator", "publisher", "datePublished", "dateModified", "version") && a.rdf["http://www.w3.org/ns/prov#"])
	}},
	{"FsF-R1.3-01M", 1, func(a *assessed) float64 {
		return one(strings.Contains(a.datacite, "http://datacite.org/schema/kernel-4"))
	}},
	{"FsF-R1.3-02D", 1, func(a *assessed) float64 { return one(a.file["encodingFormat"] == "text/csv") }},
}

var doiAddress = regexp.MustCompile(`^https://doi\.org/10\.\d{4,9}/\S+$`)

func one(found bool) float64 {
	if found {
		return 1
	}
	return 0
}

// An item with all that its description can have gets the points that docs/interoperability.md tells, by what a client
// reads that looks for it as F-UJI does: in the page, its header, and what is given by Accept.
func TestFAIRSignals(t *testing.T) {
	t.Parallel()
	d := doubles.StartDataCite(t)
	s := world.Start(t, d.Used)
	_, at := published(s, `{"title": "Rain, hour by hour", "defined_type": "dataset", "description": "Sums of rain in Ny-Ålesund, hour by hour.", "tags": ["rain"],
		"categories": [37], "license": 1, "authors": [{"first_name": "Ada", "last_name": "Lovelace", "orcid_id": "0000-0002-1825-0097"}], "funding_list": [{"title": "Grant 7"}],
		"related_materials": [{"identifier": "10.1234/paper", "identifier_type": "DOI", "relation": "IsSupplementTo", "title": "The paper"},
			{"identifier": "10.1234/raw", "identifier_type": "DOI", "relation": "IsDerivedFrom"}, {"identifier": "https://example.org/method", "identifier_type": "URL", "relation": "References"}]}`, "rain.csv")
	at = strings.TrimPrefix(at, s.URL)
	for _, doi := range []string{"10.1234/alcove.1.v1", "10.1234/alcove.1"} {
		world.WaitFor(t, doi+" is registered", func() bool { return d.State(doi) == "findable" })
	}
	world.WaitFor(t, "the page has its DOI", func() bool {
		return strings.Contains(string(s.Anon.Get(at).Bytes), "https://doi.org/10.1234/alcove.1.v1")
	})
	s.Stop()
	s.Cfg.BaseURL = publicSite
	s.Boot()
	s.URL = "http://" + s.Address()
	told := map[string]string{}
	text, err := os.ReadFile(disk.Root("docs/interoperability.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile(`(?m)^\| (FsF-\S+) \| ([0-9.]+ of [0-9]) \|`).FindAllStringSubmatch(string(text), -1) {
		told[row[1]] = row[2]
	}
	if len(fairRules) != 17 || len(told) != len(fairRules) {
		t.Errorf("%d metrics are tested, and %d told", len(fairRules), len(told))
	}
	for _, page := range []string{at, at + "/1"} {
		a := assess(s, page)
		sum, most := 0.0, 0.0
		for _, r := range fairRules {
			got := r.points(a)
			if points := strconv.FormatFloat(got, 'f', -1, 64) + fmt.Sprintf(" of %.0f", r.most); points != told[r.metric] {
				t.Errorf("%s: %s has %s, and %q is told", page, r.metric, points, told[r.metric])
			}
			sum, most = sum+got, most+r.most
		}
		if total := fmt.Sprintf("%g of %g points", sum, most); sum < 24 || most != 26 || !strings.Contains(string(text), total) {
			t.Errorf("%s has %s, which are not told", page, total)
		}
	}
}
