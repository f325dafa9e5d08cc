package load

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"alcove/tests/disk"
)

// How the schedules of TestUploadSchedules end.

// abort deletes the file in the middle.
func (s *schedule) abort() {
	s.Aborted++
	s.Want(204, "DELETE", s.file, s.token, "")
	s.Want(404, "GET", s.upload, "", "")
	s.Want(404, "GET", s.file, s.token, "")
	if len(s.plan) > 0 {
		s.Want(404, "PUT", s.upload+"/1", "", "x")
	}
	if _, err := os.Stat(s.staged()); !os.IsNotExist(err) {
		s.wrong("a deleted upload left its bytes: %v", err)
	}
}

// finish sends what is missing, completes, and takes what comes of it.
func (s *schedule) finish() {
	missing := []int{}
	variants := make([]int, len(s.plan))
	spare := s.r.IntN(3) == 0 // parts with other bytes stay
	for i := range s.plan {
		for v := range s.may[i] {
			variants[i] = v
		}
		if variants[i] == pending {
			missing = append(missing, i+1)
		}
	}
	if len(missing) > 0 && s.r.IntN(2) == 0 {
		var refusal struct {
			Data struct {
				Missing []int `json:"missing_parts"`
			} `json:"data"`
		}
		got := s.Want(400, "POST", s.file, s.token, "")
		if err := json.Unmarshal([]byte(got), &refusal); err != nil || !slices.Equal(refusal.Data.Missing, missing) {
			s.wrong("missing are %v, told %s", missing, got)
		}
	}
	for _, i := range s.r.Perm(len(s.plan)) {
		if variants[i] == pending || variants[i] != 0 && !spare {
			s.put(i)
			variants[i] = 0
		}
	}
	if len(s.plan) > 0 && s.r.IntN(6) == 0 {
		s.flip(s.r.IntN(len(s.plan)), variants)
	}
	s.complete()
	want := s.whole(variants)
	sum, right := md5.Sum(want), md5.Sum(s.whole(make([]int, len(s.plan))))
	f := s.waitIdle()
	if s.sum && sum != right {
		s.Refused++
		if why, _ := f["failure_reason"].(string); f["status"] != "ic_failed" || !strings.Contains(why, hex.EncodeToString(sum[:])) {
			s.wrong("bytes that were not announced are %v: %q", f["status"], why)
		}
		s.Want(400, "POST", s.file, s.token, "")
	} else {
		s.Available++
		if f["status"] != "available" || f["computed_md5"] != hex.EncodeToString(sum[:]) {
			s.wrong("the file is %v, md5 %v, want %x", f["status"], f["computed_md5"], sum)
		}
		s.Want(202, "POST", s.file, s.token, "") // a second completion is harmless
		status, got := s.Call("GET", f["download_url"].(string), s.token, nil)
		if status != 200 || sha256.Sum256(got) != sha256.Sum256(want) {
			s.wrong("the download has status %d and %d bytes, not those of the parts", status, len(got))
		}
	}
	s.Want(204, "DELETE", s.file, s.token, "")
}

func (s *schedule) put(i int) {
	s.T.Helper()
	if status, b := s.Call("PUT", fmt.Sprint(s.upload, "/", i+1), "", bytes.NewReader(s.bytes(i, 0))); status != 200 {
		s.wrong("part %d answered %d %s", i+1, status, b)
	}
}

// flip changes a bit of a complete part on the disk: the check finds the part and only it.
func (s *schedule) flip(i int, variants []int) {
	s.Flipped++
	at := s.plan[i].Start + s.r.Int64N(s.plan[i].End-s.plan[i].Start+1)
	s.tell("flip a bit at %d", at)
	if err := disk.Flip(s.staged(), at); err != nil {
		s.T.Fatal(err)
	}
	s.Want(202, "POST", s.file, s.token, "")
	f := s.waitIdle()
	if why, _ := f["failure_reason"].(string); f["status"] != "created" || !strings.Contains(why, "1 parts were damaged") {
		s.wrong("with a bit flipped in part %d the file is %v: %q", i+1, f["status"], why)
		return
	}
	for n, p := range s.list() {
		if (p.Status == "COMPLETE") != (n != i) {
			s.wrong("after a bit flipped in part %d part %d is %s", i+1, n+1, p.Status)
		}
	}
	s.put(i)
	variants[i] = 0
}

// complete completes the upload, perhaps twice, perhaps while the server is killed.
func (s *schedule) complete() {
	if s.r.IntN(3) > 0 {
		s.Want(202, "POST", s.file, s.token, "")
		return
	}
	after := time.Duration(s.r.IntN(120)) * time.Millisecond
	s.tell("kill %v after completing", after)
	s.Kills++
	done := make(chan int, 1)
	go func() {
		status, _ := s.Call("POST", s.file, s.token, nil)
		done <- status
	}()
	<-time.After(after)
	s.Kill()
	answered := <-done
	s.Start()
	if status := s.record()["status"]; answered == 202 && status == "created" {
		s.wrong("a completion that was answered is forgotten")
	}
	if s.record()["status"] != "ic_failed" {
		if status, _ := s.Call("POST", s.file, s.token, nil); status != 202 && (status != http.StatusBadRequest || s.record()["status"] != "ic_failed") {
			s.wrong("completing after a restart answered %d", status)
		}
	}
}

// waitIdle waits until the check is over.
func (s *schedule) waitIdle() map[string]any {
	s.T.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; <-time.After(10 * time.Millisecond) {
		f := s.record()
		if status := f["status"]; status != "ic_checking" && status != "moving_to_final" {
			return f
		}
		if time.Now().After(deadline) {
			s.T.Fatalf("schedule %d: the file stays %v", s.n, f)
		}
	}
}
