package main

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
)

// A file deleted while its bytes arrive leaves nothing behind (security.md F11).
func TestUploadDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, whole := range []bool{false, true} {
		at := s.Ada.article(`{"title": "Gone soon"}`)
		file, upload := s.Ada.begin(at, "a.bin", random(1<<20, 9))
		held := s.hold(upload, 1, make([]byte, 300<<10)) // more than is kept in memory
		s.awaitParts(upload, "PL")
		if whole {
			s.Ada.do("DELETE", at, nil).is(204)
		} else {
			s.Ada.do("DELETE", file, nil).is(204)
		}
		s.Anon.get(upload).refuses(404, "")
		s.put(upload, 1, make([]byte, 1<<20)).refuses(404, "")
		go func() {
			held.Write(make([]byte, 1<<20-300<<10))
			held.Close()
		}()
		if status := <-held.done; status != 404 && status != 409 {
			t.Errorf("the part ended with %d", status)
		}
		if left := s.fileDisk("uploads"); len(left) > 0 {
			t.Errorf("uploads left %v", left)
		}
	}
	if got := s.Ada.fileQuota(); got != "0+0=0" {
		t.Errorf("used %s", got)
	}
}

// Bytes that differ from the announced ones never become available (security.md F05).
func TestUploadWrongMD5(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Wrong sum", "authors": [{"name": "Grace Hopper"}]}`)
	file, upload := s.Ada.begin(at, "survey \"1\".csv", []byte("right"))
	s.put(upload, 1, []byte("wrong")).is(200)
	s.Ada.do("POST", file, nil).is(202)
	f := s.Ada.until(file, "ic_failed")
	sum := md5.Sum([]byte("wrong"))
	if why, _ := f["failure_reason"].(string); !strings.Contains(why, hex.EncodeToString(sum[:])) || !strings.Contains(why, f["supplied_md5"].(string)) ||
		f["computed_md5"] != hex.EncodeToString(sum[:]) || f["upload_url"] != nil {
		t.Errorf("a failed file is %v", f)
	}
	if got := s.Anon.get(upload).object()["status"]; got != "ABORTED" {
		t.Errorf("the upload is %v", got)
	}
	s.Ada.get("/files/1").refuses(404, "File not found")
	s.Ada.do("POST", at+"/publish", nil).refuses(400, `File survey "1".csv failed its integrity check`)
	s.Ada.do("POST", file, nil).refuses(400, "failed its integrity check")
	s.put(upload, 1, []byte("right")).refuses(409, "")
	s.restart()
	s.Ada.until(file, "ic_failed")
	if left := append(s.fileDisk("uploads"), s.fileDisk("blobs")...); len(left) > 0 {
		t.Errorf("refused bytes stayed: %v", left)
	}
	s.Ada.do("DELETE", file, nil).is(204)
	s.Ada.upload(at, "survey.csv", []byte("right"))
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if got := s.Ada.fileQuota(); got != "0+5=5" {
		t.Errorf("used %s", got)
	}
}

