package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// outcome is what a run of a target came to: a line of the ledger.
type outcome struct {
	Date, Target string
	Inputs       int64
	Seconds      int64
	New          int64 // inputs that reached code that no other had
	Failures     int64
}

var (
	progress = regexp.MustCompile(`^fuzz: elapsed: (\S+), (?:execs: (\d+) \(\d+/sec\), new interesting: (\d+)|gathering baseline|minimizing)`)
	header   = "date\ttarget\tinputs\tseconds\tnew\tfailures\n"
)

// read takes in a line that the go command prints, and reports whether it tells of progress.
func (o *outcome) read(line string) bool {
	m := progress.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	if took, err := time.ParseDuration(m[1]); err == nil {
		o.Seconds = int64(took.Seconds())
	}
	if m[2] != "" {
		o.Inputs, _ = strconv.ParseInt(m[2], 10, 64) // digits, by the pattern
		o.New, _ = strconv.ParseInt(m[3], 10, 64)
	}
	return true
}

func (o outcome) String() string {
	return fmt.Sprintf("%-32s %10d inputs in %4d s, %4d new, %d failures", o.Target, o.Inputs, o.Seconds, o.New, o.Failures)
}

// note appends a line to the ledger.
func (o outcome) note(ledger string) error {
	f, err := os.OpenFile(ledger, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("cannot open the ledger: %w", err)
	}
	defer f.Close()
	line := fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%d\n", o.Date, o.Target, o.Inputs, o.Seconds, o.New, o.Failures)
	if info, err := f.Stat(); err == nil && info.Size() == 0 {
		line = header + line
	}
	if _, err := f.WriteString(line); err != nil {
		return fmt.Errorf("cannot write to the ledger: %w", err)
	}
	return nil
}

// sums adds up the lines of a ledger by target.
func sums(ledger string) (map[string]*outcome, error) {
	text, err := os.ReadFile(ledger)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the ledger: %w", err)
	}
	body, ok := strings.CutPrefix(string(text), header)
	if !ok {
		return nil, fmt.Errorf("%s does not begin with the names of its columns", ledger)
	}
	all := map[string]*outcome{}
	for line := range strings.Lines(body) {
		var o outcome
		if n, err := fmt.Sscanf(line, "%s\t%s\t%d\t%d\t%d\t%d\n", &o.Date, &o.Target, &o.Inputs, &o.Seconds, &o.New, &o.Failures); n != 6 {
			return nil, fmt.Errorf("%s has the line %q: %w", ledger, line, err)
		}
		sum := all[o.Target]
		if sum == nil {
			sum = &outcome{Target: o.Target}
			all[o.Target] = sum
		}
		sum.Inputs, sum.Seconds, sum.New, sum.Failures = sum.Inputs+o.Inputs, sum.Seconds+o.Seconds, sum.New+o.New, sum.Failures+o.Failures
	}
	return all, nil
}

func printTotals(ledger string) error {
	all, err := sums(ledger)
	if err != nil {
		return err
	}
	total := outcome{Target: "all " + strconv.Itoa(len(all)) + " targets"}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		o := all[name]
		fmt.Println(*o)
		total.Inputs, total.Seconds, total.New, total.Failures = total.Inputs+o.Inputs, total.Seconds+o.Seconds, total.New+o.New, total.Failures+o.Failures
	}
	fmt.Println(total)
	return nil
}
