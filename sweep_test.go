package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/config"
)

// Bytes that nothing names any more go after the grace, and the log tells which: those of deleted
// files, and those of a server that died between moving them and recording it. Blobs of a
// version, a draft or another account stay.
func TestSweep(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.SweepGrace = time.Hour })
	s.harmed = "a file that is not a blob lies among them"
	place := func(data []byte) string {
		sum := sha256.Sum256(data)
		name := hex.EncodeToString(sum[:])
		return name[:2] + "/" + name[2:]
	}
	mine, shared, published, drafted := random(5000, 31), random(5000, 32), random(5000, 33), random(5000, 34)
	at := s.Ada.article(`{"title": "Comes and goes", "authors": [{"name": "Grace Hopper"}]}`)
	gone := s.Ada.upload(at, "mine", mine)
	both := s.Ada.upload(at, "shared", shared)
	public := s.Ada.article(`{"title": "Stays", "authors": [{"name": "Grace Hopper"}]}`)
	version := s.Ada.upload(public, "published", published)
	s.Ada.do("POST", public+"/publish", nil).is(201)
	bens := s.Ben.article(`{"title": "Also"}`)
	s.Ben.upload(bens, "shared", shared)
	s.Ben.upload(bens, "drafted", drafted)
	for _, file := range []string{gone, both, version} {
		s.Ada.do("DELETE", file, nil).is(204)
	}
	// As kill -9 leaves it after the rename, when the file is deleted before the next start,
	// and in the middle of storing something whole.
	s.Stop()
	orphan := random(7000, 35)
	at2 := filepath.Join(s.cfg.Data, "blobs", place(orphan))
	if err := os.MkdirAll(filepath.Dir(at2), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, at2, orphan)
	writeFile(t, filepath.Join(s.cfg.Data, "blobs", "tmp", "HALF"), orphan[:10])
	foreign := filepath.Join(filepath.Dir(at2), "README")
	writeFile(t, foreign, []byte("put here by somebody"))
	s.cfg.SweepGrace = 200 * time.Millisecond
	s.boot()
	s.eventually("nothing but what is needed stays", func() bool {
		list := strings.Join(s.fileDisk("blobs"), " ")
		return !strings.Contains(list, place(mine)) && !strings.Contains(list, place(orphan))
	})
	list := strings.Join(s.fileDisk("blobs"), " ")
	for what, data := range map[string][]byte{"shared": shared, "published": published, "drafted": drafted} {
		if !strings.Contains(list, place(data)) {
			t.Errorf("%s was removed: %s", what, list)
		}
	}
	if strings.Contains(list, "HALF") || !strings.Contains(list, "README") {
		t.Errorf("among the blobs there is %s", list)
	}
	if got := s.Anon.get(fmt.Sprint("/files/", lastNumber(t, version))).is(200); !bytes.Equal(got.body, published) {
		t.Error("other bytes came back")
	}
	s.Stop()
	told := s.logs.String()
	for _, data := range [][]byte{mine, orphan} {
		if !strings.Contains(told, strings.ReplaceAll(place(data), "/", "")) {
			t.Errorf("the log does not name what was removed: %s", told)
		}
	}
	// Removed bytes can come again.
	s.boot()
	again := s.Ada.upload(at, "mine", mine)
	if got := s.Ada.get(fmt.Sprint("/files/", lastNumber(t, again))).is(200); !bytes.Equal(got.body, mine) {
		t.Error("what came again is something else")
	}
}
