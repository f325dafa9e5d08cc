package browser

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// family are a process and those that it has begun.
func family(pid int) (all []int) {
	all = []int{pid}
	for i := 0; i < len(all); i++ {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", all[i]))
		for _, list := range lists {
			b, _ := os.ReadFile(list)
			for _, child := range strings.Fields(string(b)) {
				if id, err := strconv.Atoi(child); err == nil {
					all = append(all, id)
				}
			}
		}
	}
	return all
}

// A laptop sleeps in the middle of an upload: all processes of its browser stand still, and the server gives up their
// connections. When it wakes the upload goes on by itself, and the bytes are those of the file.
func TestUploadSleeps(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.StallTimeout = 2 * time.Second })
	browser, quit, err := launch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(quit)
	who, _ := s.Depositor("Lovelace")
	article := who.Article(`{"title": "Measured until the lid was closed", "authors": [{"name": "Grace Hopper"}]}`)
	b := openIn(t, browser, s.URL)
	b.filesOf("lovelace@example.org", article)
	for _, part := range []string{"ERR_", "409", "503"} { // of the requests that were given up
		b.allow(part)
	}
	data := bytes.Repeat([]byte("0123456789abcdef"), 2<<20)
	path := filepath.Join(t.TempDir(), "large.bin")
	disk.WriteFile(t, path, data)
	b.net(true, 4<<20)
	b.choose("#pick-files", path)
	b.until(`document.querySelector(".sending .how").textContent.includes("%")`)
	processes := family(chromedp.FromContext(b.ctx).Browser.Process().Pid)
	signal := func(sig syscall.Signal) {
		for _, pid := range processes {
			if err := syscall.Kill(pid, sig); err != nil && err != syscall.ESRCH { // some end by themselves
				t.Error(err)
			}
		}
	}
	before := partsHere(who, article)
	signal(syscall.SIGSTOP)
	time.Sleep(6 * time.Second) // three times what the server waits for
	during := partsHere(who, article)
	signal(syscall.SIGCONT)
	if during > before+2 || during == 4 {
		t.Errorf("%d parts came while everything stood still, %d before", during, before)
	}
	b.net(true, 0)
	b.until(uploadIs + ` === "done"`)
	b.holds("1 of 1 files stored")
	who.Do("POST", article+"/publish", nil).Is(201)
	downloaded(t, s, world.LastNumber(t, article), map[string]string{"large.bin": sum(data)})
}

// partsHere is how many parts of the only file of an article the server has.
func partsHere(who world.Client, article string) (n int) {
	file := who.Get(article + "/files").Is(200).List()[0]["id"]
	address, _ := who.Get(fmt.Sprintf("%s/files/%.0f", article, file)).Is(200).Object()["upload_url"].(string)
	for _, part := range who.Server.Parts(strings.TrimPrefix(address, who.Server.URL)) {
		if part.Status == "COMPLETE" {
			n++
		}
	}
	return n
}
