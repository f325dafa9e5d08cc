package files

import (
	"bufio"
	"bytes"
	"fmt"
	"hash/crc32"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/config"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// slowly sends a part in pieces with pauses between them, over a connection of its own, and
// returns the status line, empty when the connection was cut, and the longest pause that it was.
func slowly(s *world.Server, upload string, part, piece []byte, pause time.Duration) (status string, took, longest time.Duration) {
	s.T.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		s.T.Fatal(err)
	}
	defer conn.Close()
	begun := time.Now()
	conn.SetDeadline(begun.Add(30 * time.Second))
	answer := make(chan string, 1)
	go func() { // ends with the connection
		line, _ := bufio.NewReader(conn).ReadString('\n')
		answer <- strings.TrimSpace(line)
	}()
	fmt.Fprintf(conn, "PUT %s/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", strings.TrimPrefix(upload, s.URL), len(part))
	tick := time.NewTicker(pause)
	defer tick.Stop()
	last := begun
	for sent := 0; sent < len(part); sent += len(piece) {
		longest, last = max(longest, time.Since(last)), time.Now()
		if _, err := conn.Write(part[sent:min(sent+len(piece), len(part))]); err != nil {
			break
		}
		select {
		case status = <-answer:
			return status, time.Since(begun), longest
		case <-tick.C:
		}
	}
	status = <-answer
	return status, time.Since(begun), max(longest, time.Since(last))
}

// A client is cut off for sending nothing, or nearly nothing, but not for being slow: its part is
// free again.
func TestUploadStall(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.StallTimeout, c.ReadTimeout = time.Second, time.Second })
	at := s.Ada.Article(`{"title": "Slow lines"}`)
	data := disk.Random(1<<20, 21)
	_, upload := s.Ada.Begin(at, "slow.bin", data)
	// On a busy machine the client may pause for longer than it wants: then it was not slow but stood
	// still, and says nothing of slow ones.
	for tries := 1; ; tries++ {
		status, took, longest := slowly(s, upload, data, data[:100<<10], 300*time.Millisecond)
		if strings.Contains(status, " 200 ") && took >= 2*time.Second {
			break
		}
		if longest < s.Cfg.StallTimeout/2 || tries == 10 {
			t.Fatalf("a slow client got %q after %v, with pauses of %v at most", status, took, longest)
		}
		awaitParts(s, upload, "P")
	}
	for name, piece := range map[string]int{"stands still": 0, "a byte now and then": 1} {
		held := hold(s, upload, 1, data[:2000])
		awaitParts(s, upload, "PL")
		stop, stopped := make(chan struct{}), make(chan struct{})
		ticks := 0 // what the process had of the time
		go func() {
			defer close(stopped)
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					ticks++
					if piece > 0 {
						held.Write(data[:piece])
					}
				case <-stop:
					return
				}
			}
		}()
		awaitParts(s, upload, "P")
		held.CloseWithError(fmt.Errorf("enough"))
		close(stop)
		<-stopped
		if ticks > 100 { // five seconds
			t.Errorf("%s: the part was held for %d ticks", name, ticks)
		}
		if status := <-held.done; status == 200 {
			t.Errorf("%s: accepted", name)
		}
	}
	s.Put(upload, 1, data).Is(200)
}

// RFC 9110, 10.1.1: a client that waits for 100 Continue is refused before it sends the body.
func TestUploadExpectContinue(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Asks first"}`)
	_, upload := s.Ada.Begin(at, "a.bin", disk.Random(world.PartSize+1, 2))
	path := strings.TrimPrefix(upload, s.URL)
	done := s.Ada.Upload(at, "done", []byte("done"))
	closed := "/upload/" + s.Ada.Get(done).Object()["upload_token"].(string)
	held := hold(s, upload, 2, nil)
	defer held.Close()
	awaitParts(s, upload, "PPL")
	token := "Authorization: token " + s.Ada.Token + "\r\n"
	for _, c := range []struct {
		request, headers string
		length           int
		status           string
	}{
		{"PUT /upload/9660bbfd-119b-41cb-b5db-e18ed96f42e3/1", "", 10, "404"},
		{"PUT " + path + "/3", "", 10, "404"},
		{"PUT " + path + "/1", "", world.PartSize - 1, "400"},
		{"PUT " + path + "/1", "", world.PartSize + 1, "400"},
		{"PUT " + path + "/2", "", 1, "409"},
		{"PUT " + closed + "/1", "", 4, "409"},
		{"POST " + at + "/files", "", 40, "401"},
		{"POST " + at + "/files", token, 2 << 20, "413"},
		{"PUT " + path + "/1", "", world.PartSize, "100"},
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", c.request, c.headers, c.length)
		line, err := bufio.NewReader(conn).ReadString('\n')
		if !strings.HasPrefix(line, "HTTP/1.1 "+c.status) {
			t.Errorf("%s with %d bytes: %q, %v, want %s", c.request, c.length, line, err, c.status)
		}
		conn.Close()
	}
}

