package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool runs a program in a directory and tells how it ended, with what it said.
func tool(t *testing.T, dir string, name string, args ...string) error {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %q: %w: %s", name, args, err, out)
	}
	return nil
}

// breaking is the address of something in front of the server that passes on so many bytes of
// the first answer and then cuts the connection.
func (s *server) breaking(after int) string {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { l.Close() })
	go func() { // ends with the first connection, or with the listener
		from, err := l.Accept()
		if err != nil {
			return
		}
		defer from.Close()
		to, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			return
		}
		defer to.Close()
		go io.Copy(to, from)
		io.CopyN(from, to, int64(after))
	}()
	return "http://" + l.Addr().String()
}

// Downloads that broke off go on with the usual programs, and pieces that were fetched side by
// side make the whole: of a file and of an archive.
func TestDownloadResumes(t *testing.T) {
	t.Parallel()
	s := start(t)
	data := random(6<<20, 43)
	path := s.Ada.publicFile("data.bin", data)
	for what, path := range map[string]string{"file": path, "archive": "/v2/articles/1/download"} {
		whole := s.Anon.get(path).is(200).body
		dir, url := t.TempDir(), s.URL+path
		same := func(name string) {
			t.Helper()
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, whole) {
				t.Errorf("%s: %s has %d other bytes of %d, %v", what, name, len(got), len(whole), err)
			}
		}
		if err := tool(t, dir, "curl", "-sS", "-o", "broken", s.breaking(len(whole)*37/100)+path); err == nil {
			t.Errorf("%s: nothing broke off", what)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "broken")); err != nil || len(got) == 0 || len(got) == len(whole) {
			t.Errorf("%s: %d of %d bytes before it broke off, %v", what, len(got), len(whole), err)
		}
		if err := tool(t, dir, "curl", "-sSf", "-C", "-", "-o", "broken", url); err != nil {
			t.Error(err)
		}
		same("broken")

		pieces := []string{"-sSf", "--parallel"}
		var joined []byte
		const count = 7
		size := len(whole)/count + 1
		for i := range count {
			pieces = append(pieces, "-r", fmt.Sprintf("%d-%d", i*size, (i+1)*size-1), "-o", fmt.Sprint("piece", i), url)
			if i < count-1 {
				pieces = append(pieces, "--next")
			}
		}
		if err := tool(t, dir, "curl", pieces...); err != nil {
			t.Error(err)
		}
		for i := range count {
			b, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("piece", i)))
			if err != nil {
				t.Error(err)
			}
			joined = append(joined, b...)
		}
		writeFile(t, filepath.Join(dir, "joined"), joined)
		same("joined")

		if _, err := exec.LookPath("wget"); err != nil {
			t.Log("wget is not installed")
			continue
		}
		writeFile(t, filepath.Join(dir, "got"), whole[:len(whole)*37/100])
		if err := tool(t, dir, "wget", "-q", "-c", "-O", "got", url); err != nil {
			t.Error(err)
		}
		same("got")
	}
}
