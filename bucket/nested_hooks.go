//go:build hooks

package bucket

import (
	"bytes"
	"runtime"
	"sync"
)

// checkNested makes the build for tests refuse a read transaction inside another one.
const checkNested = true

var reading sync.Map // goroutine → it has a read transaction

// alone notes that the goroutine has a read transaction, until the function that it returns is called.
func alone() (done func()) {
	b := make([]byte, 64)
	id := string(bytes.Fields(b[:runtime.Stack(b, false)])[1]) // "goroutine 7 [running]: …"
	if _, nested := reading.LoadOrStore(id, true); nested {
		panic("a read transaction inside another one waits for ever when the file grows between the two")
	}
	return func() { reading.Delete(id) }
}
