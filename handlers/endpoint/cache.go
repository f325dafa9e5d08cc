package endpoint

import (
	"bytes"
	"sync"
)

// Cache has what was read from the store at one position, so that no answer is older than a write
// that was acknowledged before, whichever process made it. When the position has moved, or all of it
// would cost more than most, it begins again. Its values are shared, and not modified. Its methods are
// safe for concurrent use.
type Cache[K comparable, V any] struct {
	Most int // set before it is used, and not changed

	mu       sync.RWMutex
	position uint64 // at which the values were read
	Values   map[K]V
	Cost     int // of all of them
}

// Find is the value of a key, if it was read at a position.
func (c *Cache[K, V]) Find(position uint64, key K) (value V, ok bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.position != position {
		return value, false
	}
	value, ok = c.Values[key]
	return value, ok
}

// Keep adds what was read after the store was at a position, unless there is something later, or
// it alone costs too much. The first value of a key stays.
func (c *Cache[K, V]) Keep(position uint64, key K, value V, cost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if position < c.position || cost > c.Most {
		return
	}
	if c.Values == nil || position > c.position || c.Cost+cost > c.Most {
		c.position, c.Values, c.Cost = position, map[K]V{}, 0
	}
	if _, ok := c.Values[key]; !ok {
		c.Values[key] = value
		c.Cost += cost
	}
}

const (
	listBytes       = 16 << 20 // of cached answers
	askedBytes      = 1 << 20  // of the keys of lists that were asked for once
	cachedReplySize = 1 << 10  // bytes of one besides its key and its body, at most
	cachedKeySize   = 1 << 7   // bytes of a key besides its text, at most
	maxPooledBuffer = 64 << 10 // bytes of a buffer that is used again
)

// responseKey is everything of a request that a cached answer depends on.
type responseKey struct{ path, query, cursor string }

func (k responseKey) size() int { return len(k.path) + len(k.query) + len(k.cursor) }

// responseKey is the key of a request whose answer may be cached: one without a body, and without
// credentials, which change headers of the answer.
func (c *Call) responseKey(r *Route) (responseKey, bool) {
	if !r.Endpoint.cached || c.secrets.any() || c.Request.ContentLength != 0 {
		return responseKey{}, false
	}
	return responseKey{c.Request.URL.Path, c.Request.URL.RawQuery, c.Header.Get(CursorHeader)}, true
}

// cacheList caches the answer to a list that is asked for again: to copy all that are asked for once
// makes each of them dearer by a tenth.
func (c *Call) cacheList(key responseKey, r Reply) {
	a := c.Server
	if _, again := a.listsAsked.Find(c.Position, key); again {
		a.lists.Keep(c.Position, key, r.copied(), key.size()+len(r.Raw)+cachedReplySize)
	} else {
		a.listsAsked.Keep(c.Position, key, struct{}{}, key.size()+cachedKeySize)
	}
}

// copied is a reply that outlives the buffer in which its body was made.
func (r Reply) copied() Reply {
	r.Raw = bytes.Clone(r.Raw)
	return r
}

// buffers are where the answers of lists are put together, again and again: a page is the
// largest thing that a request makes.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// GetBuffer is an empty buffer for a reply (Call.Buffer).
func GetBuffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

// putBuffer takes back what GetBuffer gave, with what was appended to it. It must not be read
// afterwards.
func putBuffer(buffer []byte) {
	if buffer != nil && cap(buffer) <= maxPooledBuffer {
		buffers.Put(&buffer)
	}
}
