// Package blobs says what a store of blobs is: bytes that never change, each sequence once, named by its
// SHA-256 digest. blobs/dir keeps them in a directory.
package blobs

import (
	"context"
	"errors"
	"io"
	"time"

	"alcove/latency"
)

// Store keeps blobs. Its methods may be called from many goroutines. The errors of a blob that is not
// there are fs.ErrNotExist, those of one that cannot be what was stored are ErrDamaged.
type Store interface {
	// Open opens a blob to be read from its first byte, and tells its size; the bytes are not checked.
	Open(Ref) (r Reader, size int64, err error)
	// Read opens a blob to be sent: of size bytes with that CRC-32 (IEEE), as its record says.
	Read(ref Ref, size int64, crc uint32) (Blob, error)
	Stat(Ref) (Info, error)

	// Put stores up to MaxPut bytes, and Copy up to limit of them; tap sees every piece.
	Put(ctx context.Context, r io.Reader) (Sums, error)
	Copy(ctx context.Context, r io.Reader, limit int64, tap func(piece []byte)) (Sums, error)
	// Keep stores the sums of a blob's chunks, which are derived from it.
	Keep(Ref, *ChunkSums) error
	// Lease keeps what was stored since a time from being removed until it is released.
	Lease(since time.Time) (release func())

	// Walk calls fn for every entry, and ends with its first error.
	Walk(ctx context.Context, fn func(Entry) error) error
	// Unchanged reports whether a blob is still as Walk met it.
	Unchanged(Entry) (bool, error)
	// Remove deletes a blob that was last stored before a time, and reports whether it did.
	Remove(ref Ref, before time.Time) (bool, error)
	// Verify reads all of a blob.
	Verify(ctx context.Context, ref Ref, pace func(n int)) (Sums, error)
	// Repair puts whole bytes in the place of damaged ones.
	Repair(ctx context.Context, ref Ref, from io.Reader, pace func(n int)) error
	Damaged() []Damage
	MarkDamaged(ref Ref, reason string) error
	ClearDamaged(Ref) error

	// Syncs is how long it took to make names durable.
	Syncs() *latency.Histogram
	Close() error
}

// Reader is an open blob.
type Reader interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// Blob is a blob that is open to be sent. The bytes that Check has passed are those that were
// stored; reading others tells nothing about them.
type Blob interface {
	io.ReaderAt
	io.Closer
	Size() int64
	// Check makes sure that the bytes from one offset to before another are those that were stored. When
	// they are others the blob is damaged for every reader from now on, and the error is ErrDamaged.
	Check(ctx context.Context, from, to int64) error
	// From is the bytes from an offset on: where the system can copy them to a connection by itself, it is a
	// reader of which net/http knows that.
	From(at int64) (io.Reader, error)
}

// MaxPut is the most that Put takes: it is for what this process makes itself, such as thumbnails
// and the files of the demonstration. Bytes from clients come through package uploads.
const MaxPut = 256 << 20

// ErrTooLarge says that Put was given more than MaxPut bytes.
var ErrTooLarge = errors.New("cannot store blob: more bytes than allowed")

// ErrDamaged says that what lies on disk cannot be what was stored: at a blob's place there is
// something other than a regular file, or a staged file is not what its caller said.
var ErrDamaged = errors.New("damaged on disk")

// Info is what the directory tells about a blob.
type Info struct {
	Size     int64
	Modified time.Time // when the blob was last adopted or put
}

// Damage is a blob that was found to hold other bytes than were stored. It is not read any
// more until another file takes its place, the same bytes are stored again, or ClearDamaged.
type Damage struct {
	Ref      Ref       `json:"sha256"`
	Found    time.Time `json:"found"`
	Reason   string    `json:"reason"`
	Size     int64     `json:"size"` // of the file that was looked at, with its time
	Modified time.Time `json:"modified"`
}

// Entry is something that Walk met in a shard. Path is slash-separated, below the data directory.
type Entry struct {
	Ref  Ref // zero when it is no blob: another name, a link, a directory
	Path string
	Info
}
