package fetch

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strings"
)

// Open reads a file, of which there are as many bytes as was announced, with the announced checksum: otherwise the reader
// ends with an error, and at the first byte too many. A connection that breaks off is made again for the bytes that lack,
// where the server lets it.
func (c *Client) Open(ctx context.Context, f File) (io.ReadCloser, error) {
	return c.openFrom(ctx, f, nil)
}

// openFrom is Open for a file whose first bytes are here already: only the others are asked for. Where the server sends all
// of it nevertheless, those that are here are not used.
func (c *Client) openFrom(ctx context.Context, f File, here *part) (io.ReadCloser, error) {
	kind := algorithmOf(f.Sum)
	if kind == nil {
		return nil, f.check()
	}
	v := &verified{ctx: ctx, c: c, file: f, kind: kind, sum: kind.new()}
	at := here.size()
	body, partial, err := v.ask(at)
	if err != nil {
		return nil, err
	}
	if v.body = body; at > 0 && partial {
		v.body, v.old = &joined{io.MultiReader(here.read(), body), body}, at
	}
	return v, nil
}

// joined reads one reader behind another, and closes the second.
type joined struct {
	io.Reader
	io.Closer
}

// verified compares what arrives with what was announced.
type verified struct {
	ctx  context.Context
	c    *Client
	body io.ReadCloser
	file File
	kind *algorithm
	sum  hash.Hash
	size int64
	old  int64 // bytes of these that were here before
	last int64 // size when the connection was made again last
	tag  string
}

// ask asks for the bytes of the file from one on. It reports whether the reply begins there, and not with the first.
func (v *verified) ask(from int64) (body io.ReadCloser, partial bool, err error) {
	headers := http.Header{"Accept": {"*/*"}}
	if from > 0 && from < v.file.Size {
		headers.Set("Range", fmt.Sprintf("bytes=%d-", from))
		if v.tag != "" {
			headers.Set("If-Range", v.tag)
		}
	}
	reply, err := v.c.get(v.ctx, v.file.URL, headers)
	if err != nil {
		return nil, false, err
	}
	partial = reply.StatusCode == http.StatusPartialContent
	n, want := reply.ContentLength, v.file.Size
	if partial {
		want -= from
		if said := reply.Header.Get("Content-Range"); said != fmt.Sprintf("bytes %d-%d/%d", from, v.file.Size-1, v.file.Size) {
			reply.Body.Close()
			return nil, false, fmt.Errorf("%s was asked for the bytes from %d on and sends %q", shorten(v.file.URL), from, shorten(said))
		}
	}
	if n >= 0 && n != want {
		reply.Body.Close()
		return nil, false, fmt.Errorf("%s has %d bytes, and %d were announced", shorten(v.file.URL), n+v.file.Size-want, v.file.Size)
	}
	if tag := reply.Header.Get("ETag"); strings.HasPrefix(tag, `"`) { // If-Range takes no weak one
		v.tag = tag
	}
	return reply.Body, partial, nil
}

func (v *verified) Read(b []byte) (int, error) {
	n, err := v.body.Read(b)
	v.size += int64(n)
	v.c.fetched += max(0, min(int64(n), v.size-v.old))
	v.sum.Write(b[:n])
	switch {
	case v.size > v.file.Size:
		return 0, fmt.Errorf("%s has more than the %d bytes that were announced", shorten(v.file.URL), v.file.Size)
	case err == nil:
		return n, nil
	case err != io.EOF:
		if v.again(err) {
			return n, nil
		}
		return n, fmt.Errorf("cannot read %s: %w", shorten(v.file.URL), err)
	case v.size < v.file.Size:
		return n, fmt.Errorf("%s has %d bytes, and %d were announced", shorten(v.file.URL), v.size, v.file.Size)
	case !strings.EqualFold(hex.EncodeToString(v.sum.Sum(nil)), v.file.Sum):
		return n, &differsError{v.file.URL, v.kind.name}
	}
	return n, io.EOF
}

// differsError is of a file whose bytes are not those that were announced.
type differsError struct{ address, kind string }

func (e *differsError) Error() string {
	return fmt.Sprintf("%s has another %s than was announced", shorten(e.address), e.kind)
}

// again goes on with the byte that lacks after a connection broke off, as long as each brings more than a piece.
func (v *verified) again(err error) bool {
	const piece = 64 << 10
	if _, passes := passing(err); !passes || v.size == 0 || v.last > 0 && v.size-v.last < piece || v.ctx.Err() != nil {
		return false
	}
	body, partial, err := v.ask(v.size)
	if err != nil {
		return false
	}
	if !partial {
		body.Close()
		return false
	}
	v.body.Close()
	v.body, v.last = body, v.size
	return true
}

func (v *verified) Close() error { return v.body.Close() }
