package files

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// A file deleted while its bytes arrive leaves nothing behind (security.md F11).
func TestUploadDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for _, whole := range []bool{false, true} {
		at := s.Ada.Article(`{"title": "Gone soon"}`)
		file, upload := s.Ada.Begin(at, "a.bin", disk.Random(1<<20, 9))
		held := hold(s, upload, 1, make([]byte, 300<<10)) // more than is buffered in memory
		awaitParts(s, upload, "PL")
		if whole {
			s.Ada.Do("DELETE", at, nil).Is(204)
		} else {
			s.Ada.Do("DELETE", file, nil).Is(204)
		}
		s.Anon.Get(upload).Refuses(404, "")
		s.Put(upload, 1, make([]byte, 1<<20)).Refuses(404, "")
		go func() {
			held.Write(make([]byte, 1<<20-300<<10))
			held.Close()
		}()
		if status := <-held.done; status != 404 && status != 409 {
			t.Errorf("the part ended with %d", status)
		}
		if left := s.FileDisk("uploads"); len(left) > 0 {
			t.Errorf("uploads left %v", left)
		}
	}
	if got := s.Ada.FileQuota(); got != "0+0=0" {
		t.Errorf("used %s", got)
	}
}

// Bytes that differ from the announced ones never become available (security.md F05).
func TestUploadWrongMD5(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Wrong sum", "authors": [{"name": "Grace Hopper"}]}`)
	file, upload := s.Ada.Begin(at, "survey \"1\".csv", []byte("right"))
	s.Put(upload, 1, []byte("wrong")).Is(200)
	s.Ada.Do("POST", file, nil).Is(202)
	f := s.Ada.Until(file, "ic_failed")
	sum := md5.Sum([]byte("wrong"))
	if why, _ := f["failure_reason"].(string); !strings.Contains(why, hex.EncodeToString(sum[:])) || !strings.Contains(why, f["supplied_md5"].(string)) ||
		f["computed_md5"] != hex.EncodeToString(sum[:]) || f["upload_url"] != nil {
		t.Errorf("a failed file is %v", f)
	}
	if got := s.Anon.Get(upload).Object()["status"]; got != "ABORTED" {
		t.Errorf("the upload is %v", got)
	}
	s.Ada.Get("/files/1").Refuses(404, "File not found")
	s.Ada.Do("POST", at+"/publish", nil).Refuses(400, `File survey "1".csv failed its integrity check`)
	s.Ada.Do("POST", file, nil).Refuses(400, "failed its integrity check")
	s.Put(upload, 1, []byte("right")).Refuses(409, "")
	s.Restart()
	s.Ada.Until(file, "ic_failed")
	if left := append(s.FileDisk("uploads"), s.FileDisk("blobs")...); len(left) > 0 {
		t.Errorf("refused bytes stayed: %v", left)
	}
	s.Ada.Do("DELETE", file, nil).Is(204)
	s.Ada.Upload(at, "survey.csv", []byte("right"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if got := s.Ada.FileQuota(); got != "0+5=5" {
		t.Errorf("used %s", got)
	}
}

// Bytes that changed on the disk before completion are noticed, and only they are asked for again
// (security.md F19).
func TestUploadDamagedOnDisk(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Bad disk"}`)
	data := disk.Random(world.PartSize+1, 13)
	file, upload := s.Ada.Begin(at, "a.bin", data)
	staged := filepath.Join(s.Cfg.Data, "uploads", upload[strings.LastIndexByte(upload, '/')+1:])
	s.Put(upload, 1, data[:world.PartSize]).Is(200)
	s.Put(upload, 2, data[world.PartSize:]).Is(200)
	damaged := slices.Clone(data)
	damaged[world.PartSize] ^= 1
	for _, c := range []struct {
		damage func()
		states string
	}{
		{func() { disk.WriteFile(t, staged, damaged) }, "CP"},
		{func() { disk.WriteFile(t, staged, data[:world.PartSize]) }, "CP"},
		{func() { disk.WriteFile(t, staged, nil) }, "PP"},
		{func() { os.Remove(staged) }, "PP"},
	} {
		c.damage()
		s.Ada.Do("POST", file, nil).Is(202)
		f := s.Ada.Until(file, "created")
		if why, _ := f["failure_reason"].(string); !strings.Contains(why, "must be sent again") || f["upload_url"] != upload {
			t.Errorf("after the check: %v", f)
		}
		awaitParts(s, upload, c.states)
		for i, state := range c.states {
			if p := s.Parts(upload)[i]; state == 'P' {
				s.Put(upload, p.No, data[p.Start:p.End+1]).Is(200)
			}
		}
	}
	// A file that has more bytes than were announced cannot be repaired.
	disk.WriteFile(t, staged, append(slices.Clone(data), 0))
	s.Ada.Do("POST", file, nil).Is(202)
	if f := s.Ada.Until(file, "ic_failed"); f["computed_md5"] != nil || f["failure_reason"] == nil {
		t.Errorf("too long: %v", f)
	}
	s.Ada.Do("DELETE", file, nil).Is(204)
	s.Ada.Upload(at, "a.bin", data)
	s.Ada.Upload(at, "empty", nil)
	if got := s.Ada.Get("/files/3").Is(200); len(got.Bytes) != 0 {
		t.Errorf("an empty file has %d bytes", len(got.Bytes))
	}
}

// An idle upload expires, one that goes on does not, and bytes that no record names are removed
// (security.md F16).
func TestUploadExpiry(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "Abandoned"}`)
	folder := filepath.Join(s.Cfg.Data, "uploads")
	_, fresh := s.Ada.Begin(at, "fresh", disk.Random(world.PartSize+1, 1))
	old, _ := s.Ada.Begin(at, "old", disk.Random(world.PartSize+1, 1))
	silent, _ := s.Ada.BeginAs(at, `{"name": "silent", "size": 7}`)
	done := s.Ada.Upload(at, "done", []byte("done"))
	failed, failing := s.Ada.Begin(at, "failed", []byte("right"))
	s.Put(failing, 1, []byte("wrong")).Is(200)
	s.Ada.Do("POST", failed, nil).Is(202)
	s.Ada.Until(failed, "ic_failed")
	// As if the server had been killed before it dropped them.
	disk.WriteFile(t, filepath.Join(folder, failing[strings.LastIndexByte(failing, '/')+1:]), []byte("wrong"))
	oldToken := s.Ada.Get(old).Object()["upload_token"].(string)
	for _, u := range []string{fresh, s.URL + "/upload/" + oldToken} {
		s.Put(u, 2, []byte{1}).Is(200)
	}
	freshToken := fresh[strings.LastIndexByte(fresh, '/')+1:]
	const orphan, foreign = "9660bbfd-119b-41cb-b5db-e18ed96f42e3", "notes.txt"
	disk.WriteFile(t, filepath.Join(folder, orphan), []byte("x"))
	disk.WriteFile(t, filepath.Join(folder, foreign), []byte("x"))
	future := time.Now().Add(time.Hour) // a part that arrived just now, as seen from the sweep
	if err := os.Chtimes(filepath.Join(folder, freshToken), future, future); err != nil {
		t.Fatal(err)
	}
	s.Cfg.UploadExpiry = time.Nanosecond
	s.Restart()
	deadline := time.Now().Add(20 * time.Second)
	for left := s.FileDisk("uploads"); len(left) > 2; left = s.FileDisk("uploads") {
		if time.Now().After(deadline) {
			t.Fatalf("uploads still has %v", left)
		}
		runtime.Gosched()
	}
	if left := fmt.Sprint(s.FileDisk("uploads")); !strings.Contains(left, freshToken) || !strings.Contains(left, foreign) {
		t.Errorf("uploads has %s", left)
	}
	s.Ada.Get(old).Refuses(404, "File not found")
	s.Ada.Get(silent).Refuses(404, "File not found")
	s.Ada.Get(done).Is(200)
	s.Ada.Do("DELETE", failed, nil).Is(204)
	if got, used := world.FileNames(s.Ada.Get(at+"/files").List()), s.Ada.FileQuota(); got != "fresh done" || used != fmt.Sprintf("%v+0=%v", 1.0485765e7, 1.0485765e7) {
		t.Errorf("files %s, used %s", got, used)
	}
	if got := partStates(s, "/upload/"+freshToken); got != "PC" {
		t.Errorf("the parts are %s", got)
	}
}
