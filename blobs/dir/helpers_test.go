package dir

import (
	"alcove/blobs"
	"crypto/md5"
	"crypto/sha256"
	"hash/crc32"
	"math/rand/v2"
)

// noise returns n bytes that differ from seed to seed.
func noise(n int, seed byte) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(p)
	return p
}

func sumsOf(p []byte) blobs.Sums {
	return blobs.Sums{Size: int64(len(p)), MD5: md5.Sum(p), SHA256: sha256.Sum256(p), CRC32: crc32.ChecksumIEEE(p)}
}

const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // SHA-256 of "abc"
