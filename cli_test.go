package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"alcove/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(wholeRun{m}, map[string]func(){
		"alcove": func() { os.Exit(profiled(func() int { return cli.Run(os.Args[1:], newRouter) })) },
		"barehttp": func() {
			fmt.Fprintln(os.Stderr, bareServer(os.Args[1], os.Args[2]))
			os.Exit(1)
		},
	})
}

// Every script in testdata/cli is a story of somebody at a terminal.
func TestCommands(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("these tests need curl; make check installs it")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/cli",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PROJECT", must(filepath.Abs(".")))
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
