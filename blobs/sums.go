package blobs

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"hash"
	"hash/crc32"
	"io"
	"sync"
)

// Sums is what one pass over some bytes tells. MD5 goes to the API, SHA256 names the blob and goes
// to the BagIt manifest, CRC32 (IEEE) lets a zip of stored files be written without reading twice.
type Sums struct {
	Size   int64
	MD5    MD5
	SHA256 Ref
	CRC32  uint32
}

// block is a buffer that both digest goroutines read while the next one is being filled.
type block struct {
	data [256 << 10]byte
	n    int
	busy sync.WaitGroup
}

var blocks = sync.Pool{New: func() any { return new(block) }}

// Sum reads r to its end once and computes all digests together. MD5 is the slowest of them, so it
// and SHA-256 run in goroutines of their own over two shared buffers of 256 KiB, while this one
// reads ahead and does the rest; both have ended when Sum returns. When tap is not nil it is given
// every piece in order; it must not keep or change it. Sum stops at the first error of r, which is
// returned as it is, or with the context's cause when ctx ends.
func Sum(ctx context.Context, r io.Reader, tap func(piece []byte)) (Sums, error) {
	md, sha, crc := md5.New(), sha256.New(), crc32.NewIEEE()
	toMD, toSHA := make(chan *block, 1), make(chan *block, 1)

	var digests sync.WaitGroup
	digests.Go(func() { drain(md, toMD) })
	digests.Go(func() { drain(sha, toSHA) })

	size, err := func() (int64, error) {
		defer digests.Wait()
		defer close(toMD)
		defer close(toSHA)
		return feed(ctx, r, func(b *block) {
			b.busy.Add(2)
			toMD <- b
			toSHA <- b
			crc.Write(b.data[:b.n])
			if tap != nil {
				tap(b.data[:b.n])
			}
		})
	}()
	if err != nil {
		return Sums{}, err
	}

	sums := Sums{Size: size, CRC32: crc.Sum32()}
	md.Sum(sums.MD5[:0])
	sha.Sum(sums.SHA256[:0])
	return sums, nil
}

// drain hashes blocks until the channel is closed.
func drain(h hash.Hash, from <-chan *block) {
	for b := range from {
		h.Write(b.data[:b.n])
		b.busy.Done()
	}
}

// feed fills two blocks in turn and passes each on, waiting before it fills one again until it is
// read no more. It returns the number of bytes read.
func feed(ctx context.Context, r io.Reader, pass func(*block)) (int64, error) {
	turn := [2]*block{blocks.Get().(*block), blocks.Get().(*block)}
	defer func() {
		for _, b := range turn {
			b.busy.Wait()
			blocks.Put(b)
		}
	}()

	var size int64
	for i := 0; ; i++ {
		if ctx.Err() != nil {
			return size, context.Cause(ctx)
		}
		b := turn[i%2]
		b.busy.Wait()
		n, err := r.Read(b.data[:])
		if b.n = n; n > 0 {
			size += int64(n)
			pass(b)
		}
		if err == io.EOF {
			return size, nil
		}
		if err != nil {
			return size, err
		}
	}
}