// free is what the disk of the test's data has left.
func free(s *world.Server) int64 {
	s.T.Helper()
	var stat unix.Statfs_t
	if err := unix.Statfs(s.Cfg.Data, &stat); err != nil {
		s.T.Fatal(err)
	}
	return int64(stat.Bavail) * stat.Frsize
}

// Announced bytes have their space on the disk: a client that comes too late is told before it
// sends a byte, and bytes that arrived, were deleted or are done are not counted twice.
func TestUploadDiskRoom(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) { c.AccountQuota = 0 })
	const gib = 1 << 30
	room := free(s) / gib / 2 // the rest is far from the space that other tests take meanwhile
	if room < 2 {
		t.Fatal("this test needs 4 GiB of free disk")
	}
	s.Stop()
	s.Cfg.DiskReserve = free(s) - room*gib
	s.Boot()
	at := s.Ada.Article(`{"title": "Much"}`)
	announce := func(c world.Client, at string, size int64) *world.Reply {
		return c.Send("POST", at+"/files", fmt.Sprintf(`{"name": "large", "size": %d}`, size))
	}
	large := room * gib / 4 * 3
	r := announce(s.Ada, at, room*gib*2).Refuses(507, "no room for a file of this size")
	if r.Object()["code"] != "NoSpace" {
		t.Errorf("refused with %s", r.Bytes)
	}
	first := strings.TrimPrefix(announce(s.Ada, at, large).Is(201).Header.Get("Location"), s.URL)
	bens := s.Ben.Article(`{"title": "Also much"}`)
	announce(s.Ben, bens, large).Refuses(507, "no room")
	announce(s.Ben, bens, 0).Is(201)
	s.Ben.Upload(bens, "small", []byte("small"))
	s.Restart()
	announce(s.Ben, bens, large).Refuses(507, "no room")
	s.Ada.Do("DELETE", first, nil).Is(204)
	second := strings.TrimPrefix(announce(s.Ben, bens, large).Is(201).Header.Get("Location"), s.URL)
	announce(s.Ada, at, large).Refuses(507, "no room")
	s.Ben.Do("DELETE", second, nil).Is(204)
	data := disk.Random(world.PartSize+1, 6)
	for i := range 2 {
		file, upload := s.Ada.Begin(at, "a", data)
		s.Put(upload, 1, data[:world.PartSize]).Is(200)
		s.Put(upload, 1, data[:world.PartSize]).Is(200)
		if got := promised(s); got != 1 {
			t.Errorf("%d bytes are promised, want the part that has not arrived", got)
		}
		s.Anon.Do("DELETE", upload+"/1", nil).Is(200)
		if got := promised(s); got != world.PartSize+1 {
			t.Errorf("%d bytes are promised after a part was deleted", got)
		}
		if i == 0 {
			s.Ada.Do("DELETE", file, nil).Is(204)
			continue
		}
		s.Put(upload, 2, data[world.PartSize:]).Is(200)
		s.Put(upload, 1, data[:world.PartSize]).Is(200)
		s.Ada.Do("POST", file, nil).Is(202)
		s.Ada.Until(file, "available")
	}
	file, upload := s.Ada.Begin(at, "wrong", []byte("right"))
	s.Put(upload, 1, []byte("wrong")).Is(200)
	s.Ada.Do("POST", file, nil).Is(202)
	s.Ada.Until(file, "ic_failed")
	if got := promised(s); got != 0 {
		t.Errorf("%d bytes are promised in the end", got)
	}
}

