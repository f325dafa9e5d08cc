package crash

import (
	"crypto/md5"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"alcove/tests/world"
)

// The order of system calls for one small file: the name of the staging file and the bytes of the
// part are synced before the part is recorded, and that is synced before the client gets its
// answer; the blob and its name are synced before the file is available. A missing sync shows
// here without a power cut, which needs root.
func TestSyncOrder(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("strace is missing; make tools installs it")
	}
	p := &world.Process{T: t, Dir: t.TempDir(), Port: "0"}
	token := p.Owner()
	trace := filepath.Join(p.Dir, "trace")
	p.Wrap = []string{strace, "-f", "-y", "-qq", "-s", "2048", "-o", trace,
		"-e", "trace=write,pwrite64,sendto,sendmsg,writev,fsync,fdatasync,rename,renameat,renameat2", "-e", "signal=none"}
	p.Start()
	data := []byte("bytes that have to be on the disk")
	article := world.LastField(p.Want(201, "POST", p.URL+"/v2/account/articles", token, `{"title": "Synced"}`))
	file := world.LastField(p.Want(201, "POST", article+"/files", token, fmt.Sprintf(`{"name": "a.bin", "size": %d, "md5": "%x"}`, len(data), md5.Sum(data))))
	upload := regexp.MustCompile(`"upload_url": "([^"]*)"`).FindStringSubmatch(p.Want(200, "GET", file, token, ""))[1]
	p.Want(200, "PUT", upload+"/1", "", string(data))
	p.Want(202, "POST", file, token, "")
	world.WaitFor(t, "the file is available", func() bool {
		return strings.Contains(p.Want(200, "GET", file, token, ""), `"status": "available"`)
	})
	endWrapped(p)

	calls := syncCalls(t, trace, filepath.Join(p.Dir, "data"))
	at := 0
	next := func(call string) {
		t.Helper()
		for i, c := range calls[at:] {
			if c == call {
				at += i + 1
				return
			}
		}
		t.Fatalf("%q does not come after call %d of\n%s", call, at, strings.Join(calls, "\n"))
	}
	before := func(call, other string) {
		t.Helper()
		for _, c := range calls[at:] {
			if c == call {
				return
			}
			if c == other {
				break
			}
		}
		t.Errorf("%q comes before %q, after call %d of\n%s", other, call, at, strings.Join(calls, "\n"))
	}
	before("sync uploads", "write uploads/*")
	// The server commits other things at the same time, so that the commit is meant which begins after the sync.
	recorded := func(sync, answer string) {
		t.Helper()
		before(sync, answer)
		next(sync)
		before("write alcove.db", answer)
		next("write alcove.db")
		before("sync alcove.db", answer)
	}
	next("write uploads/*")
	recorded("sync uploads/*", "answer 200")
	next("answer 200")
	next("rename uploads/* blobs/*")
	renamed := at
	recorded("sync blobs/*", "answer available")
	at = renamed
	recorded("sync uploads", "answer available")
}

var (
	syncCall   = regexp.MustCompile(`^\d+ +(write|pwrite64|fsync|fdatasync)\(\d+<([^>]*)>`)
	answerCall = regexp.MustCompile(`^\d+ +(?:write|writev|sendto|sendmsg)\(\d+<(?:socket|TCP)[^"]*"HTTP/1\.1 (\d+)`)
	renameCall = regexp.MustCompile(`^\d+ +rename\w*\(.*?<([^>]*)>, "([^"]*)", .*?<([^>]*)>, "([^"]*)"`)
	anyBlob    = regexp.MustCompile(`^blobs/[0-9a-f/]+$`)
)

// syncCalls are the calls of a trace that matter, as "sync alcove.db", with * for names that are
// made by chance. An answer that tells of an available file is "answer available".
func syncCalls(t *testing.T, trace, dir string) (calls []string) {
	t.Helper()
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	short := func(path string) string {
		path = strings.TrimPrefix(strings.TrimPrefix(path, dir), "/")
		switch {
		case strings.HasPrefix(path, "uploads/"):
			return "uploads/*"
		case anyBlob.MatchString(path):
			return "blobs/*"
		}
		return path
	}
	for _, line := range strings.Split(string(b), "\n") {
		if m := answerCall.FindStringSubmatch(line); m != nil {
			if strings.Contains(line, `\"status\": \"available\"`) {
				m[1] = "available"
			}
			calls = append(calls, "answer "+m[1])
		} else if m := syncCall.FindStringSubmatch(line); m != nil && strings.HasPrefix(m[2], dir) {
			call := map[string]string{"write": "write", "pwrite64": "write", "fsync": "sync", "fdatasync": "sync"}[m[1]]
			calls = append(calls, call+" "+short(m[2]))
		} else if m := renameCall.FindStringSubmatch(line); m != nil && strings.HasPrefix(m[1], dir) {
			calls = append(calls, "rename "+short(m[1]+"/"+m[2])+" "+short(m[3]+"/"+m[4]))
		}
	}
	return calls
}

// endWrapped ends a server that runs below another command, and waits for both.
func endWrapped(p *world.Process) {
	p.T.Helper()
	pid := strconv.Itoa(p.Cmd.Process.Pid)
	b, err := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
	if err != nil {
		p.T.Fatal(err)
	}
	for _, child := range strings.Fields(string(b)) {
		if n, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(n, syscall.SIGTERM)
		}
	}
	if err := p.Cmd.Wait(); err != nil {
		p.T.Errorf("the server ends with %v", err)
	}
}
