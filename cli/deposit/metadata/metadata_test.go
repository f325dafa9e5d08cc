package metadata

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// said is what a file of that name and text says: the body as JSON, what was not understood and what was left.
func said(t *testing.T, name, text string) (body, doubts, left string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Read(path)
	if err != nil {
		return "", "", "", err
	}
	b, err := json.Marshal(f.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), strings.Join(f.Doubts, "; "), strings.Join(f.Left, ", "), nil
}

// Each format gives what it says and no more: what items have no place for is left, and what they have a key for and
// is not understood is a doubt.
func TestFormats(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, text, body, doubts, left string }{
		"our own keeps numbers as they are": {AlcoveName, `{"title": "T", "license": 2, "custom_fields": {"n": 1.50}, "categories": [51, "Ecology"], "embargo_date": null}`,
			`{"categories":["51","Ecology"],"custom_fields":{"n":1.50},"embargo_date":null,"license":"2","title":"T"}`, "", ""},
		"a citation": {CFFName, "cff-version: 1.2.0\nmessage: m\ntitle: 1.10\ntype: dataset\nabstract: |\n  One <b>\n  two\n\n  three\nkeywords: [a, 1.10, a]\nauthors:\n" +
			"  - family-names: Beethoven\n    given-names: Ludwig\n    name-particle: van\n    orcid: https://orcid.org/0000-0002-1825-0097\n    email: l@example.org\n  - name: An organisation\nlicense: CC-BY-4.0\nversion: 1.0.2\ndate-released: 2020-01-01\ndoi: 10.1234/x\n",
			`{"authors":[{"first_name":"Ludwig","last_name":"van Beethoven","name_particle":"van","orcid_id":"0000-0002-1825-0097"},{"kind":"organisation","name":"An organisation"}],"defined_type":"dataset","description":"\u003cp\u003eOne \u0026lt;b\u0026gt;\u003cbr\u003etwo\u003c/p\u003e\u003cp\u003ethree\u003c/p\u003e","keywords":["a","1.10"],"license":"CC-BY-4.0","title":"1.10"}`,
			"", "authors.email, date-released, doi, version"},
		"a citation that is doubtful": {"my.cff", "title: T\ntype: book\nauthors:\n  - family-names: L\n    orcid: https://orcid.org/0000-0002-1825-0098\n  - website: http://x\nlicense: [MIT, GPL-3.0-only]\nkeywords: {a: b}\n",
			`{"authors":[{"name":"L"}],"title":"T"}`,
			`"keywords" has a value that is not a text; "book" is not a type of this format; "https://orcid.org/0000-0002-1825-0098" is not an ORCID iD; an author has no name; there are several licences to choose from (MIT, GPL-3.0-only), and an item has one`, ""},
		"an answer of DataCite": {DataciteName, `{"data": {"id": "10.1/x", "attributes": {"titles": [{"title": "T"}, {"title": "S", "titleType": "Subtitle"}],
			"creators": [{"name": "Lovelace, Ada", "nameType": "Personal", "affiliation": ["P"], "nameIdentifiers": [{"nameIdentifier": "0000-0002-1825-0097", "nameIdentifierScheme": "ORCID"}]}, {"name": "CERN, Geneva", "nameType": "Organizational"}],
			"descriptions": [{"description": "D", "descriptionType": "Abstract"}, {"description": "M", "descriptionType": "Methods"}],
			"subjects": [{"subject": "Ecology", "subjectScheme": "ANZSRC Fields of Research 2020", "classificationCode": "310301"}, {"subject": "k"}],
			"rightsList": [{"rights": "open access", "rightsUri": "http://purl.org/coar/access_right/c_abf2", "rightsIdentifierScheme": "COAR"}, {"rights": "CC BY", "rightsIdentifier": "cc-by-4.0"}],
			"types": {"resourceTypeGeneral": "JournalArticle", "resourceType": "Article"}, "publisher": "P", "publicationYear": 2020, "language": "en",
			"relatedIdentifiers": [{"relatedIdentifier": "10.2/y", "relatedIdentifierType": "DOI", "relationType": "IsSupplementTo"}],
			"fundingReferences": [{"funderName": "DFG", "awardNumber": "12", "awardTitle": "A"}]}}}`,
			`{"authors":[{"affiliations":[{"name":"P"}],"first_name":"Ada","last_name":"Lovelace","orcid_id":"0000-0002-1825-0097"},{"kind":"organisation","name":"CERN, Geneva"}],"categories_by_source_id":["310301"],"defined_type":"journal contribution","description":"\u003cp\u003eD\u003c/p\u003e","funding_list":[{"title":"DFG, A, 12"}],"keywords":["k"],"license":"cc-by-4.0","related_materials":[{"identifier":"10.2/y","identifier_type":"DOI","relation":"IsSupplementTo"}],"title":"T"}`,
			"", "descriptions of the type Methods, language, publicationYear, publisher, titles of the type Subtitle, types.resourceType"},
		"DataCite that restricts": {"any.json", `{"titles": [{"title": "T"}, {"title": "U"}], "creators": [{}], "rightsList": [{"rights": "embargoed access"}], "types": {"resourceTypeGeneral": "Collection"},
			"dates": [{"date": "` + time.Now().AddDate(1, 0, 0).Format(time.DateOnly) + `", "dateType": "Available"}], "relatedIdentifiers": [{"relatedIdentifier": "x", "relatedIdentifierType": "SWHID", "relationType": "Cites"}]}`,
			`{"title":"T"}`, `there is a further title, "U"; a creator has no name; it restricts the access: "embargoed access"; there is no type of items for "Collection": choose one with --type; the related identifier "x" is of a type (SWHID) or in a relation (Cites) that items do not have; it becomes available on ` +
				time.Now().AddDate(1, 0, 0).Format(time.DateOnly) + `: say so with --embargo-until`, "dates"},
		"a crate": {CrateName, `{"@context": "x", "@graph": [{"@id": "ro-crate-metadata.json", "about": {"@id": "./"}}, {"@id": "./", "name": "T", "description": "D", "keywords": "a, b", "author": [{"@id": "https://orcid.org/0000-0002-1825-0097"}, "Bob"],
			"license": {"@id": "https://creativecommons.org/licenses/by/4.0/"}, "hasPart": [{"@id": "x"}], "datePublished": "2020", "citation": {"@id": "https://doi.org/10.1/x"}}, {"@id": "https://orcid.org/0000-0002-1825-0097", "name": "Ada", "affiliation": "P"}]}`,
			`{"authors":[{"affiliations":[{"name":"P"}],"name":"Ada","orcid_id":"0000-0002-1825-0097"},{"name":"Bob"}],"description":"\u003cp\u003eD\u003c/p\u003e","keywords":["a","b"],"license":"https://creativecommons.org/licenses/by/4.0/","references":["https://doi.org/10.1/x"],"title":"T"}`, "", "datePublished"},
		"authors of every kind in a citation": {CFFName, "title: T\nauthors:\n  - name: Reef Watch Group\n    website: https://ror.org/05dxps055\n  - family-names: Hoek\n    given-names: Maja\n    name-particle: van\n    name-suffix: Jr.\n    affiliation: Tide House\n  - alias: mlind7\n  - name: Office\n    website: https://example.org\n",
			`{"authors":[{"kind":"organisation","name":"Reef Watch Group","ror_id":"https://ror.org/05dxps055"},{"affiliations":[{"name":"Tide House"}],"first_name":"Maja","last_name":"van Hoek","name_particle":"van","name_suffix":"Jr."},{"name":"mlind7"},{"kind":"organisation","name":"Office"}],"defined_type":"software","title":"T"}`,
			"", "authors.website"},
		"authors of every kind at DataCite": {DataciteName, `{"titles": [{"title": "T"}], "creators": [{"name": "Lind, Maja"}, {"name": "Reef Watch Group"}, {"name": "Reef Watch Group", "nameType": "Organizational", "nameIdentifiers": [{"nameIdentifier": "https://ror.org/05dxps055", "nameIdentifierScheme": "ROR"}]},
			{"name": "Ruiz Blanco", "familyName": "Ruiz Blanco", "affiliation": [{"name": "Tide House", "affiliationIdentifier": "https://ror.org/05dxps055"}, {"name": "X", "affiliationIdentifier": "grid.1"}]}]}`,
			`{"authors":[{"first_name":"Maja","last_name":"Lind"},{"name":"Reef Watch Group"},{"kind":"organisation","name":"Reef Watch Group","ror_id":"https://ror.org/05dxps055"},{"affiliations":[{"name":"Tide House","ror_id":"https://ror.org/05dxps055"},{"name":"X"}],"last_name":"Ruiz Blanco"}],"title":"T"}`,
			"", "creators.affiliation.affiliationIdentifier"},
		"authors of every kind in a crate": {CrateName, `{"@graph": [{"@id": "ro-crate-metadata.json", "about": {"@id": "./"}}, {"@id": "./", "name": "T", "author": [{"@id": "#lab"}, {"@id": "#maja"}, {"@id": "https://ror.org/03yrm5c26"}]},
			{"@id": "#lab", "@type": "Organization", "name": "Reef Lab"}, {"@id": "#maja", "@type": "Person", "name": "Maja Lind", "affiliation": {"@id": "https://ror.org/05dxps055"}},
			{"@id": "https://ror.org/05dxps055", "@type": "Organization", "name": "Tide House"}, {"@id": "https://ror.org/03yrm5c26", "@type": ["CollegeOrUniversity", "Organization"], "name": "Shore College"}]}`,
			`{"authors":[{"kind":"organisation","name":"Reef Lab"},{"affiliations":[{"name":"Tide House","ror_id":"https://ror.org/05dxps055"}],"name":"Maja Lind"},{"kind":"organisation","name":"Shore College","ror_id":"https://ror.org/03yrm5c26"}],"title":"T"}`, "", ""},
		"a crate that restricts": {"crate.json", `{"@graph": [{"@id": "./ro-crate-metadata.json", "about": {"@id": "./"}}, {"@id": "./", "name": "T", "author": {"@id": "#missing"}, "license": [{"@id": "#a"}, "MIT", "GPL"], "conditionsOfAccess": "ask"}]}`,
			`{"license":"MIT","title":"T"}`, `an author is not described: "#missing"; the licence is not understood; there is a further licence, "GPL", and an item has one; it restricts the access: "conditionsOfAccess"`, ""},
	} {
		body, doubts, left, err := said(t, c.file, c.text)
		if err != nil || body != c.body || doubts != c.doubts || left != c.left {
			t.Errorf("%s: %v\n%s\n%s\n%s", name, err, body, doubts, left)
		}
	}
}

