package bolt

import (
	"fmt"
	"hash/maphash"
)

// contents are what stands in the buckets of a file: as much as tells whether another file has
// the same.
type contents struct {
	buckets map[string]*bucketSum
	keys    int64

	name string // of the last bucket
	last *bucketSum
}

type bucketSum struct {
	sequence uint64
	keys     int64
	sum      maphash.Hash // of all keys and values, with their lengths
}

// sumSeed is the seed of all sums, which are compared in one process only.
var sumSeed = maphash.MakeSeed()

// visit is the visitor of the walk through the file.
func (s *contents) visit(bucket string, k, v []byte) {
	if bucket == "" {
		b := &bucketSum{sequence: native.Uint64(v[8:])}
		b.sum.SetSeed(sumSeed)
		s.name, s.last = string(k), b
		s.buckets[s.name] = b
		return
	}
	b := s.last
	if bucket != s.name {
		return // no bucket leads to it, which is a finding
	}
	var lengths [8]byte
	native.PutUint32(lengths[:], uint32(len(k)))
	native.PutUint32(lengths[4:], uint32(len(v)))
	b.sum.Write(lengths[:])
	b.sum.Write(k)
	b.sum.Write(v)
	b.keys++
	s.keys++
}

// differ tells in what another file differs, blank for nothing.
func (s *contents) differ(other *contents) string {
	for name, b := range s.buckets {
		o := other.buckets[name]
		switch {
		case o == nil:
			return "it has no " + name
		case o.keys != b.keys:
			return fmt.Sprintf("it has %d entries in %s instead of %d", o.keys, name, b.keys)
		case o.sequence != b.sequence:
			return fmt.Sprintf("the number of the last id of %s is another", name)
		case o.sum.Sum64() != b.sum.Sum64():
			return "it has other entries in " + name
		}
	}
	if len(other.buckets) != len(s.buckets) {
		return "it has more buckets"
	}
	return ""
}
