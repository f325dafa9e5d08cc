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
	line := func(program, mode, system, figures string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fields := append([]string{"2026-01-02", program, mode, system, "7"}, strings.Fields(figures)...)
		if _, err := f.WriteString(strings.Join(fields, "\t") + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{settings: settings{mode: "term", seed: 7, alcove: "/nowhere"}, bin: "/nowhere", began: time.Now(), total: tally{Cycles: 10, Half: 1}}
	if err := b.enter(path); err != nil { // a program that was given counts for nothing, and makes the head
		t.Fatal(err)
	}
	line("abc1234", "power", "ext4,commit=1", "10 100 0 0 0 0 0 1000")
	line("abc1234", "power", "ext4", "5 50 0 0 0 0 0 2000")
	line("abc1234", "power", "xfs", "4 40 0 0 0 0 0 0")
	line("abc1234-dirty", "power", "xfs", "96 40 0 0 0 0 0 0")
	line("abc1234", "kill", "-", "3 0 9 0 0 0 0 0")
	line("abc1234", "planted no-db-sync", "xfs", "1 0 9 0 7 0 0 0")

	var out strings.Builder
	if err := printTotal(&out, path); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"power ext4 15 300 2 150 0 0 2000 2026-01-02, abc1234", "power xfs 4 100 1 40 0 0 0", "kill 3 1000 1 0 9 0 0",
		"eio 0 1000 0 0 0 0 0 never", "term 0 40 0 0 0 0 0 never", "planted no-db-sync xfs 1 1 1 0 9 0 0"} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("the total does not say %q:\n%s", want, &out)
		}
	}
	line("abc1234", "power", "xfs", "1 0 0 0 0 1 0 0")
	if err := printTotal(&out, path); !errors.Is(err, errBad) {
		t.Errorf("a bad run gives %v", err)
	}
	line("abc1234", "lies", "ext4", "5 0 0 0 0 0 0 0")
	if err := printTotal(&out, path); err == nil || !strings.Contains(err.Error(), "found nothing") {
		t.Errorf("a run that found nothing and had to gives %v", err)
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
