package bucket

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime/debug"
	"sync"

	"alcove/bucket/damage"
)

// envelopeFormat is the first byte of every stored record.
//
//	format (1) | CRC-32C of bucket name, key and payload (4, big endian) | payload (JSON)
//
// bbolt does not checksum its data pages. With the name and the key inside the sum, a
// flipped bit and a record that landed in the wrong place are both errors.
const envelopeFormat = 1

const envelopeHead = 5

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrNotFound says that a table has no record under a key.
var ErrNotFound = errors.New("no such record")

func checksum(bucket string, key, payload []byte) uint32 {
	sum := crc32.Update(0, castagnoli, []byte(bucket))
	sum = crc32.Update(sum, castagnoli, key)
	return crc32.Update(sum, castagnoli, payload)
}

func encodeEnvelope(bucket string, key, payload []byte) []byte {
	b := append(make([]byte, envelopeHead, envelopeHead+len(payload)), payload...)
	writeEnvelopeHead(bucket, key, b)
	return b
}

// writeEnvelopeHead makes an envelope of a payload that has room for the head before it.
func writeEnvelopeHead(bucket string, key, b []byte) {
	b[0] = envelopeFormat
	binary.BigEndian.PutUint32(b[1:], checksum(bucket, key, b[envelopeHead:]))
}

// open checks an envelope and returns its payload, which shares memory with it.
func open(bucket string, key, b []byte) ([]byte, error) {
	if len(b) < envelopeHead {
		return nil, &damage.Error{Bucket: bucket, Key: bytes.Clone(key), Reason: "it is too short"}
	}
	if b[0] != envelopeFormat {
		return nil, &damage.Error{Bucket: bucket, Key: bytes.Clone(key), Reason: fmt.Sprintf("its format is %d", b[0])}
	}
	payload := b[envelopeHead:]
	if checksum(bucket, key, payload) != binary.BigEndian.Uint32(b[1:]) {
		return nil, &damage.Error{Bucket: bucket, Key: bytes.Clone(key), Reason: "its checksum is wrong"}
	}
	return payload, nil
}

// buffers are what records are encoded in.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// noHead is the room for the head of an envelope.
var noHead [envelopeHead]byte

// envelope gives the JSON of a record behind room for the head of its envelope, which writeEnvelopeHead fills.
func envelope(v any) ([]byte, error) {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	b.Write(noHead[:])
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("cannot encode a record: %w", err)
	}
	return bytes.Clone(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// ErrFault says that a page of the database could not be read: the file was cut off, or the disk
// does not give it. The process goes on, because every goroutine that reads the map asks for a
// panic instead of its end.
var ErrFault = errors.New("cannot read the database: a page of its file is not there")

// isFault reports whether a panic is that of a page that could not be read. Of the run time's
// errors only this one knows an address.
func isFault(p any) bool {
	_, ok := p.(interface{ Addr() uintptr })
	return ok
}

// faulted is deferred by each goroutine that reads the map. It makes an error of a
// page that cannot be read, after which the store takes no more writes; other panics go on.
func (db *DB) faulted(err *error) {
	p := recover()
	if p == nil {
		return
	}
	if damaged, ok := p.(*damage.Error); ok { // in an index, see damagedEntry
		*err = damaged
		return
	}
	if !isFault(p) {
		panic(p)
	}
	*err = fmt.Errorf("%w: %v\n%s", ErrFault, p, debug.Stack())
	db.harmed.Store(true)
}
