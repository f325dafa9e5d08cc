package load

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"alcove/tests/world"
)

// Doubles of other systems. Their answers were written from the public descriptions of the APIs (the reference of InvenioRDM's
// REST API and metadata, the API guide of Dataverse); none was recorded from a server.

// double answers as the server of another system.
type double struct {
	URL     string
	mu      sync.Mutex
	answers map[string]func(w http.ResponseWriter, r *http.Request) // by path, before all others
	asked   []string

	state  sync.Mutex // of what answer reads
	answer func(w http.ResponseWriter, r *http.Request)
}

// change changes what the server has.
func (d *double) change(to func()) {
	d.state.Lock()
	defer d.state.Unlock()
	to()
}

func startDouble(t *testing.T) *double {
	d := &double{answers: map[string]func(http.ResponseWriter, *http.Request){}}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	d.URL = server.URL
	return d
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	d.asked = append(d.asked, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Range"))
	f := d.answers[r.URL.Path]
	d.mu.Unlock()
	if f == nil {
		d.change(func() { d.answer(w, r) })
		return
	}
	f(w, r)
}

// set has a path answered otherwise, nil as usual.
func (d *double) set(path string, f func(http.ResponseWriter, *http.Request)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answers[path] = f
}

// had are the requests since the last call whose address has a text.
func (d *double) had(text string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.asked {
		if strings.Contains(a, text) {
			n++
		}
	}
	d.asked = nil
	return n
}

func says(text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
}

func md5Of(text string) string {
	sum := md5.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

// rdmDouble is a server of InvenioRDM that has one item with versions.
type rdmDouble struct {
	*double
	versions []rdmVersion
}

type rdmVersion struct {
	id, title, created string
	more               string // of metadata
	access             string
	files              map[string]string
}

func startInvenio(t *testing.T) *rdmDouble {
	d := &rdmDouble{double: startDouble(t)}
	d.answer = d.serve
	d.versions = []rdmVersion{
		{"101", "Kettles", "2021-03-04 05:06:07.945755", "", "", map[string]string{"a.csv": "minute,celsius\n", "raw/b c.txt": "raw"}},
		{"102", "Kettles, again", "2022-03-04T05:06:07.934643+00:00", `, "version": "v1.1.0"`, "", map[string]string{"a.csv": "minute,celsius\n", "c.txt": "more"}},
	}
	return d
}

// add publishes a version.
func (d *rdmDouble) add(v rdmVersion) { d.change(func() { d.versions = append(d.versions, v) }) }

func (d *rdmDouble) record(v rdmVersion, index int) string {
	access := v.access
	if access == "" {
		access = `{"record": "public", "files": "public", "embargo": {"active": false, "reason": null}}`
	}
	return fmt.Sprintf(`{"id": %q, "created": %q, "updated": "2023-01-01T00:00:00.5+00:00", "is_published": true,
		"parent": {"id": "100", "pids": {"doi": {"identifier": "10.5281/zenodo.100", "provider": "datacite"}}},
		"pids": {"doi": {"identifier": "10.5281/zenodo.%s", "provider": "datacite", "client": "datacite"}},
		"access": %s, "files": {"enabled": true, "order": []}, "versions": {"index": %d, "is_latest": %t},
		"metadata": {"title": %q, "description": "<p>Read off a <b>thermometer</b>.</p>", "publication_date": "2020-06-01", "publisher": "Zenodo",
			"resource_type": {"id": "image-photo", "title": {"en": "Photo"}},
			"creators": [{"person_or_org": {"type": "personal", "name": "Collins, Thomas", "given_name": "Thomas", "family_name": "Collins",
				"identifiers": [{"scheme": "orcid", "identifier": "0000-0002-1825-0097"}]}, "affiliations": [{"id": "01ggx4157", "name": "CERN"}]},
				{"person_or_org": {"type": "organizational", "name": "The Kettle Group"}}],
			"contributors": [{"person_or_org": {"type": "personal", "name": "Brown, Troy", "given_name": "Troy", "family_name": "Brown"}, "role": {"id": "editor", "title": {"en": "Editor"}}}],
			"subjects": [{"subject": "kettle"}, {"id": "https://id.nlm.nih.gov/mesh/D000001", "subject": "Water"}],
			"rights": [{"id": "cc0-1.0", "title": {"en": "Creative Commons Zero v1.0 Universal"}, "props": {"url": "https://creativecommons.org/publicdomain/zero/1.0/legalcode"}}],
			"additional_descriptions": [{"description": "<p>With a spoon.</p>", "type": {"id": "methods", "title": {"en": "Methods"}}}],
			"related_identifiers": [{"identifier": "10.1234/paper", "scheme": "doi", "relation_type": {"id": "issupplementto"}}, {"identifier": "https://example.org/x", "scheme": "url", "relation_type": {"id": "references"}}],
			"funding": [{"funder": {"id": "00k4n6c32", "name": "European Commission"}, "award": {"number": "123", "title": {"en": "Warm water"}}}]%s}}`,
		v.id, v.created, v.id, access, index, index == len(d.versions), v.title, v.more)
}

func (d *rdmDouble) serve(w http.ResponseWriter, r *http.Request) {
	path, below := strings.TrimPrefix(r.URL.Path, "/api/records"), ""
	if path == r.URL.Path {
		http.NotFound(w, r)
		return
	}
	rdm := r.Header.Get("Accept") == "application/vnd.inveniordm.v1+json"
	if path == "" {
		if strings.Contains(r.URL.Query().Get("q"), `"10.5281/zenodo.100"`) {
			fmt.Fprintf(w, `{"hits": {"hits": [%s], "total": 1}}`, d.record(d.versions[0], 1))
		} else {
			fmt.Fprint(w, `{"hits": {"hits": [], "total": 0}}`)
		}
		return
	}
	id, below, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if id == "100" { // the parent leads to its newest version
		http.Redirect(w, r, "/api/records/"+d.versions[len(d.versions)-1].id, http.StatusFound)
		return
	}
	for i, v := range d.versions {
		if v.id != id {
			continue
		}
		switch {
		case below == "" && rdm:
			fmt.Fprint(w, d.record(v, i+1))
		case below == "": // the form of Zenodo's own
			fmt.Fprintf(w, `{"id": %s, "conceptrecid": "100"}`, v.id)
		case below == "versions":
			page, _ := strconv.Atoi(r.URL.Query().Get("page"))
			size, _ := strconv.Atoi(r.URL.Query().Get("size"))
			var list []string
			for j := len(d.versions) - 1 - (page-1)*size; j >= 0 && len(list) < size; j-- { // the newest first
				list = append(list, d.record(d.versions[j], j+1))
			}
			fmt.Fprintf(w, `{"hits": {"hits": [%s], "total": %d}, "sortBy": "version"}`, strings.Join(list, ","), len(d.versions))
		case below == "files":
			var list []string
			for _, key := range keysOf(v.files) {
				list = append(list, fmt.Sprintf(`{"key": %q, "checksum": "md5:%s", "size": %d, "status": "completed", "links": {"content": "x"}}`, key, md5Of(v.files[key]), len(v.files[key])))
			}
			fmt.Fprintf(w, `{"enabled": true, "order": [], "entries": [%s]}`, strings.Join(list, ","))
		default:
			key, err := url.PathUnescape(strings.TrimSuffix(strings.TrimPrefix(below, "files/"), "/content"))
			text, ok := v.files[key]
			if err != nil || !ok {
				http.NotFound(w, r)
				return
			}
			fmt.Fprint(w, text)
		}
		return
	}
	http.NotFound(w, r)
}

func keysOf(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// dvDouble is a server of Dataverse that has one dataset.
type dvDouble struct {
	*double
	versions []string // of the list, the newest first
	files    map[string]string
	bytes    map[string]string
}

const dvName = "doi:10.7910/DVN/KETTLE"

func startDataverse(t *testing.T) *dvDouble {
	d := &dvDouble{double: startDouble(t)}
	d.answer = d.serve
	version := func(major, minor int, state, title, released string) string {
		return fmt.Sprintf(`{"id": 3%d%d, "datasetId": 6, "datasetPersistentId": %q, "storageIdentifier": "local://x", "versionNumber": %d, "versionMinorNumber": %d, "versionState": %q,
			"lastUpdateTime": %q, "releaseTime": %q, "createTime": "2019-01-01T00:00:00Z",
			"license": {"name": "CC BY 4.0", "uri": "http://creativecommons.org/licenses/by/4.0"}, "fileAccessRequest": true,
			"metadataBlocks": {"citation": {"displayName": "Citation Metadata", "name": "citation", "fields": [
				{"typeName": "title", "multiple": false, "typeClass": "primitive", "value": %q},
				{"typeName": "author", "multiple": true, "typeClass": "compound", "value": [
					{"authorName": {"typeName": "authorName", "multiple": false, "typeClass": "primitive", "value": "Example, Mary"}, "authorAffiliation": {"typeName": "authorAffiliation", "value": "An Institute"},
					 "authorIdentifierScheme": {"typeName": "authorIdentifierScheme", "value": "ORCID"}, "authorIdentifier": {"typeName": "authorIdentifier", "value": "0000-0002-1825-0097"}}]},
				{"typeName": "datasetContact", "multiple": true, "typeClass": "compound", "value": [{"datasetContactEmail": {"typeName": "datasetContactEmail", "value": "mary@example.org"}}]},
				{"typeName": "dsDescription", "multiple": true, "typeClass": "compound", "value": [{"dsDescriptionValue": {"typeName": "dsDescriptionValue", "value": "Temperatures of a kettle"}}]},
				{"typeName": "subject", "multiple": true, "typeClass": "controlledVocabulary", "value": ["Physics"]},
				{"typeName": "keyword", "multiple": true, "typeClass": "compound", "value": [{"keywordValue": {"typeName": "keywordValue", "value": "kettle"}}]},
				{"typeName": "publication", "multiple": true, "typeClass": "compound", "value": [{"publicationCitation": {"typeName": "publicationCitation", "value": "Example 2018"}, "publicationIDType": {"typeName": "publicationIDType", "value": "doi"}, "publicationIDNumber": {"typeName": "publicationIDNumber", "value": "10.1234/paper"}}]},
				{"typeName": "language", "multiple": true, "typeClass": "controlledVocabulary", "value": ["English", "Latvian"]},
				{"typeName": "grantNumber", "multiple": true, "typeClass": "compound", "value": [{"grantNumberAgency": {"typeName": "grantNumberAgency", "value": "NSF"}, "grantNumberValue": {"typeName": "grantNumberValue", "value": "77"}}]}]},
			"geospatial": {"displayName": "Geospatial Metadata", "name": "geospatial", "fields": [{"typeName": "geographicUnit", "multiple": true, "typeClass": "primitive", "value": ["Kitchen"]}]}}}`,
			major, minor, dvName, major, minor, state, released, released, title)
	}
	d.versions = []string{version(1, 1, "RELEASED", "Kettle data, corrected", "2020-02-01T00:00:00Z"), version(1, 0, "RELEASED", "Kettle data", "2019-02-01T00:00:00Z")}
	d.bytes = map[string]string{"11": "a,b\n1,2\n", "12": "read me", "13": "later"}
	sum := sha256.Sum256([]byte(d.bytes["13"]))
	table := fmt.Sprintf(`{"label": "table.tab", "restricted": false, "directoryLabel": "data", "version": 1, "datasetVersionId": 3, "dataFile": {"id": 11, "filename": "table.tab", "contentType": "text/tab-separated-values",
		"filesize": 99, "originalFileFormat": "text/csv", "originalFormatLabel": "Comma Separated Values", "originalFileSize": 8, "originalFileName": "table.csv", "md5": %q, "checksum": {"type": "MD5", "value": %q}, "tabularData": true}}`, md5Of(d.bytes["11"]), md5Of(d.bytes["11"]))
	readme := fmt.Sprintf(`{"label": "README.txt", "restricted": false, "dataFile": {"id": 12, "filename": "README.txt", "filesize": 7, "md5": %q, "checksum": {"type": "MD5", "value": %q}}}`, md5Of(d.bytes["12"]), md5Of(d.bytes["12"]))
	later := fmt.Sprintf(`{"label": "later.txt", "restricted": false, "dataFile": {"id": 13, "filename": "later.txt", "filesize": 5, "checksum": {"type": "SHA-256", "value": %q}}}`, hex.EncodeToString(sum[:]))
	d.files = map[string]string{"1.0": table + "," + readme, "1.1": table + "," + readme + "," + later}
	return d
}

func (d *dvDouble) serve(w http.ResponseWriter, r *http.Request) {
	const dataset = "/api/datasets/:persistentId/versions"
	if id, ok := strings.CutPrefix(r.URL.Path, "/api/access/datafile/"); ok && d.bytes[id] != "" {
		if id == "11" && r.URL.Query().Get("format") != "original" {
			fmt.Fprint(w, strings.Repeat("\t", 99))
			return
		}
		fmt.Fprint(w, d.bytes[id])
		return
	}
	if !strings.HasPrefix(r.URL.Path, dataset) || r.URL.Query().Get("persistentId") != dvName {
		http.Error(w, `{"status": "ERROR", "message": "not found"}`, http.StatusNotFound)
		return
	}
	if r.URL.Path == dataset {
		fmt.Fprintf(w, `{"status": "OK", "data": [%s]}`, strings.Join(d.versions, ","))
		return
	}
	number := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, dataset+"/"), "/files")
	files := d.files[number]
	if r.URL.Query().Get("offset") != "0" {
		files = ""
	}
	fmt.Fprintf(w, `{"status": "OK", "data": [%s], "totalCount": 3}`, files)
}

// sizeOf is the size of a file in the data directory, -1 without one.
func sizeOf(s *world.Server, name string) int64 {
	info, err := os.Stat(filepath.Join(s.Cfg.Data, name))
	if err != nil {
		return -1
	}
	return info.Size()
}
