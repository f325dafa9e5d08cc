// Progress runs go test and says at least once a minute what it is at, which go test itself does not
// as long as a package takes. It prints what go test prints without -v, and ends with its status.
//
//	progress DIRECTORY ARGUMENT...
package main

import (
	"bufio"
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
}

// run is what is known of a run of go test.
type run struct {
	mu      sync.Mutex
	out     io.Writer
	ended   int                         // packages
	running map[string][]string         // tests that run, in the order of their start, by package
	said    map[string]*strings.Builder // by package and test, printed when it fails
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
		if text != nil && (e.Test == "" || e.Action == "fail") && !strings.Contains(text.String(), "[no test files]") {
			io.WriteString(r.out, text.String())
		}
		if e.Test == "" {
			r.ended++
			delete(r.running, e.Package)
			break
		}
		r.running[e.Package] = slices.DeleteFunc(r.running[e.Package], func(t string) bool { return t == e.Test })
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
