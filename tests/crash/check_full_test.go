package crash

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/check"
	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// Of a database that cannot be used, alcove check and alcove serve say what is wrong and what can
// be done, without the trace of a panic, and leave it as it is (security.md K14).
func TestCheckOfUnusableDatabase(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Ada.Published("An item")
	s.Stop()
	path := filepath.Join(s.Cfg.Data, bucket.FileName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := os.Getpagesize()
	zeroed := func(from, n int) []byte {
		b := bytes.Clone(good)
		clear(b[from : from+n])
		return b
	}
	for what, content := range map[string][]byte{
		"meta 0 zeroed": zeroed(0, page), "meta 1 zeroed": zeroed(page, page), "both zeroed": zeroed(0, 2*page),
		"no bytes": nil, "another magic": bytes.Replace(good, []byte{0xED, 0xDA, 0x0C, 0xED}, []byte{0xED, 0xDA, 0x0C, 0xEE}, 2),
		"cut off": good[:6*page], "text": []byte(strings.Repeat("text ", 3000)),
	} {
		disk.WriteFile(t, path, content)
		for _, command := range []string{"check", "serve"} {
			out, err := exec.Command("alcove", command, "--data", s.Cfg.Data).CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 || !bytes.Contains(out, []byte("alcove restore")) || bytes.Contains(out, []byte("goroutine ")) {
				t.Errorf("%s: alcove %s: %v\n%.2000s", what, command, err, out)
			}
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, content) {
			t.Errorf("%s: the file was changed: %v", what, err)
		}
	}
	disk.WriteFile(t, path, good)
	s.Boot()
}

// A check that was interrupted goes on where it was, after a restart too, unless it is to begin
// again; and it reads no more than it may (security.md M08).
func TestCheckResumes(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for i := range 6 {
		s.Ada.PublicFile("data", disk.Random(1<<20, uint64(70+i)))
	}
	slow := exec.Command("alcove", "check", "--data", s.Cfg.Data, "--rate", "2")
	if err := slow.Start(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	s.Soon("two blobs are checked", func() bool {
		r, _ := checkStatus(s)
		return r.Stage == "blobs" && r.Blobs >= 2
	})
	if took := time.Since(began); took < time.Second {
		t.Errorf("2 MiB at 2 MiB a second took %v", took)
	}
	if err := slow.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := slow.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("an interrupted check: %v", err)
	}
	before, _ := checkStatus(s)
	if before.State != check.Stopped || before.Blobs < 2 || before.Blobs == 6 {
		t.Errorf("interrupted: %+v", before)
	}
	s.Restart()
	if r, _ := checkStatus(s); r.State != check.Stopped || r.Blobs != before.Blobs {
		t.Errorf("after a restart: %+v", r)
	}
	if r, status := s.Checked(); status != 0 || r.Resumed != 1 || r.Blobs != 6 || r.Bytes != 6<<20 || r.Started != before.Started {
		t.Errorf("it went on: %d, %+v", status, r)
	}
	if r, status := s.Checked("--restart"); status != 0 || r.Resumed != 0 || r.Blobs != 6 || r.LastSuccess == nil {
		t.Errorf("from the beginning: %d, %+v", status, r)
	}
}

// checkStatus is what alcove check status tells.
func checkStatus(s *world.Server) (report check.Report, status int) {
	s.T.Helper()
	return s.Reported("status")
}

// A server makes full checks by itself, and tells of them; what they find is known after a
// restart.
func TestScheduledCheck(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) {
		c.CheckEvery, c.CheckRate, c.MetricsListen = 500*time.Millisecond, 0, "127.0.0.1:0"
	})
	s.Harmed = "a bit of a file is flipped"
	data := disk.Random(5000, 77)
	s.Ada.PublicFile("data", data)
	s.Soon("a check is done", func() bool { return s.Scrape()["alcove_check_last_success_seconds{}"] > 0 })
	disk.FlipBit(t, s.Blob(data), 4000)
	s.Soon("a check finds damage", func() bool { return s.Scrape()["alcove_check_problems{}"] == 1 })
	s.Soon("the log tells", func() bool { return strings.Contains(s.Logs.String(), "has found damage") })
	s.Stop()
	r, status := checkStatus(s)
	if status != 1 || !r.Scheduled || r.Found != 1 || r.Problems[0].Fault != "damaged" {
		t.Errorf("after the end of the server: %d, %+v", status, r)
	}
	s.Boot()
}
