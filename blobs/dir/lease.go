package dir

import (
	"sync"
	"time"
)

// leases are the times since when a blob that no record names any more may be in use.
type leases struct {
	sync.Mutex
	last  int
	begun map[int]time.Time
}

// Lease keeps every blob from being removed that was named by a record at a time, until release is
// called, which may be repeated. A call that sends or copies blobs holds
// those that records named when it began: the records may go meanwhile.
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

// since reports whether a lease is from a time or before. A later one holds nothing that lost its
// last name before.
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