// promised is how many bytes are announced and have not arrived.
func promised(s *world.Server) (n int64) {
	s.T.Helper()
	err := s.DB().View(func(tx *bucket.Tx) error {
		n = files.BytesAnnounced.Sum(tx) - files.BytesArrived.Sum(tx)
		return nil
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return n
}

// The check of a large file holds up no request, and ends when the file is deleted.
func TestChecksDoNotWait(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) { c.DiskReserve = -1 << 50 })
	at := s.Ada.Article(`{"title": "Large and small"}`)
	const parts = 600
	file, upload := s.Ada.BeginAs(at, fmt.Sprintf(`{"name": "large", "size": %d}`, parts*world.PartSize))
	zeros := crc32.Checksum(make([]byte, world.PartSize), crc32.MakeTable(crc32.Castagnoli))
	s.Alter(func(tx *bucket.Tx) error {
		for n := range int64(parts) {
			if err := files.Parts.Put(tx, bucket.Pair{A: world.LastNumber(t, file), B: n + 1}, &record.Part{CRC32C: zeros, Size: world.PartSize}); err != nil {
				return err
			}
		}
		return nil
	})
	staged := filepath.Join(s.Cfg.Data, "uploads", upload[strings.LastIndexByte(upload, '/')+1:])
	disk.WriteFile(t, staged, nil)
	if err := os.Truncate(staged, parts*world.PartSize); err != nil { // a hole, which takes no space
		t.Fatal(err)
	}
	s.Ada.Do("POST", file, nil).Is(202)
	s.Ada.Upload(at, "small", []byte("small"))
	if status := s.Ada.Get(file).Object()["status"]; status != "ic_checking" {
		t.Errorf("the large file is %v already", status)
	}
	s.Put(upload, 1, make([]byte, world.PartSize)).Refuses(409, "")
	s.Restart() // it begins again, and again holds up no request
	s.Ada.Upload(at, "small", []byte("small too"))
	if status := s.Ada.Get(file).Object()["status"]; status != "ic_checking" {
		t.Errorf("after a restart the large file is %v", status)
	}
	s.Ada.Do("DELETE", file, nil).Is(204)
	deadline := time.Now().Add(20 * time.Second)
	for left := s.FileDisk("uploads"); len(left) > 0; left = s.FileDisk("uploads") {
		if time.Now().After(deadline) {
			t.Fatalf("uploads still has %v", left)
		}
		runtime.Gosched()
	}
}

// The same bytes of two people lie on the disk once, and neither can tell: they get the same
// answers, and the thumbnail of the second is made like that of the first.
func TestSameBytesOnce(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.SweepGrace = time.Hour })
	var told []string
	for _, who := range []world.Client{s.Ada, s.Ben} {
		at := who.Article(`{"title": "The same"}`)
		file := who.Upload(at, "same.png", disk.OnePixel)
		f := who.Previews(file, "preview_available")
		for _, own := range []string{"id", "upload_token", "download_url"} {
			delete(f, own)
		}
		told = append(told, fmt.Sprint(f, who.FileQuota()))
		r := who.Get(fmt.Sprint("/files/", world.LastNumber(t, file))).Is(200)
		told[len(told)-1] += fmt.Sprint(r.Header.Get("ETag"), len(r.Bytes))
		if stored := s.FileDisk("blobs"); len(stored) != 1 {
			t.Errorf("on the disk there is %v", stored)
		}
		// An existing thumbnail is made again.
		for _, name := range s.FileDisk("thumbs") {
			name = filepath.Join(s.Cfg.Data, "thumbs", name)
			b, err := os.ReadFile(name)
			if err != nil || !bytes.Equal(b[:8], disk.OnePixel[:8]) {
				t.Errorf("the thumbnail was taken from another file: %v", err)
			}
			disk.WriteFile(t, name, append([]byte("not made"), b[8:]...))
		}
	}
	if told[0] != told[1] {
		t.Errorf("the first is told %s\nthe second %s", told[0], told[1])
	}
	s.Ada.Do("DELETE", "/v2/account/articles/1", nil).Is(204)
	if got := s.Ben.Get("/files/2").Is(200); http.DetectContentType(got.Bytes) != "image/png" {
		t.Error("the bytes of one went with those of the other")
	}
}
