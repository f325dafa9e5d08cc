package blobs

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
)

// noise returns n bytes that differ from seed to seed.
func noise(n int, seed byte) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(p)
	return p
}

func sumsOf(p []byte) Sums {
	return Sums{Size: int64(len(p)), MD5: md5.Sum(p), SHA256: sha256.Sum256(p), CRC32: crc32.ChecksumIEEE(p)}
}

func TestSum(t *testing.T) {
	for _, n := range []int{0, 1, 1000, 256<<10 - 1, 256 << 10, 256<<10 + 1, 1<<20 + 77} {
		data := noise(n, 1)
		for name, r := range map[string]io.Reader{
			"whole": bytes.NewReader(data),
			"half":  iotest.HalfReader(bytes.NewReader(data)),
			"eof":   iotest.DataErrReader(bytes.NewReader(data)),
		} {
			var seen []byte
			got, err := Sum(t.Context(), r, func(p []byte) { seen = append(seen, p...) })
			if err != nil || got != sumsOf(data) || !bytes.Equal(seen, data) {
				t.Errorf("%d bytes, %s: %+v, %v, tap saw %d", n, name, got, err, len(seen))
			}
		}
	}
}

func TestSumOfBrokenReader(t *testing.T) {
	broken := errors.New("broken")
	for _, want := range []error{broken, io.ErrUnexpectedEOF} {
		r := io.MultiReader(bytes.NewReader(noise(600<<10, 2)), iotest.ErrReader(want))
		if got, err := Sum(t.Context(), r, nil); err != want || got != (Sums{}) {
			t.Errorf("got %+v, %v, want %v", got, err, want)
		}
	}
}

func TestSumStops(t *testing.T) {
	gone := errors.New("the client went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	pieces := 0
	_, err := Sum(ctx, endless{}, func([]byte) {
		if pieces++; pieces == 3 {
			cancel(gone)
		}
	})
	if err != gone || pieces != 3 {
		t.Errorf("stopped after %d pieces with %v", pieces, err)
	}
}

// endless reads zeros for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func BenchmarkSum(b *testing.B) {
	data := noise(32<<20, 3)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Sum(b.Context(), bytes.NewReader(data), nil); err != nil {
			b.Fatal(err)
		}
	}
}
