package formats

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var cffSchema = flag.String("cff-schema", "", "the JSON Schema of CITATION.cff 1.2.0, which Ajv holds against ours")

// namesOf are the authors of an item as others should read them: the family name with its particle, the given name and the
// suffix of a person with several parts, and any other name alone.
func namesOf(it Item) (list [][]string) {
	for _, a := range it.clean().Authors {
		if a.Organisation || a.Family == "" {
			list = append(list, []string{a.Full})
		} else {
			list = append(list, []string{a.Family, a.Given, a.Suffix})
		}
	}
	return list
}

// sameNames compares names but for what a form cannot say: in BibTeX and RIS a family name without a given name is a name
// in one piece.
func sameNames(got, want [][]string) bool {
	flat := func(list [][]string) (out []string) {
		for _, n := range list {
			out = append(out, strings.TrimRight(strings.Join(n, "|"), "|"))
		}
		return out
	}
	return slices.Equal(flat(got), flat(want))
}

// citation-js reads the names of all cases in BibTeX, RIS and CSL-JSON as they are, and Ajv finds CITATION.cff valid.
func TestNamesReadByOthers(t *testing.T) {
	if *modules == "" {
		t.Skip("needs -citation-modules (make check-formats)")
	}
	items := authorItems(t)
	var in bytes.Buffer
	for _, it := range items {
		forms := map[string]string{"cffJSON": cffAsJSON(t, citationCFF(it.clean()))}
		for _, name := range []string{"bibtex", "ris", "csl"} {
			f, _ := ByName(name)
			forms[name] = f.Write(it)
		}
		line, err := json.Marshal(forms)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command("node", "testdata/names.cjs", *modules, *cffSchema)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		var read struct {
			Bibtex, RIS, CSL [][]string
			CFF              []string
		}
		if err := json.Unmarshal([]byte(line), &read); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string][][]string{"BibTeX": read.Bibtex, "RIS": read.RIS, "CSL": read.CSL} {
			want := namesOf(items[n])
			if name == "RIS" { // which has no sign for a name in one piece: a comma parts it
				for i := range want {
					want[i] = strings.Split(strings.Join(want[i], ", "), ", ")
				}
				for i := range got {
					got[i] = strings.Split(strings.TrimRight(strings.Join(got[i], ", "), ", "), ", ")
				}
			}
			if !sameNames(got, want) {
				t.Errorf("%s of item %d is read as %q, want %q", name, n+1, got, want)
			}
		}
		if len(read.CFF) > 0 {
			t.Errorf("CITATION.cff of item %d: %v", n+1, read.CFF)
		}
		n++
	}
	if n != len(items) {
		t.Errorf("%d of %d items were read", n, len(items))
	}
}

// cffAsJSON is a CITATION.cff of ours as JSON: its values are JSON already, so that only the layout is read here.
func cffAsJSON(t *testing.T, text string) string {
	t.Helper()
	o, list := map[string]any{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		bare := strings.TrimLeft(line, " -")
		key, value, pair := strings.Cut(bare, ": ")
		var v any = value
		if json.Unmarshal([]byte(value), &v) != nil {
			v = value
		}
		switch {
		case strings.HasSuffix(line, ":"):
			list = strings.TrimSuffix(line, ":")
			o[list] = []any{}
		case strings.HasPrefix(line, "  - ") && pair && list == "authors":
			o[list] = append(o[list].([]any), map[string]any{key: v})
		case strings.HasPrefix(line, "  - "):
			_ = json.Unmarshal([]byte(bare), &v)
			o[list] = append(o[list].([]any), v)
		case strings.HasPrefix(line, "    "):
			all := o[list].([]any)
			all[len(all)-1].(map[string]any)[key] = v
		case key == "cff-version":
			o[key] = value
		default:
			o[key] = v
		}
	}
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// biber, which biblatex reads its sources with, takes the names of all cases apart as they are.
func TestNamesReadByBiber(t *testing.T) {
	if *modules == "" {
		t.Skip("takes long: make check-formats")
	}
	biber, err := exec.LookPath("biber")
	if err != nil {
		t.Skip("biber is not there: ", err)
	}
	items, dir := authorItems(t), t.TempDir()
	var bib strings.Builder
	for _, it := range items {
		bib.WriteString(bibtex(it.clean()))
	}
	if err := os.WriteFile(filepath.Join(dir, "a.bib"), []byte(bib.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(biber, "--tool", "--output-format=biblatexml", "--quiet", "--output-file=a.xml", "a.bib")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "ERROR") {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "a.xml"))
	if err != nil {
		t.Fatal(err)
	}
	type part struct {
		Type  string   `xml:"type,attr"`
		Text  string   `xml:",chardata"`
		Parts []string `xml:"namepart"`
	}
	var read struct {
		Entries []struct {
			Names []struct {
				Type string `xml:"type,attr"`
				Name []struct {
					Parts []part `xml:"namepart"`
				} `xml:"name"`
			} `xml:"names"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Entries) != len(items) {
		t.Fatalf("%d of %d entries were read", len(read.Entries), len(items))
	}
	for i, e := range read.Entries {
		var got [][]string
		for _, n := range e.Names {
			for _, name := range n.Name {
				parts := map[string]string{}
				for _, p := range name.Parts {
					if text := strings.Join(p.Parts, " "); text != "" {
						p.Text = text
					}
					parts[p.Type] = strings.TrimSpace(p.Text)
				}
				got = append(got, []string{strings.TrimSpace(parts["prefix"] + " " + parts["family"]), parts["given"], parts["suffix"]})
			}
		}
		want := namesOf(items[i])
		for _, name := range want {
			for n := range name {
				name[n] = tex.Replace(name[n])
			}
		}
		if !sameNames(got, want) {
			t.Errorf("item %d is read as %q, want %q", i+1, got, want)
		}
	}
}
