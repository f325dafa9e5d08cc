package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// profile says of one case of BenchmarkHotPath which part of the program took how much of
// the server's processor time.
type profile struct {
	name  string
	each  float64 // µs of processor time for each request
	parts []partOf
}

type partOf struct {
	text  string
	share float64
}

// profiles runs the benchmark of the tree under a profile, case by case. It is nil when the
// tree cannot be built.
func (s *settings) profiles(ctx context.Context, dir string) (all []profile, err error) {
	program := filepath.Join(dir, "hot.test")
	if _, err := command(ctx, s.tree, "go", "test", "-c", "-o", program, "./tests/load"); err != nil {
		say("%v", err)
		return nil, ctx.Err()
	}
	for _, name := range []string{"list-new", "list-again", "single", "304"} {
		p, err := s.profile(ctx, dir, program, name)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func (s *settings) profile(ctx context.Context, dir, program, name string) (p profile, err error) {
	run := func(asks int) (string, error) {
		cmd := exec.CommandContext(ctx, program, "-test.run", "^$", "-test.bench", "HotPath", "-test.benchtime", "4x",
			"-hot-only", name, "-hot-asks", strconv.Itoa(asks), "-hot-data", filepath.Join(dir, "hot"))
		cmd.Dir = s.tree
		cmd.Env = append(os.Environ(), "HOTPATH_PROFILE="+filepath.Join(dir, "profile"))
		said, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("cannot run the benchmark of the tree: %w: %s", err, said)
		}
		return string(said), err
	}
	if _, err := os.Stat(filepath.Join(dir, "hot")); err != nil { // filling it is not to be seen
		if _, err := run(10); err != nil {
			return p, err
		}
	}
	said, err := run(30000)
	if err != nil {
		return p, err
	}
	p.name = name
	if m := perRequest.FindStringSubmatch(said); m != nil {
		p.each, _ = strconv.ParseFloat(m[1], 64) // digits and a point
	}
	traces, err := command(ctx, dir, "go", "tool", "pprof", "-traces", filepath.Join(dir, "profile"))
	if err != nil {
		return p, err
	}
	p.parts = parts(traces)
	return p, nil
}

var perRequest = regexp.MustCompile(`([0-9.]+) µs/request`)

// Parts of the program by the functions on a stack. The first that has a function is
// taken, from the innermost outwards: what the store asks of the runtime is the store's.
var programParts = []struct{ text, functions string }{
	{"reading from and writing to the connection (kernel)", `^(net|internal/poll|net/http)\.\(\*(conn|FD|persistConn|connReader)\)\.(Read|Write)`},
	{"sums and sealing (SHA-256, AES, maphash)", `^(crypto/|hash/)`},
	{"the log", `^(log/slog|alcove/cli\.\(\*line)`},
	{"bbolt", `^go\.etcd\.io/bbolt`},
	{"the store: envelopes, indexes, documents", `^alcove/(bucket|record)`},
	{"Alcove's handlers: routing, reading the request, answering", `^alcove|^main\.|httprouter|^net/url`},
	{"net/http: parsing requests, writing header lines", `^net/http|^net/textproto|^bufio|^mime`},
}

const (
	ofCollector = "collecting garbage"
	ofScheduler = "waiting and switching: scheduler, epoll"
)

// parts reads what "go tool pprof -traces" prints: stacks, each with a time before its
// innermost function.
func parts(traces string) (all []partOf) {
	expressions := make([]*regexp.Regexp, len(programParts))
	for i, p := range programParts {
		expressions[i] = regexp.MustCompile(p.functions)
	}
	sum, total := map[string]time.Duration{}, time.Duration(0)
	for stack := range strings.SplitSeq(traces, "-----------+-------------------------------------------------------\n") {
		var took time.Duration
		var functions []string
		for line := range strings.Lines(stack) {
			f := strings.Fields(line)
			if len(f) == 0 {
				continue
			}
			if d, err := time.ParseDuration(f[0]); err == nil && len(f) > 1 && len(functions) == 0 {
				took, f = d, f[1:]
			}
			functions = append(functions, f[0])
		}
		if took == 0 {
			continue
		}
		total += took
		sum[partOfStack(functions, expressions)] += took
	}
	for text, took := range sum {
		all = append(all, partOf{text, float64(took) / float64(total)})
	}
	slices.SortFunc(all, func(a, b partOf) int {
		if a.share != b.share {
			return int((b.share - a.share) * 1e9)
		}
		return strings.Compare(a.text, b.text)
	})
	return all
}

func partOfStack(functions []string, parts []*regexp.Regexp) string {
	for _, f := range functions {
		if strings.HasPrefix(f, "runtime.gcBgMarkWorker") || strings.HasPrefix(f, "runtime.gcAssist") || strings.HasPrefix(f, "runtime.bgsweep") {
			return ofCollector
		}
	}
	for _, f := range functions {
		for i, p := range parts {
			if p.MatchString(f) {
				return programParts[i].text
			}
		}
	}
	return ofScheduler
}

func (p profile) write(out io.Writer) {
	fmt.Fprintf(out, "\n`%s` of `make bench-hot` takes %s µs of the server's CPU under a profile:\n\n| part | share | µs |\n|---|---|---|\n", p.name, number(p.each))
	for _, part := range p.parts {
		fmt.Fprintf(out, "| %s | %.1f %% | %s |\n", part.text, 100*part.share, number(part.share*p.each))
	}
}
