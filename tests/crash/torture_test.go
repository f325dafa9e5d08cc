package crash

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/tests/disk"
)

// programs builds what is shipped and what tortures it, as they are shipped: without the
// race detector, which the tests may have.
func programs(t *testing.T) (alcove, torture string) {
	t.Helper()
	dir := t.TempDir()
	alcove, torture = filepath.Join(dir, "alcove"), filepath.Join(dir, "torture")
	for _, b := range [][2]string{{alcove, "alcove"}, {torture, "alcove/tests/torture"}} {
		if out, err := exec.Command("go", "build", "-o", b[0], b[1]).CombinedOutput(); err != nil {
			t.Fatalf("cannot build %s: %v\n%s", b[1], err, out)
		}
	}
	return alcove, torture
}

// The short form of make torture (security.md F18, K02, K22, K23, K24). A server is killed under
// load, in its start and in its very first start, stopped by SIGTERM, and, where that can be
// done, loses its power: nothing that was acknowledged is lost, and nothing is there in part. The
// modes in which something must be lost show that it would be seen.
func TestTorture(t *testing.T) {
	t.Parallel()
	alcove, torture := programs(t)
	for _, line := range []string{
		"kill -cycles 3 -at-most 200ms",
		"first -cycles 1",
		"term -cycles 1 -at-most 200ms",
		"rewind -cycles 1 -at-most 200ms",
		"power -cycles 2 -at-most 200ms -fs ext4 -options commit=1000",
		"power -cycles 1 -at-most 200ms -fs xfs",
		"lies -cycles 3 -at-most 300ms -fs ext4",
	} {
		args := strings.Fields(line)
		t.Run(args[0]+line[strings.LastIndexByte(line, ' '):], func(t *testing.T) {
			if why := cannotCut(args); why != "" {
				t.Skip(why)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, torture, append(args, "-alcove", alcove, "-dir", t.TempDir())...)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("torture %s: %v\n%s", line, err, out)
			}
			t.Logf("%s", out[bytes.LastIndexByte(bytes.TrimSpace(out), '\n')+1:])
		})
	}
}

// cannotCut says why a mode that cuts the power cannot be run here, if it cannot.
func cannotCut(args []string) string {
	if args[0] != "power" && args[0] != "lies" {
		return ""
	}
	if os.Getuid() != 0 {
		return "power can be cut as root only"
	}
	need := []string{"unshare", "mount", "losetup", "mkfs.ext4"}
	if args[0] == "lies" {
		need = append(need, "strace")
	}
	for i, a := range args {
		if a == "-fs" {
			need = append(need, "mkfs."+args[i+1])
		}
	}
	for _, name := range need {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Sprintf("there is no %s to cut the power with", name)
		}
	}
	if out, err := exec.Command("unshare", "--mount", "--pid", "--fork", "--mount-proc", "losetup", "-f").CombinedOutput(); err != nil {
		return fmt.Sprintf("there are no loop devices to cut the power of: %s", out)
	}
	return ""
}

// The released program has none of the bugs that are planted for the crash tests, nothing of what
// the build for tests can be told, and no profiler (security.md N03).
func TestNothingPlanted(t *testing.T) {
	t.Parallel()
	const variable = "TORTURE_PLANT" // names the bug, in a build with the tag planted
	read := func(path string) []byte {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, pkg := range []string{"bucket", "blobs/dir", "uploads"} {
		source := string(read(disk.Root(pkg, "planted.go")))
		if !strings.Contains(source, variable) || !strings.HasPrefix(source, "//go:build planted\n") {
			t.Errorf("%s/planted.go does not plant what this test looks for", pkg)
		}
	}
	alcove, torture := programs(t)
	if !bytes.Contains(read(torture), []byte(variable)) {
		t.Errorf("%s cannot be found in a program that has it", variable)
	}
	if bytes.Contains(read(alcove), []byte(variable)) {
		t.Errorf("the program has planted bugs: %s is in it", variable)
	}
	const clock = "TEST_CLOCK_OFF" // puts the clock ahead, in the build for tests (cli/hooks.go)
	tested, err := exec.LookPath("alcove")
	if err != nil || !bytes.Contains(read(tested), []byte(clock)) {
		t.Errorf("%s cannot be found in a program that has it: %v", clock, err)
	}
	if bytes.Contains(read(alcove), []byte(clock)) {
		t.Errorf("the program can be told another time: %s is in it", clock)
	}
	deps, err := exec.Command("go", "list", "-deps", "alcove").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"net/http/pprof", "expvar", "go.etcd.io/gofail/runtime"} {
		if strings.Contains("\n"+string(deps), "\n"+pkg+"\n") {
			t.Errorf("the program has %s in it", pkg)
		}
	}
}
