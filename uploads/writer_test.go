package uploads

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
)

func TestPartsInAnyOrderAndInParallel(t *testing.T) {
	layout := Layout{size: 3_000_001, part: 300_000}
	data := noise(int(layout.size), 1)
	d := newDesk(t)

	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, i := range rand.Perm(layout.Count()) {
		wg.Go(func() {
			w, err := d.staging.Begin(token, layout, i+1)
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Release()
			crc, err := w.WriteFrom(t.Context(), iotest.HalfReader(piece(data, layout, i+1)))
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			d.crcs[i+1] = crc
		})
	}
	wg.Wait()
	sums, head, err := d.complete(t, layout)
	if err != nil || sums != sumsOf(t, data) || !bytes.Equal(head, data[:HeadSize]) {
		t.Fatalf("%+v, head of %d, %v", sums, len(head), err)
	}
	d.mustHold(t, data)
	d.mustBeFree(t)
}

func TestSizesAroundAPart(t *testing.T) {
	for _, size := range []int{0, 1, PartSize - 1, PartSize, PartSize + 1} {
		data := noise(size, 2)
		layout := NewLayout(int64(size))
		d := newDesk(t)
		for n := layout.Count(); n >= 1; n-- {
			if err := d.put(t.Context(), layout, n, piece(data, layout, n)); err != nil {
				t.Fatal(err)
			}
			if p, _ := layout.Part(n); d.crcs[n] != crc32c(data[p.Start:p.End+1]) {
				t.Errorf("size %d: CRC-32C of part %d is wrong", size, n)
			}
		}
		sums, head, err := d.complete(t, layout)
		if err != nil || sums != sumsOf(t, data) || !bytes.Equal(head, data[:min(size, HeadSize)]) {
			t.Errorf("size %d: %+v, head of %d, %v", size, sums, len(head), err)
		}
		d.mustHold(t, data)
	}
}

func TestBodiesThatDoNotFit(t *testing.T) {
	layout := Layout{size: 1_500_000, part: 600_000}
	data := noise(int(layout.size), 3)
	broken := errors.New("connection reset")
	whole := data[600_000:1_200_000]
	for name, c := range map[string]struct {
		body  io.Reader
		want  error // nil: a *BodyError with the error under it
		body2 error
	}{
		"empty":            {body: strings.NewReader(""), want: ErrShort},
		"one byte short":   {body: bytes.NewReader(whole[1:]), want: ErrShort},
		"one byte long":    {body: io.MultiReader(bytes.NewReader(whole), strings.NewReader("x")), want: ErrLong},
		"broken at once":   {body: iotest.ErrReader(broken), body2: broken},
		"broken midway":    {body: io.MultiReader(bytes.NewReader(whole[:400_000]), iotest.ErrReader(broken)), body2: broken},
		"cut connection":   {body: io.MultiReader(bytes.NewReader(whole[:400_000]), iotest.ErrReader(io.ErrUnexpectedEOF)), body2: io.ErrUnexpectedEOF},
		"broken at end":    {body: io.MultiReader(bytes.NewReader(whole), iotest.ErrReader(broken)), body2: broken},
		"never progresses": {body: stuck{}, body2: io.ErrNoProgress},
	} {
		d := newDesk(t)
		for _, n := range []int{3, 1} {
			if err := d.put(t.Context(), layout, n, piece(data, layout, n)); err != nil {
				t.Fatal(err)
			}
		}
		err := d.put(t.Context(), layout, 2, c.body)
		bodyErr, isBody := errors.AsType[*BodyError](err)
		if c.want != nil && (!errors.Is(err, c.want) || isBody) || c.body2 != nil && (!isBody || bodyErr.Err != c.body2) {
			t.Errorf("%s: %v", name, err)
		}

		// The neighbours are as they were, and the part can be sent again.
		disk, err := os.ReadFile(d.path())
		if err != nil || !bytes.Equal(disk[:600_000], data[:600_000]) || !bytes.Equal(disk[1_200_000:], data[1_200_000:]) {
			t.Errorf("%s: another part was touched: %v", name, err)
		}
		var damaged *PartDamaged
		if _, _, err := d.complete(t, layout); !errors.As(err, &damaged) || len(damaged.Parts) != 1 || damaged.Parts[0] != 2 {
			t.Errorf("%s: completed with %v", name, err)
		}
		if err := d.put(t.Context(), layout, 2, piece(data, layout, 2)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := d.complete(t, layout); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		d.mustHold(t, data)
		d.mustBeFree(t)
	}
}

// stuck returns nothing for ever.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestLongBodyIsNotReadOn(t *testing.T) {
	d := newDesk(t)
	body := strings.NewReader("12345" + strings.Repeat("x", 100))
	if err := d.put(t.Context(), Layout{size: 10, part: 5}, 1, body); !errors.Is(err, ErrLong) {
		t.Error(err)
	}
	if read := body.Size() - int64(body.Len()); read > 6 {
		t.Errorf("%d bytes were read for a part of 5", read)
	}
}

