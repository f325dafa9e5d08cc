package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"alcove/bucket"
	"alcove/cli"
)

// quickEnd lets programs under the race detector end without a second of waiting for more races.
const quickEnd = "atexit_sleep_ms=0"

// clockOff is a variable that puts the clock of a program that a test starts ahead, or back.
const clockOff = "TEST_CLOCK_OFF"

func TestMain(m *testing.M) {
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", quickEnd) // for those that the tests start
	}
	testscript.Main(wholeRun{m}, map[string]func(){
		"alcove": func() {
			if off, err := time.ParseDuration(os.Getenv(clockOff)); err == nil {
				bucket.Wall = func() time.Time { return time.Now().Add(off) }
			}
			os.Exit(profiled(func() int { return cli.Run(os.Args[1:], newRouter) }))
		},
		"barehttp": func() {
			fmt.Fprintln(os.Stderr, bareServer(os.Args[1], os.Args[2]))
			os.Exit(1)
		},
	})
}

// Every script in testdata/cli is a story at a terminal.
func TestCommands(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("these tests need curl; make check installs it")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/cli",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PROJECT", must(filepath.Abs(".")))
			e.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"ready": waitReady},
	})
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}
