// Progress runs go test and says at least once a minute what it is at, which go test itself does not
// as long as a package takes. It prints what go test prints without -v, and ends with its status.
//
//	progress DIRECTORY ARGUMENT...
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// every is how often it is said what runs.
const every = 45 * time.Second

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds, of a test that has ended
}

// took is how long a test took, with others beside it.
type took struct {
	test    string
	seconds float64
}

// slow is which tests are named at the end, in seconds, and slowest how many.
const (
	slow    = 10
	slowest = 12
)

// run is what is known of a run of go test.
type run struct {
	mu      sync.Mutex
	out     io.Writer
	ended   int                         // packages
	running map[string][]string         // tests that run, in the order of their start, by package
	said    map[string]*strings.Builder // by package and test, printed when it fails
	slow    []took
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: progress DIRECTORY ARGUMENT...")
		os.Exit(2)
	}
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[2:]...)...)
	cmd.Dir, cmd.Stderr = os.Args[1], os.Stderr
	lines, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "progress:", err)
		os.Exit(2)
	}
	r := &run{out: os.Stdout, running: map[string][]string{}, said: map[string]*strings.Builder{}}
	begun := time.Now()
	go func() {
		for range time.Tick(every) {
			r.tell(time.Since(begun))
		}
	}()
	r.read(lines)
	r.tellSlowest()
	if err := cmd.Wait(); err != nil {
		os.Exit(1)
	}
}

// read takes the events to their end. A line that is none is printed as it is.
func (r *run) read(lines io.Reader) {
	in := bufio.NewReader(lines)
	for {
		line, err := in.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) == nil && e.Action != "" {
			r.take(e)
		} else if len(line) > 0 {
			r.mu.Lock()
			r.out.Write(line)
			r.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

func (r *run) take(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := e.Package + "\x00" + e.Test
	switch e.Action {
	case "run", "start":
		if _, there := r.running[e.Package]; !there {
			r.running[e.Package] = nil
		}
		if e.Test != "" {
			r.running[e.Package] = append(r.running[e.Package], e.Test)
		}
	case "output", "build-output":
		if r.said[key] == nil {
			r.said[key] = &strings.Builder{}
		}
		if !verbose(e) {
			r.said[key].WriteString(e.Output)
		}
		if e.Action == "build-output" {
			io.WriteString(r.out, e.Output)
			delete(r.said, key)
		}
	case "pass", "fail", "skip":
		text := r.said[key]
		delete(r.said, key)
		if text != nil && (e.Test == "" || e.Action == "fail") && !strings.Contains(text.String(), "[no test") {
			io.WriteString(r.out, text.String())
		}
		if e.Test == "" {
			r.ended++
			delete(r.running, e.Package)
			break
		}
		if e.Elapsed >= slow && !strings.Contains(e.Test, "/") {
			r.slow = append(r.slow, took{e.Package + " " + e.Test, e.Elapsed})
		}
		r.running[e.Package] = slices.DeleteFunc(r.running[e.Package], func(t string) bool { return t == e.Test })
	}
}

// tellSlowest names the tests that took longest.
func (r *run) tellSlowest() {
	slices.SortFunc(r.slow, func(a, b took) int { return cmp.Compare(b.seconds, a.seconds) })
	for _, t := range r.slow[:min(len(r.slow), slowest)] {
		fmt.Fprintf(r.out, "... %3.0f s %s\n", t.seconds, t.test)
	}
}

// verbose reports whether go test prints a line only with -v.
func verbose(e event) bool {
	return e.Test == "" && e.Output == "PASS\n" || strings.HasPrefix(e.Output, "=== ")
}

// tell says what runs: of each package its oldest test, and how many others.
func (r *run) tell(after time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := []string{}
	for name, tests := range r.running {
		switch len(tests) {
		case 0:
			at = append(at, name)
		case 1:
			at = append(at, name+" "+tests[0])
		default:
			at = append(at, fmt.Sprintf("%s %s and %d more", name, tests[0], len(tests)-1))
		}
	}
	slices.Sort(at)
	if len(at) == 0 {
		at = append(at, "compiling")
	}
	fmt.Fprintf(r.out, "... %s, %d packages tested; now %s\n", after.Round(time.Second), r.ended, strings.Join(at, "; "))
}