// A file that cannot be read is an error, which says where.
func TestWrong(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	for text, c := range map[string]struct{ file, want string }{
		"{\n\"title\": \"T\",\n}":      {AlcoveName, "bad JSON on line 3"},
		`{"title": "T", "title": "U"}`: {AlcoveName, `"title" stands twice`},
		`{"title": "T"`:                {AlcoveName, "ends too early"},
		`{"title": "T"} x`:             {AlcoveName, "something follows the object"},
		`["T"]`:                        {AlcoveName, "it is not a JSON object"},
		`{"files": ["x"]}`:             {AlcoveName, `the files are those of the folder`},
		`{"license": [1]}`:             {AlcoveName, `"license" is neither the number nor the name`},
		`{"@graph": []}`:               {CrateName, "it has no root"},
		"title: [":                     {CFFName, "bad YAML: line 1"},
		"- a":                          {CFFName, "it is not a mapping"},
		"":                             {CFFName, "it is empty"},
		"title: a\ntitle: b":           {CFFName, `line 2: "title" stands twice`},
		"a: &x [1]\ntitle: *x":         {CFFName, "references within YAML are not read"},
		"title: " + deep:               {CFFName, "nested too deep"},
		"title: \xff":                  {CFFName, "is not in UTF-8"},
		"title\nT":                     {"items.txt", "none of the kinds of metadata that are read"},
		"title: {[{[":                  {CFFName, "bad YAML"},
	} {
		if _, _, _, err := said(t, c.file, text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", text, err, c.want)
		}
	}
}

