package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const top = "code\tparent\ttitle\n"

func TestConvertSorts(t *testing.T) {
	got, err := convert(strings.NewReader(top +
		"31\t\tBiology\n30\t\tFarming\n3102\t31\tGenes\n310101\t3101\tCells\n3101\t31\tLife\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := header + "30\tFarming\n31\tBiology\n3101\tLife\n310101\tCells\n3102\tGenes\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestConvertRefuses(t *testing.T) {
	for name, table := range map[string]string{
		"other header":    "id\tparent\ttitle\n",
		"two columns":     top + "30\tFarming\n",
		"empty line":      top + "\n",
		"three digits":    top + "301\t3\tFarming\n",
		"letters":         top + "3a\t\tFarming\n",
		"leading zero":    top + "03\t\tFarming\n",
		"other parent":    top + "30\t\tFarming\n31\t\tLife\n3001\t31\tSoil\n",
		"parent of a top": top + "30\t3\tFarming\n",
		"absent parent":   top + "30\t\tFarming\n310101\t3101\tCells\n",
		"no title":        top + "30\t\t\n",
		"padded title":    top + "30\t\t Farming\n",
		"broken UTF-8":    top + "30\t\tFarm\xffing\n",
		"twice":           top + "30\t\tFarming\n30\t\tFarming\n",
		"endless":         top + strings.Repeat("30\t\tFarming\n", maxRows),
	} {
		if _, err := convert(strings.NewReader(table)); err == nil {
			t.Errorf("%s: converted", name)
		}
	}
}

// The committed file is what the generator makes of the published table.
func TestCommittedFileIsCurrent(t *testing.T) {
	table := filepath.Join("..", "..", "..", "..", "shared", "data", "anzsrc-for-2020.tsv")
	if _, err := os.Stat(table); err != nil {
		t.Skip("the table of the classification is not beside this checkout")
	}
	out := filepath.Join(t.TempDir(), "out.txt")
	if err := run(table, out); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("..", "anzsrc2020.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("anzsrc2020.txt is not what gen writes from the table; run go generate")
	}
}
