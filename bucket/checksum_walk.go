package bucket

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"alcove/bucket/changelog"
	"alcove/bucket/damage"
)

// checksumWalk checks all that has a checksum, bucket by bucket, as a walk through the file meets it.
type checksumWalk struct {
	report func(damage.Finding)
	read   int64 // records, documents and entries of the change log

	names    map[string]bool // buckets that are there
	seeds    map[string]uint32
	settings uint32 // sum of what the store notes about itself
	noted    []byte // the one that it noted
	schema   string
	number   []byte // the schema number

	sequence uint64   // of the log
	next     uint64   // entry of the log
	previous [32]byte // hash of the entry before it
}

func newChecksumWalk(report func(damage.Finding)) *checksumWalk {
	return &checksumWalk{report: report, names: map[string]bool{}, seeds: map[string]uint32{}, next: 1}
}

func (s *checksumWalk) found(kind, bucket string, key []byte, reason string, args ...any) {
	s.report(damage.Finding{Of: kind, Bucket: bucket, Key: bytes.Clone(key), Page: -1, Reason: fmt.Sprintf(reason, args...)})
}

// visit is the visitor of the walk.
func (s *checksumWalk) visit(bucket string, k, v []byte) {
	prefix, _, _ := strings.Cut(bucket, ":")
	var err error
	switch {
	case bucket == "":
		s.bucket(string(k), binary.NativeEndian.Uint64(v[8:]))
		return
	case bucket == metaBucket:
		s.setting(k, v)
		return
	case bucket == logBucket:
		s.entry(k, v)
		return
	case prefix == "r":
		s.read++
		if _, err = open(bucket, k, v); err != nil {
			s.damaged(damage.OfRecord, bucket, k, err)
		}
	case prefix == "d":
		s.read++
		if err = checkDoc(bucket, k, v); err != nil {
			s.damaged(damage.OfDocument, bucket, k, err)
		}
	case prefix == "i":
		if !entryWhole(s.seed(bucket), k, v) {
			s.damaged(damage.OfIndex, bucket, k, damagedEntry(bucket, k))
		}
	default:
		s.found(damage.OfPage, bucket, k, "it is in a bucket that the store does not have")
	}
}

func (s *checksumWalk) damaged(kind, bucket string, k []byte, err error) {
	var d *damage.Error
	reason := err.Error()
	if errors.As(err, &d) {
		reason = d.Reason
	}
	s.found(kind, bucket, k, "%s", reason)
}

func (s *checksumWalk) seed(bucket string) uint32 {
	if _, ok := s.seeds[bucket]; !ok {
		s.seeds[bucket] = seedOf(bucket)
	}
	return s.seeds[bucket]
}

// bucket checks the head of a bucket.
func (s *checksumWalk) bucket(name string, sequence uint64) {
	s.names[name] = true
	switch {
	case name == logBucket:
		s.sequence = sequence
	case strings.HasPrefix(name, "r:"):
		if _, err := checkSequence(name, sequence); err != nil {
			s.found(damage.OfSetting, name, nil, "the number of its last id has a wrong checksum")
		}
	case sequence != 0:
		s.found(damage.OfSetting, name, nil, "it counts %d ids and never gave out one", sequence)
	}
}

func (s *checksumWalk) setting(k, v []byte) {
	switch {
	case bytes.Equal(k, sumKey):
		s.noted = bytes.Clone(v)
		return
	case string(k) == "schema":
		s.schema = string(v)
	case bytes.Equal(k, numberKey):
		s.number = bytes.Clone(v)
	}
	s.settings = addSetting(s.settings, k, v)
}

// entry checks an entry of the change log, and that it follows from the one before it.
func (s *checksumWalk) entry(k, v []byte) {
	s.read++
	c, err := decodeChange(k, v)
	switch {
	case err != nil:
		s.damaged(damage.OfRecord, logBucket, k, err)
	case c.Sequence != s.next:
		s.found(damage.OfLog, logBucket, k, "the entry before it is missing")
	case c.Previous != s.previous:
		s.found(damage.OfLog, logBucket, k, "it does not follow from the entry before it")
	}
	if len(k) == 8 {
		s.next = binary.BigEndian.Uint64(k) + 1
	}
	s.previous = changelog.Hash(k, v)
}

// end checks what only the whole file tells, and adds the buckets that are missing to hurt.
func (s *checksumWalk) end(damagedBuckets map[string]bool) {
	if damagedBuckets[""] {
		return // then some buckets are missing
	}
	if !damagedBuckets[logBucket] && s.next != s.sequence+1 {
		s.found(damage.OfLog, logBucket, nil, "it ends at %d and should end at %d", s.next-1, s.sequence)
	}
	if !damagedBuckets[metaBucket] && !bytes.Equal(s.noted, binary.BigEndian.AppendUint32(nil, s.settings)) {
		s.found(damage.OfSetting, metaBucket, nil, "the checksum of what the store notes about itself is wrong")
	}
	for _, name := range bucketNames() {
		if !s.names[name] {
			s.found(damage.OfPage, name, nil, "there is no such bucket")
			damagedBuckets[name] = true
		}
		delete(s.names, name)
	}
	if newer(s.number) {
		return // what is there besides is that program's
	}
	for name := range s.names {
		s.found(damage.OfPage, name, nil, "it is a bucket that the store does not have")
	}
}

// bucketNames are the buckets of a store that this program has prepared.
func bucketNames() []string {
	names := []string{metaBucket, logBucket}
	for _, d := range schema.Documents {
		names = append(names, d.bucketName())
	}
	for _, t := range schema.tables {
		names = append(names, t.bucketName())
		names = append(names, t.indexNames()...)
	}
	return names
}

func (t *AnyTable) indexNames() (names []string) {
	for _, ix := range t.indexes {
		names = append(names, ix.bucketName())
	}
	return names
}

// checkDoc checks a stored document by itself, also one of an older program, which is
// rendered again when it is read.
func checkDoc(bucket string, k, v []byte) error {
	d := &Docs{bucket: bucket}
	if len(v) > 0 && v[0] == olderDocs {
		return d.readOlder(k, v)
	}
	_, err := d.read(k, v, true)
	return err
}

// olderDocs was the format of documents whose head was in no checksum.
const olderDocs = 2

func (d *Docs) readOlder(k, v []byte) error {
	n := -1
	if len(v) >= docsHead+2*partHead {
		n = int(binary.BigEndian.Uint32(v[9:]))
	}
	if n >= 0 && n <= len(v)-docsHead-2*partHead {
		_, _, list := docPart(k, nil, v[docsHead:docsHead+partHead+n])
		_, _, full := docPart(k, nil, v[docsHead+partHead+n:])
		if list && full {
			return nil
		}
	}
	return &damage.Error{Bucket: d.bucketName(), Key: bytes.Clone(k), Reason: "its checksum is wrong"}
}