// A table has a row for each folder, in the spellings of spreadsheets.
func TestTable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	table := filepath.Join(dir, TableName)
	for text, want := range map[string]string{
		"folder,title,authors,license,type,references\nrun 1,One,\"Ada 0000-0002-1825-0097; Bob\",CC0,dataset,https://x; https://y\n": `{"authors":[{"name":"Ada","orcid_id":"0000-0002-1825-0097"},{"name":"Bob"}],"defined_type":"dataset","license":"CC0","references":["https://x","https://y"],"title":"One"}`,
		"\ufeffTitle;Folder;Embargo_until;group_id\r\nOne;./run 1/;2027-01-31;7\r\n":                                                  `{"embargo_date":"2027-01-31","embargo_type":"file","group_id":7,"is_embargoed":true,"title":"One"}`,
		"folder\ttitle\nrun 2\tTwo\n":                   "null",
		"folder,titel\nrun 1,One\n":                     `there is no column "titel"; there are authors, categories`,
		"title\nOne\n":                                  `it has no column "folder"`,
		"folder,title\nrun 1,A\nrun 1,B\n":              `the folder "run 1" stands on line 2 and again on line 3`,
		"folder,folder\nrun 1,A\n":                      `the column "folder" stands twice`,
		"folder,title\nrun 1\n":                         "bad CSV: record on line 2: wrong number of fields",
		"folder,authors\nrun 1,A 0000-0002-1825-0098\n": "line 2: 0000-0002-1825-0098 is not an ORCID iD: its check digit is wrong",
		"folder,group_id\nrun 1,x\n":                    `line 2: "x" is not the id of a group`,
		"":                                              "it is empty",
	} {
		if err := os.WriteFile(table, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Row(table, filepath.Join(dir, "run 1"))
		got := "null"
		switch {
		case err != nil:
			got = err.Error()
		case f != nil:
			b, err := json.Marshal(f.Body)
			if err != nil {
				t.Fatal(err)
			}
			got = string(b)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzRead holds that no file makes the readers fail otherwise than by an error, or a body that is no JSON.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"titles":[{"title":"T"}],"creators":[{"name":"A"}]}`, "title: T\nauthors:\n- name: A\n", `{"@graph":[{"@id":"ro-crate-metadata.json","about":{"@id":"./"}},{"@id":"./"}]}`, `{"title":"T"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range Names {
			found := &Found{Body: map[string]any{}}
			var err error
			if name == CFFName {
				err = found.citation([]byte(text))
			} else {
				err = found.json([]byte(text), name)
			}
			if _, wrong := json.Marshal(found.Body); err == nil && wrong != nil {
				t.Errorf("%s: %v", name, wrong)
			}
		}
		if found, err := row(text, "/x", "/x/y"); err == nil && found != nil {
			if _, wrong := json.Marshal(found.Body); wrong != nil {
				t.Error(wrong)
			}
		}
	})
}
