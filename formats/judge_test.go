package formats

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var (
	modules = flag.String("citation-modules", "", "node modules of citation-js and structured-data-testing-tool, which read the forms")
	cslDir  = flag.String("citation-styles", "", "styles of citationstyles.org, whose citations ours are held against; without them those of citation-js alone")
)

// Programs that are not ours read the real records in BibTeX, RIS, CSL-JSON and schema.org as they are, and cite them
// as our styles do but for the differences that asCSL names.
func TestReadByOthers(t *testing.T) {
	if *modules == "" {
		t.Skip("needs -citation-modules (make check-formats)")
	}
	list := registryItems(t)
	for _, s := range samples {
		if s.name != "hostile" && s.name != "LaTeX" { // reference managers change their texts, and BibTeX a DOI with braces
			list = append(list, s.Item)
		}
	}
	list = append(list, datasets()...)
	var in bytes.Buffer
	for i, it := range list {
		forms := map[string]string{}
		if i%citedOf == 0 || i >= len(list)-len(datasets()) {
			forms["cited"] = "yes"
		}
		for _, f := range All() {
			forms[f.Name] = f.Write(it)
		}
		line, err := json.Marshal(forms)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command("node", "testdata/judge.cjs", *modules, *cslDir)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		Title, DOI string
		Authors    int
		Type       string
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20)
	n, compared := 0, map[string]int{}
	for ; lines.Scan(); n++ {
		var read struct {
			Bibtex, RIS, CSL []entry
			Failed, Schemas  []string
			Cited            map[string]string
		}
		if err := json.Unmarshal(lines.Bytes(), &read); err != nil {
			t.Fatal(err)
		}
		it := list[n].clean()
		for name, entries := range map[string][]entry{"BibTeX": read.Bibtex, "RIS": read.RIS, "CSL": read.CSL} {
			if len(entries) != 1 || !alike(entries[0].Title, it.Title) || !strings.EqualFold(entries[0].DOI, it.DOI) || entries[0].Authors != len(it.Authors) {
				t.Errorf("%s of %q is read as %+v", name, it.Title, entries)
			}
		}
		for style, theirs := range read.Cited {
			if it.Type == "dataset" && !otherwise(style, it) {
				compareCited(t, style, it, theirs)
				compared[style]++
			}
		}
		if len(read.Failed) > 0 || len(read.Schemas) == 0 {
			t.Errorf("schema.org of %q: %v, %v", it.Title, read.Failed, read.Schemas)
		}
	}
	if n != len(list) {
		t.Errorf("%d of %d items were read", n, len(list))
	}
	if t.Logf("citations compared: %v", compared); compared["apa"] < len(datasets()) || *cslDir != "" && len(compared) != 12 {
		t.Errorf("only %v were compared", compared)
	}
}

// alike compares titles but for quotation marks and spaces, which BibTeX has its own.
func alike(a, b string) bool {
	bare := strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'", "<span class=\"nocase\">", "", "</span>", "", " ", "").Replace
	return bare(a) == bare(b)
}
