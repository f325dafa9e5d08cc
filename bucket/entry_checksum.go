package bucket

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"

	"alcove/bucket/damage"
	"alcove/bucket/kv"
)

// Records, documents and entries of the change log have checksums of their own (envelope.go,
// docs.go, log.go). These are those of everything else: what is read without one could be
// another bit from one read to the next, and it would not show.

// entryFormat is raised when the form of index entries changes: all indexes are then rebuilt.
const entryFormat = 2

// entrySum is the length of the checksum at the end of the value of an index entry.
const entrySum = 4

// appendSum puts the checksum of an entry behind its value. seed is that of the bucket's name.
func appendSum(seed uint32, key, value []byte) []byte {
	return binary.BigEndian.AppendUint32(value, entryCRC(seed, key, value))
}

func entryCRC(seed uint32, key, value []byte) uint32 {
	return crc32.Update(crc32.Update(seed, castagnoli, key), castagnoli, value)
}

func seedOf(bucket string) uint32 { return crc32.Update(0, castagnoli, []byte(bucket)) }

// entryWhole reports whether an entry of an index has its checksum.
func entryWhole(seed uint32, key, value []byte) bool {
	n := len(value) - entrySum
	return n > 0 && int(value[0]) <= len(key) && entryCRC(seed, key, value[:n]) == binary.BigEndian.Uint32(value[n:])
}

// A read that meets damage in an index panics with a *DamagedError: lists are iterators of
// what is there, and have no place for an error. View and the writer make an error of it.
func damagedEntry(bucket string, key []byte) *damage.Error {
	return &damage.Error{Bucket: bucket, Key: bytes.Clone(key), Reason: "its checksum is wrong"}
}

// near reports whether two keys differ in one bit: a key that is not found and has such a
// neighbour with a wrong checksum was not removed, but damaged.
func near(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	n := 0
	for i := range a {
		if n += bits.OnesCount8(a[i] ^ b[i]); n > 1 {
			return false
		}
	}
	return n == 1
}

// lookAround calls bad for the keys before and behind a place at which a bucket has no key,
// and reports whether it says yes of one that is near. Entries of deferred writes are whole.
func lookAround(tx *Tx, bucket string, key []byte, bad func(k, v []byte) bool) bool {
	b := tx.stored(bucket)
	if k, v := kv.First(b.Ascend(key)); k != nil && near(k, key) && bad(k, v) {
		return true
	}
	k, v := kv.First(b.Descend(key))
	return k != nil && near(k, key) && bad(k, v)
}

// A bucket's sequence, from which ids are taken, is kept with a checksum in its upper 24
// bits, of which two are always set: an id that is given out twice would take the place of
// a record. 0 is the one of a bucket that never gave out an id.
const (
	sequenceBits = 40
	sequenceMark = 3 << 62
)

func addSequenceChecksum(bucket string, n uint64) uint64 {
	if n == 0 {
		return 0
	}
	sum := checksum(bucket, nil, binary.BigEndian.AppendUint64(nil, n))
	return sequenceMark | uint64(sum&(1<<22-1))<<sequenceBits | n
}

func checkSequence(bucket string, sealed uint64) (uint64, error) {
	n := sealed & (1<<sequenceBits - 1)
	if addSequenceChecksum(bucket, n) != sealed {
		return 0, &damage.Error{Bucket: bucket, Key: nil, Reason: "the number of its last id has a wrong checksum"}
	}
	return n, nil
}

// addSequenceChecksums gives the sequences of a file a checksum, where an older program gave them none.
func addSequenceChecksums(b kv.Tx) error {
	for _, t := range schema.tables {
		r := b.Bucket(t.bucketName())
		if n := r.Sequence(); n != 0 && n < 1<<sequenceBits {
			if err := r.SetSequence(addSequenceChecksum(t.bucketName(), n)); err != nil {
				return fmt.Errorf("cannot prepare the database: %w", err)
			}
		}
	}
	return nil
}

// sumKey is where the store keeps the checksum of all else that it notes about itself.
var sumKey = []byte("sum")

func settingsSum(m kv.Bucket) []byte {
	sum := uint32(0)
	for k, v := range m.Ascend(nil) {
		if !bytes.Equal(k, sumKey) {
			sum = addSetting(sum, k, v)
		}
	}
	return binary.BigEndian.AppendUint32(nil, sum)
}

func addSetting(sum uint32, k, v []byte) uint32 {
	for _, part := range [][]byte{binary.BigEndian.AppendUint32(nil, uint32(len(k))), k, binary.BigEndian.AppendUint32(nil, uint32(len(v))), v} {
		sum = crc32.Update(sum, castagnoli, part)
	}
	return sum
}

// checkSettings fails when what the store notes about itself is damaged. A file of a program
// that kept no checksum of it passes.
func checkSettings(m kv.Bucket) error {
	sum := m.Get(sumKey)
	if sum == nil && string(m.Get([]byte("schema"))) != definitions() || bytes.Equal(sum, settingsSum(m)) {
		return nil
	}
	return &damage.Error{Bucket: metaBucket, Key: nil, Reason: "the checksum of what the store notes about itself is wrong"}
}
