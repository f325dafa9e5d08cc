package crash

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/world"
)

var uploadSize = flag.Int("upload-size", 45_000_000, "bytes of the file of TestUploadSurvivesKill")

// maxServer is how much anonymous memory the server may take for an upload, in KiB.
const maxServer = 200 << 10

// An upload in parallel parts in random order goes on after the server was killed half-way; every
// part that was said to be complete is, and the bytes that are downloaded are those that were
// sent (security.md F17). No part of the file is ever kept here or there, so it may have any
// size.
func TestUploadSurvivesKill(t *testing.T) {
	t.Parallel()
	p := &world.Process{T: t, Dir: t.TempDir(), Port: "0"}
	token := p.Owner()
	size := int64(*uploadSize)
	data := func(pt world.Part) []byte {
		return disk.Random(int(pt.End-pt.Start+1), uint64(pt.No)*0x9e3779b97f4a7c15)
	}
	sum, sent := md5.New(), sha256.New()
	for at := int64(0); at < size; at += world.PartSize {
		b := data(world.Part{No: int(at/world.PartSize) + 1, Start: at, End: min(at+world.PartSize, size) - 1})
		sum.Write(b)
		sent.Write(b)
	}
	p.Start()
	defer func() { p.Kill() }()
	watched := p.Watch()
	defer func() { watched() }()

	article := world.LastField(p.Want(201, "POST", p.URL+"/v2/account/articles", token, `{"title": "Large", "authors": [{"name": "A B"}]}`))
	file := world.LastField(p.Want(201, "POST", article+"/files", token, fmt.Sprintf(`{"name": "large.bin", "size": %d, "md5": "%x"}`, size, sum.Sum(nil))))
	upload := regexp.MustCompile(`"upload_url": "([^"]*)"`).FindStringSubmatch(p.Want(200, "GET", file, token, ""))[1]

	plan := func() (parts []world.Part) {
		var u struct {
			Parts []world.Part `json:"parts"`
		}
		if err := json.Unmarshal([]byte(p.Want(200, "GET", upload, "", "")), &u); err != nil {
			t.Fatal(err)
		}
		return u.Parts
	}
	// send sends parts in random order, four at a time, and tells which were acknowledged.
	send := func(parts []world.Part) (done map[int]bool) {
		done = map[int]bool{}
		var mu sync.Mutex
		var all sync.WaitGroup
		slots := make(chan struct{}, 4)
		for _, i := range rand.Perm(len(parts)) {
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				pt := parts[i]
				status, _ := p.Call("PUT", fmt.Sprintf("%s/%d", upload, pt.No), "", bytes.NewReader(data(pt)))
				mu.Lock()
				defer mu.Unlock()
				done[pt.No] = status == 200
			})
		}
		all.Wait()
		return done
	}
	// cut sends the first half of a part's bytes, and the rest never.
	var cutting sync.WaitGroup
	cut := func(pt world.Part) (end func()) {
		r, w := io.Pipe()
		cutting.Go(func() {
			if status, _ := p.Call("PUT", fmt.Sprintf("%s/%d", upload, pt.No), "", r); status != 0 {
				t.Errorf("part %d was answered with %d", pt.No, status)
			}
			r.Close() // whatever was not read is not waited for
		})
		b := data(pt)
		w.Write(b[:len(b)/2])
		return func() { w.CloseWithError(io.ErrUnexpectedEOF) }
	}
	first := plan()
	rand.Shuffle(len(first), func(i, j int) { first[i], first[j] = first[j], first[i] })
	half := len(first) / 2
	acknowledged := send(first[:half])
	one, two := cut(first[half]), cut(first[half+1])
	watched()
	p.Kill()
	one()
	two()
	cutting.Wait()
	p.Start()
	watched = p.Watch()
	var missing []world.Part
	for _, pt := range plan() {
		if (pt.Status == "COMPLETE") != acknowledged[pt.No] {
			t.Errorf("part %d is %s after the kill; acknowledged before: %v", pt.No, pt.Status, acknowledged[pt.No])
		}
		if pt.Status != "COMPLETE" {
			missing = append(missing, pt)
		}
	}
	t.Logf("%d of %d parts acknowledged before the kill, %d to send again", half, len(first), len(missing))
	send(missing)
	p.Want(202, "POST", file, token, "")
	begun := time.Now()
	for !strings.Contains(p.Want(200, "GET", file, token, ""), `"status": "available"`) {
		if time.Since(begun) > 10*time.Minute {
			t.Fatal("the file does not become available")
		}
		<-time.After(50 * time.Millisecond)
	}
	t.Logf("checked and available in %v", time.Since(begun).Round(time.Millisecond))
	download := regexp.MustCompile(`"download_url": "([^"]*)"`).FindStringSubmatch(p.Want(200, "GET", file, token, ""))[1]
	if n, got := p.Fetch(download, token); n != size || !bytes.Equal(got, sent.Sum(nil)) {
		t.Errorf("the download has %d bytes, not those that were sent", n)
	}
	p.Sample()
	t.Logf("anonymous memory of the server: at most %d KiB", p.Peak.Load())
	if p.Peak.Load() > maxServer {
		t.Errorf("the server took %d KiB of memory, more than %d", p.Peak.Load(), maxServer)
	}
}
