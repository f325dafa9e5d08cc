package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// ledgerFile is where runs are noted that count.
const ledgerFile = "testdata/torture.tsv"

// columns are those of the ledger, a table of values that are separated by tabs.
var columns = []string{"date", "program", "mode", "system", "seed", "cycles", "acknowledged", "in doubt", "verified", "lost", "half done", "wrong", "ready ms"}

// enter appends a line about the run to a ledger, which it makes when there is none.
func (b *bench) enter(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("cannot write the ledger: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("cannot write the ledger: %w", err)
	}
	w := csv.NewWriter(f)
	w.Comma = '\t'
	if info.Size() == 0 {
		if err := w.Write(columns); err != nil {
			return fmt.Errorf("cannot write the ledger: %w", err)
		}
	}
	t := b.total
	line := []string{b.began.UTC().Format("2006-01-02"), b.program(), b.mode, b.setup(), strconv.FormatUint(b.seed, 10)}
	for _, n := range []int{t.Cycles, t.Acked, t.Doubt, t.Verified, t.Lost, t.Half, t.Wrong, int(t.Slowest.Milliseconds())} {
		line = append(line, strconv.Itoa(n))
	}
	if err := w.Write(line); err != nil {
		return fmt.Errorf("cannot write the ledger: %w", err)
	}
	if w.Flush(); w.Error() != nil {
		return fmt.Errorf("cannot write the ledger: %w", w.Error())
	}
	return nil
}

// program is the version of the program: as it says itself, or, where it does not know, as
// git describes the tree here.
func (b *bench) program() string {
	out, err := exec.Command(b.bin, "version").Output()
	version := strings.TrimSpace(strings.TrimPrefix(string(out), "alcove "))
	if err == nil && version != "" && version != "(devel)" {
		return version
	}
	if out, err = exec.Command("git", "describe", "--tags", "--always", "--dirty").Output(); err == nil {
		return strings.TrimSpace(string(out))
	}
	return "unknown"
}

// goal is how many cycles there are to be of a mode.
type goal struct {
	mode, system string // system is the file system, empty for any
	cycles       int
}

var goals = []goal{
	{"kill", "", 1000}, {"power", "ext4", 300}, {"power", "xfs", 100}, {"eio", "", 1000}, {"diskfull", "", 80},
	{"first", "", 40}, {"term", "", 40},
}

// sum is what the lines of a ledger add up to.
type sum struct{ runs, cycles, acked, doubt, bad, slowest int }

// totals adds up the lines of a ledger, by mode and file system.
func totals(r io.Reader) (map[goal]*sum, error) {
	in := csv.NewReader(r)
	in.Comma, in.FieldsPerRecord = '\t', len(columns)
	lines, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("cannot read the ledger: %w", err)
	}
	out := map[goal]*sum{}
	for i, line := range lines {
		if i == 0 {
			continue
		}
		n := make([]int, len(columns))
		for c := 5; c < len(columns); c++ {
			if n[c], err = strconv.Atoi(line[c]); err != nil {
				return nil, fmt.Errorf("cannot read line %d of the ledger: %w", i+1, err)
			}
		}
		system, _, _ := strings.Cut(line[3], ",")
		for _, key := range []goal{{mode: line[2]}, {mode: line[2], system: system}} {
			s := out[key]
			if s == nil {
				s = &sum{}
				out[key] = s
			}
			s.runs++
			s.cycles += n[5]
			s.acked += n[6]
			s.doubt += n[7]
			s.bad += n[9] + n[10] + n[11]
			s.slowest = max(s.slowest, n[12])
		}
	}
	return out, nil
}

// printTotal prints what a ledger adds up to beside the goals. Something bad in it is an
// error.
func printTotal(out io.Writer, path string) error {
	if path == "" {
		path = ledgerFile
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no ledger %s yet", path)
	}
	if err != nil {
		return fmt.Errorf("cannot read the ledger: %w", err)
	}
	defer f.Close()
	by, err := totals(f)
	if err != nil {
		return err
	}
	bad := 0
	fmt.Fprintf(out, "%-15s %6s %6s %9s %13s %9s %4s %9s\n", "", "cycles", "goal", "runs", "acknowledged", "in doubt", "bad", "ready ms")
	for _, g := range goals {
		s := by[goal{mode: g.mode, system: g.system}]
		if s == nil {
			s = &sum{}
		}
		bad += s.bad
		name := strings.TrimSpace(g.mode + " " + g.system)
		fmt.Fprintf(out, "%-15s %6d %6d %9d %13d %9d %4d %9d\n", name, s.cycles, g.cycles, s.runs, s.acked, s.doubt, s.bad, s.slowest)
	}
	if bad > 0 {
		return errBad
	}
	return nil
}
