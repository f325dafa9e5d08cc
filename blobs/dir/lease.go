package dir

import (
	"sync"
	"time"
)

// leases are the times since when somebody may know a blob that no record names any more.
type leases struct {
	sync.Mutex
	last  int
	begun map[int]time.Time
}

// Lease keeps every blob from being removed that was named by a record at a time, until release is
// called, which may be repeated. Whoever sends or copies blobs that a record named when he began
// holds them since then: the record may go meanwhile.
func (s *Store) Lease(since time.Time) (release func()) {
	h := &s.held
	h.Lock()
	defer h.Unlock()
	if h.begun == nil {
		h.begun = map[int]time.Time{}
	}
	h.last++
	n := h.last
	h.begun[n] = since
	return func() {
		h.Lock()
		defer h.Unlock()
		delete(h.begun, n)
	}
}

// since reports whether somebody holds what was named at a time. Who began later than that has
// never met what no record named since.
func (h *leases) since(t time.Time) bool {
	h.Lock()
	defer h.Unlock()
	for _, begun := range h.begun {
		if !begun.After(t) {
			return true
		}
	}
	return false
}
