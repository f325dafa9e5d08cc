//go:build memory

package bucket

import (
	"sync"

	"alcove/bucket/kv"
	"alcove/bucket/kv/memory"
)

// engines are the stores of a build that keeps all of them in memory, by their directories.
var engines sync.Map

func engineOf(dir string) kv.Store {
	s, _ := engines.LoadOrStore(dir, memory.New())
	return s.(*memory.Store).Open()
}
