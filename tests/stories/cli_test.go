package stories

import (
	"os"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// Every script in tests/testdata/cli is a story at a terminal.
func TestCommands(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Fatal("these tests need curl; make check installs it")
	}
	testscript.Run(t, testscript.Params{
		Dir: disk.Testdata("cli"),
		Setup: func(e *testscript.Env) error {
			e.Setenv("PROJECT", disk.Root())
			e.Setenv("GORACE", os.Getenv("GORACE"))
			e.Values[examplesRun{}] = map[string]bool{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"ready": world.WaitReady, "example": example, "allexamples": allExamples},
	})
}
