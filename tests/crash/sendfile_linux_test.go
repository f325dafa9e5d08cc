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
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// A blob may be a file underneath: then the system copies a download to the
// connection, and the program touches its bytes only to check them.
func TestSystemCopiesDownloads(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("strace is missing; make tools installs it")
	}
	p := &world.Process{T: t, Dir: t.TempDir(), Port: "0"}
	token := p.Owner()
	trace := filepath.Join(p.Dir, "trace")
	p.Wrap = []string{strace, "-f", "-qq", "-o", trace, "-e", "trace=sendfile", "-e", "signal=none"}
	p.Start()
	data := disk.Random(5<<20, 7)
	article := world.LastField(p.Want(201, "POST", p.URL+"/v2/account/articles", token, `{"title": "Sent"}`))
	file := world.LastField(p.Want(201, "POST", article+"/files", token, fmt.Sprintf(`{"name": "a.bin", "size": %d, "md5": "%x"}`, len(data), md5.Sum(data))))
	upload := regexp.MustCompile(`"upload_url": "([^"]*)"`).FindStringSubmatch(p.Want(200, "GET", file, token, ""))[1]
	p.Want(200, "PUT", upload+"/1", "", string(data))
	p.Want(202, "POST", file, token, "")
	world.WaitFor(t, "the file is available", func() bool {
		return strings.Contains(p.Want(200, "GET", file, token, ""), `"status": "available"`)
	})
	if n, _ := p.Fetch(p.URL+"/files/"+file[strings.LastIndexByte(file, '/')+1:], token); n != int64(len(data)) {
		t.Errorf("%d bytes came", n)
	}
	endWrapped(p)
	b, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	copied := 0
	for _, m := range regexp.MustCompile(`(?m)(?:sendfile\(|sendfile resumed).* = (\d+)$`).FindAllSubmatch(b, -1) {
		n, err := strconv.Atoi(string(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		copied += n
	}
	if copied < len(data)-4096 { // net/http looks at the first bytes itself
		t.Errorf("the system copied %d bytes of %d", copied, len(data))
	}
}
