package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Runs are noted in the ledger one by one and add up by mode and file system; one bad run
// makes the whole bad.
func TestLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.tsv")
	enter := func(mode, system, options string, sum tally) {
		t.Helper()
		b := &bench{settings: settings{mode: mode, system: system, options: options, seed: 7}, bin: "/nowhere", began: time.Now(), total: sum}
		if err := b.enter(path); err != nil {
			t.Fatal(err)
		}
	}
	enter("power", "ext4", "commit=1", tally{Cycles: 10, Acked: 100, Slowest: time.Second})
	enter("power", "ext4", "", tally{Cycles: 5, Acked: 50, Slowest: 2 * time.Second})
	enter("power", "xfs", "", tally{Cycles: 4, Acked: 40})
	enter("kill", "ext4", "", tally{Cycles: 3, Doubt: 9})

	var out strings.Builder
	if err := printTotal(&out, path); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"power ext4 15 300 2 150 0 0 2000", "power xfs 4 100 1 40 0 0 0", "kill 3 1000 1 0 9 0 0", "eio 0 1000 0 0 0 0 0"} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("the total does not say %q:\n%s", want, &out)
		}
	}
	enter("power", "xfs", "", tally{Cycles: 1, Half: 1})
	if err := printTotal(&out, path); !errors.Is(err, errBad) {
		t.Errorf("a bad run gives %v", err)
	}
	if err := os.WriteFile(path, []byte("no\tledger\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := printTotal(&out, path); err == nil {
		t.Error("what is no ledger was read")
	}
}

// The ledger of the repository can be read, and holds nothing bad.
func TestOwnLedger(t *testing.T) {
	var out strings.Builder
	if err := printTotal(&out, filepath.Join("..", "..", ledgerFile)); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
}
