// Fuzz runs every fuzz target of the module in turn and keeps account of it. For each it
// prints one line and adds one to a ledger of tab-separated columns:
//
//	date	target	inputs	seconds	new	failures
//
// Inputs that reach new code are kept by the go command in its cache; a few small ones of
// each target are copied to testdata/fuzz beside it, where every later run and every plain
// "go test" begins with them. An input that fails is put there by the go command itself.
//
//	go run ./tests/fuzz -time 5m            all targets
//	go run ./tests/fuzz -only FuzzSearch    those whose names contain this
//	go run ./tests/fuzz -total              the sums of the ledger
//
// It exits 1 when a target failed. The servers under test keep their data in -tmp.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// settings are the flags.
type settings struct {
	each    time.Duration
	only    string
	workers int
	tmp     string
	ledger  string
	total   bool
}

func main() {
	var s settings
	flag.DurationVar(&s.each, "time", time.Minute, "how long each target runs")
	flag.StringVar(&s.only, "only", "", "run targets whose names contain this")
	flag.IntVar(&s.workers, "workers", 2, "inputs that are tried at the same time")
	flag.StringVar(&s.tmp, "tmp", memory(), "folder for temporary files; one in memory is many times faster")
	flag.StringVar(&s.ledger, "ledger", "tests/testdata/fuzz.tsv", "where to note the runs")
	flag.BoolVar(&s.total, "total", false, "print the sums of the ledger and run nothing")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, s)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// memory is a folder in memory, if this system has one.
func memory() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return os.TempDir()
}

// target is a fuzz target: a function of the tests of a package.
type target struct{ folder, name string }

func (t target) String() string {
	if t.folder == "." {
		return t.name
	}
	return filepath.ToSlash(t.folder) + "." + t.name
}

func run(ctx context.Context, s settings) error {
	if s.total {
		return printTotals(s.ledger)
	}
	all, err := targets(".")
	if err != nil {
		return err
	}
	chosen := slices.DeleteFunc(all, func(t target) bool { return !strings.Contains(t.name, s.only) })
	if len(chosen) == 0 {
		return fmt.Errorf("no target is called %s", s.only)
	}
	cache, err := goCache(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, t := range chosen {
		o, err := try(ctx, s, t)
		if ctx.Err() != nil {
			return errors.Join(append(failed, context.Cause(ctx))...)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", t, err))
		}
		fmt.Println(o)
		if err := o.note(s.ledger); err != nil {
			return err
		}
		if err := keep(cache, t); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

var fuzzFunction = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)

// targets finds all targets of a module, those of other modules in it left out.
func targets(root string) (found []target, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, other := os.Stat(filepath.Join(path, "go.mod"))
			if d.Name() == "testdata" || path != root && (other == nil || strings.HasPrefix(d.Name(), ".")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range fuzzFunction.FindAllSubmatch(text, -1) {
			found = append(found, target{filepath.Dir(path), string(m[1])})
		}
		return err
	})
	return found, err
}

func goCache(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return "", fmt.Errorf("cannot ask for the cache of the go command: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// try runs one target for its time.
func try(ctx context.Context, s settings, t target) (outcome, error) {
	o := outcome{Date: time.Now().UTC().Format(time.DateOnly), Target: t.String()}
	tmp, err := os.MkdirTemp(s.tmp, "alcove-fuzz-")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(tmp)
	args := []string{
		"test", "-run", "^$", "-fuzz", "^" + t.name + "$", "-fuzztime", s.each.String(), "-fuzzminimizetime", "1s", "-parallel", fmt.Sprint(s.workers), "-timeout", "0", "./" + filepath.ToSlash(t.folder),
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "GOTMPDIR="+os.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		return o, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return o, fmt.Errorf("cannot run the go command: %w", err)
	}
	var report []string // what is no line of progress, its beginning
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		if !o.read(lines.Text()) && len(report) < 400 {
			report = append(report, lines.Text())
		}
	}
	if err := cmd.Wait(); err != nil {
		if onlyLate(report) {
			return o, nil
		}
		o.Failures = 1
		return o, fmt.Errorf("%w\n%s", err, strings.Join(report, "\n"))
	}
	return o, nil
}

// onlyLate reports whether a target failed for no other reason than that its time was over
// while the go command was at something: it says so in place of what an input did
// (go.dev/issue/75804, until Go 1.27).
func onlyLate(report []string) bool {
	late := false
	for i, line := range report {
		if strings.HasPrefix(line, "--- FAIL: ") && i+1 < len(report) {
			late = strings.TrimSpace(report[i+1]) == "context deadline exceeded"
		}
		if strings.Contains(line, "Failing input written") || strings.HasPrefix(line, "panic:") {
			return false
		}
	}
	return late
}
