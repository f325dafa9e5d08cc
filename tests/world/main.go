package world

import (
	"flag"
	stdmaps "maps"
	"os"
	"regexp"
	"runtime/pprof"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"alcove/cli"
	"alcove/tests/routes"
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
		"alcove": func() { os.Exit(profiled(func() int { return cli.Run(os.Args[1:], routes.NewRouter) })) },
	}
	for _, p := range programs {
		stdmaps.Copy(commands, p)
	}
	testscript.Main(wholeRun{m}, commands)
}

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
	code := m.M.Run()
	for _, end := range AtEnd {
		end()
	}
	if code != 0 || testing.Short() {
		return code
	}
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return code
		}
	}
	if err := routes.Suite.Write(); err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return code
}