// Bytes that changed on the disk before completion are noticed, and only they are asked for again
// (security.md F19).
func TestUploadDamagedOnDisk(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Bad disk"}`)
	data := random(partSize+1, 13)
	file, upload := s.Ada.begin(at, "a.bin", data)
	staged := filepath.Join(s.cfg.Data, "uploads", upload[strings.LastIndexByte(upload, '/')+1:])
	s.put(upload, 1, data[:partSize]).is(200)
	s.put(upload, 2, data[partSize:]).is(200)
	damaged := slices.Clone(data)
	damaged[partSize] ^= 1
	for _, c := range []struct {
		damage func()
		states string
	}{
		{func() { writeFile(t, staged, damaged) }, "CP"},
		{func() { writeFile(t, staged, data[:partSize]) }, "CP"},
		{func() { writeFile(t, staged, nil) }, "PP"},
		{func() { os.Remove(staged) }, "PP"},
	} {
		c.damage()
		s.Ada.do("POST", file, nil).is(202)
		f := s.Ada.until(file, "created")
		if why, _ := f["failure_reason"].(string); !strings.Contains(why, "must be sent again") || f["upload_url"] != upload {
			t.Errorf("after the check: %v", f)
		}
		s.awaitParts(upload, c.states)
		for i, state := range c.states {
			if p := s.parts(upload)[i]; state == 'P' {
				s.put(upload, p.No, data[p.Start:p.End+1]).is(200)
			}
		}
	}
	// A file that has more bytes than were announced cannot be repaired.
	writeFile(t, staged, append(slices.Clone(data), 0))
	s.Ada.do("POST", file, nil).is(202)
	if f := s.Ada.until(file, "ic_failed"); f["computed_md5"] != nil || f["failure_reason"] == nil {
		t.Errorf("too long: %v", f)
	}
	s.Ada.do("DELETE", file, nil).is(204)
	s.Ada.upload(at, "a.bin", data)
	s.Ada.upload(at, "empty", nil)
	if got := s.Ada.get("/files/3").is(200); len(got.body) != 0 {
		t.Errorf("an empty file has %d bytes", len(got.body))
	}
}

// An idle upload expires, one that goes on does not, and bytes that no record names are removed
// (security.md F16).
func TestUploadExpiry(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Abandoned"}`)
	folder := filepath.Join(s.cfg.Data, "uploads")
	_, fresh := s.Ada.begin(at, "fresh", random(partSize+1, 1))
	old, _ := s.Ada.begin(at, "old", random(partSize+1, 1))
	silent, _ := s.Ada.beginAs(at, `{"name": "silent", "size": 7}`)
	done := s.Ada.upload(at, "done", []byte("done"))
	failed, failing := s.Ada.begin(at, "failed", []byte("right"))
	s.put(failing, 1, []byte("wrong")).is(200)
	s.Ada.do("POST", failed, nil).is(202)
	s.Ada.until(failed, "ic_failed")
	// As if the server had been killed before it dropped them.
	writeFile(t, filepath.Join(folder, failing[strings.LastIndexByte(failing, '/')+1:]), []byte("wrong"))
	oldToken := s.Ada.get(old).object()["upload_token"].(string)
	for _, u := range []string{fresh, s.URL + "/upload/" + oldToken} {
		s.put(u, 2, []byte{1}).is(200)
	}
	freshToken := fresh[strings.LastIndexByte(fresh, '/')+1:]
	const orphan, foreign = "9660bbfd-119b-41cb-b5db-e18ed96f42e3", "notes.txt"
	writeFile(t, filepath.Join(folder, orphan), []byte("x"))
	writeFile(t, filepath.Join(folder, foreign), []byte("x"))
	future := time.Now().Add(time.Hour) // a part that arrived just now, as seen from the sweep
	if err := os.Chtimes(filepath.Join(folder, freshToken), future, future); err != nil {
		t.Fatal(err)
	}
	s.cfg.UploadExpiry = time.Nanosecond
	s.restart()
	deadline := time.Now().Add(20 * time.Second)
	for left := s.fileDisk("uploads"); len(left) > 2; left = s.fileDisk("uploads") {
		if time.Now().After(deadline) {
			t.Fatalf("uploads still has %v", left)
		}
		runtime.Gosched()
	}
	if left := fmt.Sprint(s.fileDisk("uploads")); !strings.Contains(left, freshToken) || !strings.Contains(left, foreign) {
		t.Errorf("uploads has %s", left)
	}
	s.Ada.get(old).refuses(404, "File not found")
	s.Ada.get(silent).refuses(404, "File not found")
	s.Ada.get(done).is(200)
	s.Ada.do("DELETE", failed, nil).is(204)
	if got, used := fileNames(s.Ada.get(at+"/files").list()), s.Ada.fileQuota(); got != "fresh done" || used != fmt.Sprintf("%v+0=%v", 1.0485765e7, 1.0485765e7) {
		t.Errorf("files %s, used %s", got, used)
	}
	if got := s.partStates("/upload/" + freshToken); got != "PC" {
		t.Errorf("the parts are %s", got)
	}
}
