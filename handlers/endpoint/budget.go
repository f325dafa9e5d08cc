package endpoint

import "sync"

// Bodies may take so much together while they are being read and worked on, beyond the small
// beginning that each has for itself: a client that sends many large ones which never end takes no
// more than that.
const (
	bodyStart  = 16 << 10
	bodyBudget = 32 << 20
)

// byteBudget is a number of bytes that many share.
type byteBudget struct {
	mu   sync.Mutex
	left int64
}

func newByteBudget(size int64) *byteBudget { return &byteBudget{left: size} }

func (r *byteBudget) take(n int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > r.left {
		return false
	}
	r.left -= n
	return true
}

func (r *byteBudget) give(n int64) {
	if n == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left += n
}