func TestNothingIsMadeBeforeTheFirstByte(t *testing.T) {
	d := newDesk(t)
	for _, body := range []io.Reader{strings.NewReader(""), iotest.ErrReader(io.ErrUnexpectedEOF)} {
		if err := d.put(t.Context(), NewLayout(5), 1, body); err == nil {
			t.Error("accepted")
		}
	}
	if _, err := os.Lstat(d.path()); !os.IsNotExist(err) {
		t.Error("a file was made:", err)
	}
}

func TestBodyOverHTTP(t *testing.T) {
	layout := Layout{size: 700_000, part: 600_000}
	data := noise(int(layout.size), 4)
	d := newDesk(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := d.put(r.Context(), layout, 1, r.Body); err != nil {
			http.Error(w, "", http.StatusConflict)
		}
	}))
	defer server.Close()
	for _, body := range []io.Reader{
		piece(data, layout, 1),                 // with Content-Length
		io.MultiReader(piece(data, layout, 1)), // chunked
	} {
		resp, err := http.Post(server.URL, "", body)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != 200 || d.crcs[1] != crc32c(data[:600_000]) {
			t.Error(resp.Status)
		}
	}
}

func TestContextEndsAPart(t *testing.T) {
	d := newDesk(t)
	gone := errors.New("the server is stopping")
	ctx, cancel := context.WithCancelCause(t.Context())
	body := io.MultiReader(bytes.NewReader(noise(2*bufferSize, 5)), onRead(func() { cancel(gone) }), endless{})
	if err := d.put(ctx, NewLayout(PartSize), 1, body); err != gone {
		t.Error(err)
	}
	d.mustBeFree(t)
}

// onRead calls itself when it is read, and is empty.
type onRead func()

func (f onRead) Read([]byte) (int, error) { f(); return 0, io.EOF }

// endless reads zeros for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestOverwriting(t *testing.T) {
	layout := Layout{size: 1_000_000, part: 400_000}
	old, data := noise(1_000_000, 6), noise(1_000_000, 7)
	d := newDesk(t)
	for _, from := range [][]byte{old, data} {
		for _, n := range []int{2, 3, 1} {
			if err := d.put(t.Context(), layout, n, piece(from, layout, n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if sums, _, err := d.complete(t, layout); err != nil || sums != sumsOf(t, data) {
		t.Errorf("%+v, %v", sums, err)
	}
	d.mustHold(t, data)
}

func TestRestart(t *testing.T) {
	layout := Layout{size: 2_000_003, part: 400_000}
	data := noise(int(layout.size), 8)
	d := newDesk(t)
	for _, n := range rand.Perm(layout.Count()) {
		if err := d.put(t.Context(), layout, n+1, piece(data, layout, n+1)); err != nil {
			t.Fatal(err)
		}
		d.close()
		d.open(t)
	}
	// A crash after the file was moved and before that was recorded: Commit again.
	f, err := d.staging.Freeze(token)
	if err != nil {
		t.Fatal(err)
	}
	sums, _, err := f.Verify(t.Context(), layout, d.recorded)
	if err = errors.Join(err, f.Commit(t.Context(), sums)); err != nil {
		t.Fatal(err)
	}
	d.close()
	d.open(t)
	if f, err = d.staging.Freeze(token); err != nil {
		t.Fatal(err)
	}
	defer f.Release()
	if err := f.Commit(t.Context(), sums); err != nil {
		t.Error(err)
	}
	if _, _, err := f.Verify(t.Context(), layout, d.recorded); !errors.Is(err, ErrNotStaged) {
		t.Error(err)
	}
	d.mustHold(t, data)
}

func TestManyWritersOfOnePart(t *testing.T) {
	d := newDesk(t)
	layout := Layout{size: 600_000, part: 300_000}
	var holders, refused, won atomic.Int32
	var wg sync.WaitGroup
	for i := range 16 {
		data := noise(300_000, byte(i))
		wg.Go(func() {
			w, err := d.staging.Begin(token, layout, 1)
			if errors.Is(err, ErrLocked) {
				refused.Add(1)
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Release()
			defer holders.Add(-1)
			if holders.Add(1) > 1 {
				t.Error("two writers hold one part")
			}
			if _, err := w.WriteFrom(t.Context(), bytes.NewReader(data)); err != nil {
				t.Error(err)
			}
			won.Add(1)
		})
	}
	wg.Wait()
	if won.Load() < 1 || won.Load()+refused.Load() != 16 {
		t.Errorf("%d wrote, %d were refused", won.Load(), refused.Load())
	}
	d.mustBeFree(t)
}

// endlessOf reads n zeros.
func endlessOf(n int64) io.Reader { return io.LimitReader(endless{}, n) }
