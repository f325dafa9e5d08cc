package handlers

import (
	"bytes"
	"sync"
)

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
	if !r.Endpoint.cached || c.secrets.any() || c.request.ContentLength != 0 {
		return responseKey{}, false
	}
	return responseKey{c.request.URL.Path, c.request.URL.RawQuery, c.Header.Get("X-Cursor")}, true
}

// cacheList caches the answer to a list that is asked for again: to copy all that are asked for once
// makes each of them dearer by a tenth.
func (c *Call) cacheList(key responseKey, r Reply) {
	a := c.API
	if _, again := a.listsAsked.find(c.position, key); again {
		a.lists.keep(c.position, key, r.copied(), key.size()+len(r.Raw)+cachedReplySize)
	} else {
		a.listsAsked.keep(c.position, key, struct{}{}, key.size()+cachedKeySize)
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

func getBuffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

// putBuffer takes back what getBuffer gave, with what was appended to it. It must not be read
// afterwards.
func putBuffer(buffer []byte) {
	if buffer != nil && cap(buffer) <= maxPooledBuffer {
		buffers.Put(&buffer)
	}
}
