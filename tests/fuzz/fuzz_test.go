package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The lines of the go command are read, noted, and added up.
func TestLedger(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "fuzz.tsv")
	for range 2 {
		o := outcome{Date: "2026-03-01", Target: "index.FuzzParse"}
		for line, want := range map[string]bool{
			"fuzz: elapsed: 3s, gathering baseline coverage: 108/354 completed":                     true,
			"fuzz: elapsed: 1m9s, execs: 120353 (2264/sec), new interesting: 129 (total: 483)":      true,
			"fuzz: minimizing 64-byte failing input file":                                           false,
			"--- FAIL: FuzzParse (0.02s)":                                                           false,
			"    fuzz: elapsed: 1s, execs: 5 (5/sec), new interesting: 1 (total: 2) in some output": false,
		} {
			if o.read(line) != want {
				t.Errorf("%q is progress: %v", line, !want)
			}
		}
		o.Seconds = 69 // whichever line was the last
		if o.Inputs != 120353 || o.New != 129 {
			t.Errorf("read %+v", o)
		}
		o.Failures = 1
		if err := o.note(ledger); err != nil {
			t.Fatal(err)
		}
	}
	all, err := sums(ledger)
	if err != nil || len(all) != 1 || *all["index.FuzzParse"] != (outcome{Target: "index.FuzzParse", Inputs: 240706, Seconds: 138, New: 258, Failures: 2}) {
		t.Errorf("the sums are %+v, %v", all["index.FuzzParse"], err)
	}
	if err := os.WriteFile(ledger, []byte(header+"2026-03-01\tx\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sums(ledger); err == nil {
		t.Error("a line that is cut off was added up")
	}
	if all, err := sums(ledger + "x"); err != nil || len(all) != 0 {
		t.Errorf("no ledger has sums %v, %v", all, err)
	}
}

// The end of the time is no failure of a target, anything else is.
func TestOnlyLate(t *testing.T) {
	late := []string{"--- FAIL: FuzzLayout (60.57s)", "    context deadline exceeded", "FAIL", "exit status 1"}
	input := []string{"--- FAIL: FuzzLayout (60.57s)", "    --- FAIL: FuzzLayout (0.00s)", "        context deadline exceeded", "    Failing input written to testdata/fuzz/FuzzLayout/x"}
	for _, c := range []struct {
		report []string
		want   bool
	}{{late, true}, {input, false}, {append([]string{"panic: x"}, late...), false}, {[]string{"cannot build"}, false}, {late[:1], false}, {nil, false}} {
		if got := onlyLate(c.report); got != c.want {
			t.Errorf("%q is only late: %v", c.report, got)
		}
	}
}

// All targets of the module are found, and each by itself can be named.
func TestTargets(t *testing.T) {
	all, err := targets("../..")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, one := range all {
		if seen[one.String()] {
			t.Errorf("%s is there twice", one)
		}
		seen[one.String()] = true
	}
	for _, name := range []string{"../../tests/fuzz.FuzzRequest", "../../index.FuzzParse", "../../blobs/archive.FuzzLayout"} {
		if !seen[name] {
			t.Errorf("%s is not among %v", name, all)
		}
	}
	if len(all) < 30 {
		t.Errorf("only %d targets", len(all))
	}
}

// A kept corpus is small, and its inputs stay.
func TestKeep(t *testing.T) {
	t.Chdir(t.TempDir())
	one := target{"record", "FuzzX"}
	put := func(folder, name string, size int) {
		t.Helper()
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	from, to := "cache/fuzz/alcove/record/FuzzX", "record/testdata/fuzz/FuzzX"
	for n := range 200 {
		put(from, fmt.Sprintf("%03d", n), n*30)
	}
	put(to, "mine", 3000)
	if err := keep("cache", one); err != nil {
		t.Fatal(err)
	}
	first, err := inputs(to)
	if err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	for _, i := range first {
		size += i.size
		if i.name != "mine" && i.size > keptInput {
			t.Errorf("%s has %d bytes", i.name, i.size)
		}
	}
	if size > keptBytes || len(first) > keptInputs || len(first) < 30 || size < keptBytes*8/10 && len(first) < keptInputs {
		t.Errorf("%d inputs of %d bytes were kept", len(first), size)
	}
	if err := keep("cache", one); err != nil {
		t.Fatal(err)
	}
	if second, _ := inputs(to); len(second) != len(first) {
		t.Errorf("%d inputs the second time, %d the first", len(second), len(first))
	}
	if err := keep("nowhere", one); err != nil {
		t.Error(err)
	}
}
