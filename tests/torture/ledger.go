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
const ledgerFile = "tests/testdata/torture.tsv"

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
	line := []string{b.began.UTC().Format("2006-01-02"), b.program(), b.kind(), b.setup(), strconv.FormatUint(b.seed, 10)}
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

// kind is what a run is noted as: its mode, or the planted bug that it was to find.
func (b *bench) kind() string {
	if b.plant != "" {
		return "planted " + b.plant
	}
	return b.mode
}

// mustFind reports whether a run of a kind shows something only when it finds what is wrong.
func mustFind(kind string) bool {
	return strings.HasPrefix(kind, "planted ") || kind == "lies" || kind == "rewind"
}

// dirty ends the version of a tree that is no commit.
const dirty = "-dirty"

// program is the commit of the program that was built here, with "-dirty" where the tree differs from
// it in more than the ledger, which a series of runs writes itself. A program that was given is
// "unknown": what is in it cannot be told from here.
func (b *bench) program() string {
	commit, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil || b.alcove != "" {
		return "unknown"
	}
	version := strings.TrimSpace(string(commit))
	changed, err := exec.Command("git", "status", "--porcelain", "--", ".", ":(exclude)"+ledgerFile).Output()
	if err != nil || len(changed) > 0 {
		version += dirty
	}
	return version
}

// goal is how many cycles there are to be of a mode.
type goal struct {
	mode, system string // system is the file system, empty for any
	cycles       int
}

var goals = []goal{
	{"kill", "", 1000}, {"power", "ext4", 300}, {"power", "xfs", 100}, {"eio", "", 1000}, {"diskfull", "", 80},
	{"first", "", 40}, {"term", "", 40}, {"ready", "", 5}, {"lies", "", 1}, {"rewind", "", 1},
	{"planted no-db-sync", "ext4", 1}, {"planted no-db-sync", "xfs", 1}, {"planted no-blob-sync", "ext4", 1}, {"planted no-blob-sync", "xfs", 1},
	{"planted no-dir-sync", "ext4", 1}, {"planted no-dir-sync", "xfs", 1}, {"planted ack-first", "", 2}, {"planted index-first", "", 1},
}

// sum is what the lines of a ledger add up to. Those of trees that are no commit do not count.
type sum struct {
	runs, cycles, acked, doubt, bad, slowest int
	newest, commit                           string // date and commit of the last run
}

// totals adds up the lines of a ledger, by kind and file system.
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
		if strings.HasSuffix(line[1], dirty) || line[1] == "unknown" {
			continue
		}
		if mustFind(line[2]) && n[9]+n[10]+n[11] == 0 {
			return nil, fmt.Errorf("line %d of the ledger is of a run that found nothing and had to: %s", i+1, line[2])
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
			if !mustFind(line[2]) {
				s.bad += n[9] + n[10] + n[11]
			}
			s.newest, s.commit = line[0], line[1]
			s.slowest = max(s.slowest, n[12])
		}
	}
	return out, nil
}

// age tells of the newest run when it was and how many commits have come since.
func (s *sum) age() string {
	if s.newest == "" {
		return "never"
	}
	age := s.newest + ", " + s.commit
	if since, err := exec.Command("git", "rev-list", "--count", s.commit+"..HEAD").Output(); err == nil {
		age += ", " + strings.TrimSpace(string(since)) + " commits ago"
	}
	return age
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
	const columns = "%-25s %6v %6v %5v %13v %9v %4v %9v  %s\n"
	fmt.Fprintf(out, columns, "", "cycles", "goal", "runs", "acknowledged", "in doubt", "bad", "ready ms", "newest")
	for _, g := range goals {
		s := by[goal{mode: g.mode, system: g.system}]
		if s == nil {
			s = &sum{}
		}
		bad += s.bad
		name := strings.TrimSpace(g.mode + " " + g.system)
		fmt.Fprintf(out, columns, name, s.cycles, g.cycles, s.runs, s.acked, s.doubt, s.bad, s.slowest, s.age())
	}
	if bad > 0 {
		return errBad
	}
	return nil
}
