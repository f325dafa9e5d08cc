package main

import (
	"os"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var servingAt = regexp.MustCompile(`(?:address=|Ready at +)(https?://[^\s/]+)`)

// waitReady waits until the server that writes to a file says where it serves, and puts
// the address into $URL: ready FILE.
func waitReady(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: ready FILE")
	}
	deadline := time.Now().Add(2 * time.Minute) // it is there in one second, where nothing else runs
	for {
		b, _ := os.ReadFile(ts.MkAbs(args[0])) // not there yet is empty
		if m := servingAt.FindSubmatch(b); m != nil {
			ts.Setenv("URL", string(m[1]))
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("no server is ready: %s", b)
		}
		<-time.After(20 * time.Millisecond) // another process: there is nothing to wait on
	}
}
