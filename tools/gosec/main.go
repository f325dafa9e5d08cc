// Command gosec runs the rules of gosec over the packages of a module and tells what
// triage.tsv does not know yet. A line of that file is a rule, a path below which its
// findings were looked at, and why they are no fault. It ends with 1 when there is a finding
// without such a line, or a line without a finding.
//
//	go run ./gosec DIR    from tools, with the module to look at
package main

import (
	_ "embed"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/securego/gosec/v2"
	"github.com/securego/gosec/v2/analyzers"
	"github.com/securego/gosec/v2/issue"
	"github.com/securego/gosec/v2/rules"
)

//go:embed triage.tsv
var triage string

// others are modules of their own below the one that is checked.
var others = []string{"bench", "tools"}

// known is a line of the triage; its rule may be a star.
type known struct {
	rule, below, reason string
	seen                int
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gosec DIR")
	}
	lines, err := readTriage()
	if err == nil {
		err = os.Chdir(os.Args[1])
	}
	if err != nil {
		log.Fatal(err)
	}
	issues, err := find()
	if err != nil {
		log.Fatal(err)
	}
	if !report(issues, lines) {
		os.Exit(1)
	}
}

func readTriage() (lines []*known, err error) {
	for n, text := range strings.Split(triage, "\n") {
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		f := strings.Split(text, "\t")
		if len(f) != 3 || f[0] == "" || f[1] == "" || f[2] == "" {
			return nil, fmt.Errorf("line %d of triage.tsv is no rule, path and reason", n+1)
		}
		lines = append(lines, &known{rule: f[0], below: f[1], reason: f[2]})
	}
	return lines, nil
}

// find runs all rules over all packages but those of tests.
func find() ([]*issue.Issue, error) {
	a := gosec.NewAnalyzer(gosec.NewConfig(), false, true, false, runtime.NumCPU(), log.New(io.Discard, "", 0))
	a.LoadRules(rules.Generate(false).RulesInfo())
	a.LoadAnalyzers(analyzers.Generate(false).AnalyzersInfo())
	paths, err := packages()
	if err != nil {
		return nil, err
	}
	if err := a.Process(nil, paths...); err != nil {
		return nil, fmt.Errorf("cannot look at the packages: %w", err)
	}
	issues, metrics, faults := a.Report()
	for file, list := range faults {
		for _, f := range list {
			return nil, fmt.Errorf("cannot read %s:%d: %s", file, f.Line, f.Err)
		}
	}
	if metrics.NumFiles == 0 {
		return nil, fmt.Errorf("there are no files in %s", os.Args[1])
	}
	fmt.Printf("gosec: %d files, %d findings\n", metrics.NumFiles, len(issues))
	return issues, nil
}

// packages are the folders of the module.
func packages() (paths []string, err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("cannot find the module: %w", err)
	}
	all, err := gosec.PackagePaths(filepath.Join(here, "..."), nil)
	if err != nil {
		return nil, fmt.Errorf("cannot list the packages: %w", err)
	}
	for _, p := range all {
		top, _, _ := strings.Cut(strings.TrimPrefix(p, here+string(filepath.Separator)), string(filepath.Separator))
		if !slices.Contains(others, top) {
			paths = append(paths, p)
		}
	}
	return paths, nil
}

// report tells of what is new and of what is no more, and whether there is neither.
func report(issues []*issue.Issue, lines []*known) (ok bool) {
	ok = true
	here, _ := os.Getwd() // without it the paths are long
	slices.SortFunc(issues, func(a, b *issue.Issue) int { return strings.Compare(a.File+a.Line, b.File+b.Line) })
	for _, i := range issues {
		file := strings.TrimPrefix(i.File, here+string(filepath.Separator))
		k := slices.IndexFunc(lines, func(k *known) bool {
			return (k.rule == "*" || k.rule == i.RuleID) && (k.below == "." || k.below == file || strings.HasPrefix(file, strings.TrimSuffix(k.below, "/")+"/"))
		})
		if k >= 0 {
			lines[k].seen++
			continue
		}
		ok = false
		fmt.Printf("%s:%s: %s %s\n%s\n", file, i.Line, i.RuleID, i.What, i.Code)
	}
	for _, k := range lines {
		if k.seen == 0 {
			ok = false
			fmt.Printf("triage.tsv: nothing is found by %s below %s any more\n", k.rule, k.below)
		}
	}
	return ok
}
