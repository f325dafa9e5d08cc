package world

import (
	"encoding/json"
	"flag"
	stdmaps "maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"alcove/cli"
)

var servingAt = regexp.MustCompile(`(?:address=|Ready at +)(https?://[^\s/]+)`)

// WaitReady waits until the server that writes to a file says where it serves, and puts
// the address into $URL: ready FILE.
func WaitReady(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: ready FILE")
	}
	deadline := time.Now().Add(2 * time.Minute) // it is there in one second, where nothing else runs
	for {
		b, _ := os.ReadFile(ts.MkAbs(args[0])) // not there yet is empty
		if m := servingAt.FindSubmatch(b); m != nil {
			ts.Setenv("URL", string(m[1]))
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("no server is ready: %s", b)
		}
		<-time.After(20 * time.Millisecond) // another process: there is nothing to wait on
	}
}

// profileName is a variable that names the file of a processor profile.
const profileName = "HOTPATH_PROFILE"

// profiled runs a command under a processor profile where one is asked for.
func profiled(run func() int) int {
	if name := os.Getenv(profileName); name != "" {
		f, err := os.Create(name)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			panic(err)
		}
		defer pprof.StopCPUProfile()
		defer func() {
			if a, err := os.Create(name + ".allocs"); err == nil {
				pprof.Lookup("allocs").WriteTo(a, 0)
				a.Close()
			}
		}()
	}
	return run()
}

// quickEnd lets programs under the race detector end without a second of waiting for more races.
const quickEnd = "atexit_sleep_ms=0"

// Main runs the tests of a theme: each theme's TestMain calls it. The tests find the command
// alcove in their path, which is the real program. Programs are more such commands, which the test
// program itself is under another name.
func Main(m *testing.M, programs ...map[string]func()) {
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", quickEnd) // for those that the tests start
	}
	commands := map[string]func(){
		// Found only where a profile is asked for; scripts know the name from here.
		"alcove": func() { os.Exit(profiled(func() int { return cli.Run(os.Args[1:], newRouter) })) },
	}
	for _, p := range programs {
		stdmaps.Copy(commands, p)
	}
	testscript.Main(wholeRun{m}, commands)
}

// exchangesDir is a variable that names the folder into which each theme writes what its tests
// saw, when all of them have run and passed; make check then lets TestExchanges read it.
const exchangesDir = "TEST_EXCHANGES"

// AtEnd is called when the tests of a theme have run, to end what they share.
var AtEnd []func()

// wholeRun runs the tests of a theme and then writes what they saw.
type wholeRun struct{ *testing.M }

func (m wholeRun) Run() int {
	if os.Getenv(profileName) == "" {
		bin, err := buildProgram()
		if err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			return 1
		}
		os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	code, dir := m.M.Run(), exchangesTo()
	for _, end := range AtEnd {
		end()
	}
	if code != 0 || dir == "" || testing.Short() {
		return code
	}
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return code
		}
	}
	if err := Suite.write(dir); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return code
}

// themeSaw is what the tests of a theme saw.
type themeSaw struct {
	Seen []seenTimes
	Met  []difference // of the table of differences from the public description
}

type seenTimes struct {
	Exchange
	Times int
}

// write writes what the tests of this theme saw to a file of its name.
func (w *exchangeLog) write(dir string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := Conforming()
	if err != nil {
		return err
	}
	var saw themeSaw
	for e, n := range w.seen {
		saw.Seen = append(saw.Seen, seenTimes{e, n})
	}
	for _, d := range c.differences {
		if d.met {
			saw.Met = append(saw.Met, *d)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	b, err := json.Marshal(saw)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(here)+".json"), b, 0o644)
}

// ReadExchanges is what all themes together saw; the differences of the table that were met are
// marked.
func ReadExchanges(dir string) (seen map[Exchange]int, unmet []string, err error) {
	c, err := Conforming()
	if err != nil {
		return nil, nil, err
	}
	themes, err := filepath.Glob(Root("tests/*/main_test.go"))
	if err != nil {
		return nil, nil, err
	}
	seen = map[Exchange]int{}
	for _, theme := range themes {
		b, err := os.ReadFile(filepath.Join(dir, filepath.Base(filepath.Dir(theme))+".json"))
		if err != nil {
			return nil, nil, err
		}
		var saw themeSaw
		if err := json.Unmarshal(b, &saw); err != nil {
			return nil, nil, err
		}
		for _, s := range saw.Seen {
			seen[s.Exchange] += s.Times
		}
		for _, met := range saw.Met {
			c.Listed(met.Operation, met.Place, met.Keyword)
		}
	}
	return seen, c.unmet(), nil
}
