package handlers

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	maxCachedResponse  = 256 << 10 // bytes of one page that is kept
	cachedResponseCost = 1 << 10   // bytes of a page besides its key and its body, at most
	maxPooledBuffer    = 64 << 10  // bytes of a room that is used again
)

// responseCache keeps answers of public reads that are asked for again, as they are sent, until the next
// commit of anything. Its methods are safe for concurrent use.
type responseCache struct {
	cache[responseKey, *cachedResponse] // by bytes
	seed                                maphash.Seed
	seen                                []atomic.Uint64 // hashes of keys that were asked for
}

// responseKey is everything of a request that a kept answer depends on.
type responseKey struct{ path, query, cursor string }

// cachedResponse is an answer of 200.
type cachedResponse struct {
	reply    Reply // with Raw
	tag      string
	headers  []header // also of a 304
	content  []header // of the body
	modified []string // as the header says it; nil while that still changes with the time
}

// newResponseCache keeps so many bytes, and remembers about so many keys that were asked for.
func newResponseCache(most, seen int) *responseCache {
	p := &responseCache{seed: maphash.MakeSeed(), seen: make([]atomic.Uint64, seen)}
	p.most = most
	return p
}

// responseKey tells whether the answer to a request may be kept: what anybody may ask, without
// a body and without credentials, which change headers of the answer.
func (c *Call) responseKey(r *Route) (responseKey, bool) {
	if r.Endpoint.cached == notCached || r.Access != Public || c.secrets.any() || c.request.ContentLength != 0 {
		return responseKey{}, false
	}
	key := responseKey{path: c.request.URL.Path, query: c.request.URL.RawQuery}
	if cursor := c.Header["X-Cursor"]; len(cursor) > 0 {
		key.cursor = cursor[0]
	}
	return key, true
}

// wanted reports whether a key was asked for before, as far as is remembered: what is
// asked once is not worth its memory.
func (p *responseCache) wanted(key responseKey) bool {
	sum := maphash.Comparable(p.seed, key)
	return p.seen[sum%uint64(len(p.seen))].Swap(sum) == sum
}

// keep keeps a page that was read after so many commits, unless it is too long or older
// than others.
func (p *responseCache) keep(commits uint64, key responseKey, made *cachedResponse) {
	size := len(key.path) + len(key.query) + len(key.cursor) + len(made.reply.Raw) + cachedResponseCost
	if size <= maxCachedResponse {
		p.cache.keep(commits, key, made, size)
	}
}

// newCachedResponse makes ready what can be said again. Of the reply it takes what a public read
// answers: a body, its date, headers and what it counts as.
func newCachedResponse(r *Reply) (*cachedResponse, error) {
	body, err := r.encoded()
	if err != nil {
		return nil, err
	}
	p := &cachedResponse{reply: *r}
	if p.tag, err = r.tag(); err != nil {
		return nil, err
	}
	p.reply.Raw, p.reply.Header = bytes.Clone(body), nil // its room is given back
	p.headers = []header{{"Etag", []string{p.tag}}, {"Cache-Control", askFirst}}
	if r.Cursor != "" {
		p.headers = append(p.headers, header{"X-Cursor", []string{r.Cursor}})
	}
	for name, value := range r.Header {
		p.headers = append(p.headers, header{name, slices.Clone(value)}) // a call's own are in the call
	}
	p.content = []header{{"Content-Type", r.contentType()}, {"Content-Length", []string{strconv.Itoa(len(body))}}}
	if t, now := r.Modified, time.Now(); !t.IsZero() && now.Sub(t) > 2*time.Second {
		p.modified = []string{httpDate(visible(t, now))}
	}
	return p, nil
}

// buffers are where the answers of lists are put together, again and again: a page is the
// largest thing that a request makes.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func getBuffer() []byte { return (*buffers.Get().(*[]byte))[:0] }

// putBuffer takes back what takeRoom gave, with what was appended to it. Nobody may read it
// afterwards.
func putBuffer(buffer []byte) {
	if buffer != nil && cap(buffer) <= maxPooledBuffer {
		buffers.Put(&buffer)
	}
}
