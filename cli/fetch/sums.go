package fetch

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
)

// algorithm is a checksum that servers announce.
type algorithm struct {
	name string
	new  func() hash.Hash
}

// algorithms are those by the length of their checksums in hex.
var algorithms = map[int]*algorithm{
	32: {"MD5", md5.New}, 40: {"SHA-1", sha1.New}, 64: {"SHA-256", sha256.New}, 128: {"SHA-512", sha512.New},
}

// algorithmOf is the algorithm of a checksum in hex, nil for what is no checksum.
func algorithmOf(sum string) *algorithm {
	if _, err := hex.DecodeString(sum); err != nil {
		return nil
	}
	return algorithms[len(sum)]
}

// NewSum computes a checksum of the algorithm of another one: MD5 where that is none.
func NewSum(like string) hash.Hash {
	if a := algorithmOf(like); a != nil {
		return a.new()
	}
	return md5.New()
}
