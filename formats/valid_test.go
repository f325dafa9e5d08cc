package formats

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shared are data for tests that are not in the repository.
const shared = "../../shared/data"

// registryItems are real records as items.
func registryItems(t *testing.T) (list []Item) {
	t.Helper()
	f, err := os.Open(filepath.Join(shared, "open-data-registry.jsonl"))
	if err != nil {
		t.Skip("the real records are not there: ", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r struct {
			Slug, Title, Description, License, Documentation, Citation string
			Tags                                                       []string
			ManagedBy                                                  string `json:"managed_by"`
			Resources                                                  []struct {
				ARN, Description string
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		n := int64(len(list) + 1)
		it := Item{
			Kind: "article", ID: n, Version: 1, Type: "dataset", Title: r.Title, Authors: []Author{{Full: r.ManagedBy, Organisation: true}}, Published: sampleDay, First: sampleDay,
			Modified: sampleDay, URL: "https://a.example/articles/dataset/" + r.Slug + "/1/1", Publisher: "Alcove", License: r.License, Keywords: r.Tags,
			Description: r.Description, Grants: []Grant{{Title: r.Citation}},
			Related: []Related{{r.Documentation, "URL", "IsDocumentedBy", "", r.Documentation}}, Count: len(r.Resources), Access: Access(n % 4),
		}
		if n%2 == 0 {
			it.DOI, it.ConceptDOI = "10.1234/alcove."+r.Slug+".v1", "10.1234/alcove."+r.Slug
		}
		for _, f := range r.Resources {
			it.Files = append(it.Files, File{Name: f.Description, URL: "https://a.example/files/" + f.ARN, MD5: "d41d8cd98f00b204e9800998ecf8427e", MIME: "text/csv", Size: 1})
		}
		list = append(list, it)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// Real records, and those that are meant to break a form, are valid by the schemas of their forms.
func TestSchemas(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint is not there: ", err)
	}
	list := append(registryItems(t), authorItems(t)...)
	for _, s := range samples {
		list = append(list, s.Item)
	}
	for _, h := range hostile {
		list = append(list, Item{Kind: "article", Type: h, Title: h, Authors: []Author{{Family: h, Given: h, ORCID: h}, {Full: h}}, Published: sampleDay, DOI: "10.1/" + h, Handle: h,
			URL: "https://a.example/" + h, Publisher: h, License: h, LicenseURL: "https://a.example/" + h, Keywords: []string{h}, Categories: []Category{{h, h}},
			Grants: []Grant{{h, h, h, "https://a.example/" + h}}, Description: h, Related: []Related{{h, "DOI", "References", h, h}}, Files: []File{{h, "https://a.example/" + h, h, h, 1}}})
	}
	list = append(list, Item{Title: strings.Repeat("very long ", 100_000), Description: strings.Repeat("🌊", 100_000), Kind: "collection"})
	whole := samples[0].Item
	whole.DOI = whole.ConceptDOI
	for n := range 600 {
		whole.Related = append(whole.Related, Related{Identifier: "10.1234/a." + itoa(n), Type: "DOI", Relation: []string{"HasVersion", "HasPart"}[n%2]})
	}
	list = append(list, whole)
	for _, name := range []string{"datacite-xml", "dublin-core", "oai-datacite"} {
		dir, form := t.TempDir(), ""
		f, _ := ByName(name)
		for i, it := range list {
			form = f.Write(it)
			if err := os.WriteFile(filepath.Join(dir, strings.Repeat("0", 5-len(itoa(i)))+itoa(i)+".xml"), []byte(form), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*.xml"))
		out, err := exec.Command(lint, append([]string{"--noout", "--nonet", "--huge", "--schema", filepath.Join(shared, "xsd/driver.xsd")}, files...)...).CombinedOutput()
		if valid := strings.Count(string(out), " validates\n"); err != nil || valid != len(list) {
			t.Errorf("%s: %d of %d are valid: %v\n%.3000s", name, valid, len(list), err, regexp.MustCompile(`(?m)^.* validates\n`).ReplaceAllString(string(out), ""))
		}
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// A description has all that Croissant 1.1 asks for.
func TestCroissant(t *testing.T) {
	for _, s := range samples {
		var o map[string]any
		if err := json.Unmarshal([]byte(croissant(s.Item.clean())), &o); err != nil {
			t.Fatal(err)
		}
		terms, _ := o["@context"].(map[string]any)
		if o["@type"] != "sc:Dataset" || o["conformsTo"] != croissant1 || terms["@vocab"] != "https://schema.org/" || terms["sc"] != "https://schema.org/" || len(terms) != 37 {
			t.Errorf("%s: %v with %d terms", s.name, o, len(terms))
		}
		for _, key := range []string{"name", "description"} {
			if text, _ := o[key].(string); text == "" {
				t.Errorf("%s has no %s", s.name, key)
			}
		}
		if s.name != "all fields" {
			continue
		}
		for _, key := range []string{"license", "url", "creator", "datePublished", "distribution", "keywords", "citeAs"} {
			if o[key] == nil {
				t.Errorf("%s has no %s", s.name, key)
			}
		}
		if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(o["version"].(string)) {
			t.Errorf("version %v", o["version"])
		}
		ids := map[any]bool{}
		for _, f := range o["distribution"].([]any) {
			f := f.(map[string]any)
			if f["@type"] != "cr:FileObject" || ids[f["@id"]] || f["name"] == nil || f["contentUrl"] == nil || f["encodingFormat"] == nil || f["md5"] == nil ||
				!regexp.MustCompile(`^\d+ B$`).MatchString(f["contentSize"].(string)) {
				t.Errorf("file %v", f)
			}
			ids[f["@id"]] = true
		}
	}
}

// A crate is flat: each reference is an object with an id alone, each id stands once, and what the specification
// asks of the descriptor, the root and files is there.
func TestCrate(t *testing.T) {
	for _, s := range samples {
		var o struct {
			Context string           `json:"@context"`
			Graph   []map[string]any `json:"@graph"`
		}
		if err := json.Unmarshal([]byte(crate(s.Item.clean())), &o); err != nil {
			t.Fatal(err)
		}
		byID := map[string]map[string]any{}
		for _, e := range o.Graph {
			id, _ := e["@id"].(string)
			if id == "" || e["@type"] == nil || byID[id] != nil {
				t.Errorf("%s: entity %v", s.name, e)
			}
			byID[id] = e
		}
		d := byID["ro-crate-metadata.json"]
		root := byID[d["about"].(map[string]any)["@id"].(string)]
		if o.Context != "https://w3id.org/ro/crate/1.2/context" || d["@type"] != "CreativeWork" || d["conformsTo"].(map[string]any)["@id"] != "https://w3id.org/ro/crate/1.2" || root["@type"] != "Dataset" {
			t.Errorf("%s: %v, %v", s.name, d, root)
		}
		asked := []string{"name", "description"}
		if s.name == "all fields" {
			asked = append(asked, "datePublished", "license", "hasPart", "author", "publisher", "identifier")
		}
		for _, key := range asked {
			if root[key] == nil {
				t.Errorf("%s: the root has no %s", s.name, key)
			}
		}
		for id, e := range byID {
			for key, value := range e {
				list, several := value.([]any)
				if !several {
					list = []any{value}
				}
				for _, v := range list {
					to, is := v.(map[string]any)
					if !is {
						continue
					}
					if target, _ := to["@id"].(string); len(to) != 1 || byID[target] == nil && key != "conformsTo" {
						t.Errorf("%s: %s of %s is %v", s.name, key, id, v)
					}
				}
			}
		}
	}
}
