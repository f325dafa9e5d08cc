package bolt

import (
	"bytes"
	"fmt"
	"os"

	"go.etcd.io/bbolt"
)

// filling is a new file that takes what stands in another, bucket by bucket, in the order of the
// keys. It is synced by who makes it, at the end.
type filling struct {
	db   *bbolt.DB
	file *os.File
	err  error // why it cannot go on

	tx      *bbolt.Tx
	pending int // bytes of the transaction
	name    string
	bucket  *bbolt.Bucket // with the name, of the transaction; nil when it was not asked for yet
}

// fillAtOnce is how many bytes are stored in one transaction. They are kept in memory, with
// as much again for short keys.
const fillAtOnce = 8 << 20

// visit is the visitor of the other file. Pages are filled as far as those of a bucket that
// grows: full ones would have to be split by the first change.
func (n *filling) visit(bucket string, k, v []byte) {
	if n.err != nil {
		return
	}
	if bucket == "" {
		n.err = n.create(k, native.Uint64(v[8:]))
		return
	}
	n.err = n.put(bucket, k, v)
}

// create makes a bucket with its sequence.
func (n *filling) create(name []byte, sequence uint64) error {
	if err := n.begin(); err != nil {
		return err
	}
	b, err := n.tx.CreateBucket(name)
	if err != nil {
		return err
	}
	n.name, n.bucket = string(name), nil
	return b.SetSequence(sequence)
}

func (n *filling) put(bucket string, k, v []byte) error {
	if err := n.begin(); err != nil {
		return err
	}
	if n.bucket == nil || n.name != bucket {
		if n.name, n.bucket = bucket, n.tx.Bucket([]byte(bucket)); n.bucket == nil {
			return fmt.Errorf("there is no bucket %q", bucket)
		}
		n.bucket.FillPercent = Filled
	}
	if err := n.bucket.Put(k, bytes.Clone(v)); err != nil { // it copies the key itself
		return err
	}
	if n.pending += len(k) + len(v); n.pending < fillAtOnce {
		return nil
	}
	return n.commit()
}

func (n *filling) begin() (err error) {
	if n.tx == nil {
		n.tx, err = n.db.Begin(true)
	}
	return err
}

func (n *filling) commit() error {
	if n.tx == nil {
		return nil
	}
	err := n.tx.Commit()
	n.tx, n.bucket, n.pending = nil, nil, 0 // not after a panic: drop gives its locks back
	return err
}

// drop gives up what was not committed.
func (n *filling) drop() {
	if n.tx != nil {
		n.tx.Rollback()
		n.tx = nil
	}
}
