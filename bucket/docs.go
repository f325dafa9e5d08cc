package bucket

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"alcove/bucket/damage"
	"alcove/bucket/kv"
)

// Docs keeps documents rendered for readers: the JSON of a published version as it is
// served, in the short form of lists and the full form of one item. They are derived
// from records and can be rendered again at any time, so they are not in the change
// log. A stored document is
//
//	format (1) | hash of the render settings (8) | latest (1) | modified, Unix (8) |
//	length of list (4) |
//	CRC-32C of key, all before and what follows (4) | sum of list (16) | list |
//	CRC-32C of key, the same and what follows (4) | sum of full (16) | full
//
// The sums are there so that a reader can be told a strong entity tag without
// reading the whole document again. Latest and modified are there so that the version
// which readers get is found without a look at any record.
type Docs struct {
	bucket string
	of     *AnyTable // the table of their records, with the same keys
}

// Doc is a rendered document. Its bytes are valid only in the transaction.
type Doc struct {
	Settings uint64    // hash of the settings it was rendered under: address, blanks, format
	Latest   bool      // it is of the version that readers get who name none
	Modified time.Time // of that version, to the second
	List     []byte
	Full     []byte

	ListSum, FullSum Sum // of the two; Put makes them itself
}

// Sum is the beginning of the SHA-256 of a document.
type Sum [16]byte

// SumOf is the sum of a document.
func SumOf(document []byte) Sum {
	sum := sha256.Sum256(document)
	return Sum(sum[:])
}

const docsFormat = 4

const (
	docsHead = 1 + 8 + 1 + 8 + 4
	partHead = 4 + len(Sum{})
)

func (d *Docs) bucketName() string { return d.bucket }

// Put stores the document of a version.
func (d *Docs) Put(tx *Tx, key Pair, doc Doc) error {
	tx.touch()
	if err := tx.flushPending(); err != nil {
		return err
	}
	k := pairKeys.enc(key)
	return d.put(tx, k, encodeDoc(k, doc))
}

// encodeDoc is a document as it is stored under a key.
func encodeDoc(k []byte, doc Doc) []byte {
	v := make([]byte, 0, docsHead+2*partHead+len(doc.List)+len(doc.Full))
	v = append(v, docsFormat)
	v = binary.BigEndian.AppendUint64(v, doc.Settings)
	latest := byte(0)
	if doc.Latest {
		latest = 1
	}
	v = binary.BigEndian.AppendUint64(append(v, latest), uint64(doc.Modified.Unix()))
	v = binary.BigEndian.AppendUint32(v, uint32(len(doc.List)))
	head := v[:docsHead:docsHead]
	for _, text := range [][]byte{doc.List, doc.Full} {
		sum := SumOf(text)
		v = binary.BigEndian.AppendUint32(v, docSum(k, head, sum[:], text))
		v = append(append(v, sum[:]...), text...)
	}
	return v
}

func (d *Docs) put(tx *Tx, k, v []byte) error {
	b := tx.stored(d.bucketName())
	b.Grows()
	if err := b.Put(k, v); err != nil {
		return fmt.Errorf("cannot store a document in %s: %w", d.bucket, err)
	}
	return nil
}

// UnmarkLatest says of a document that its version is not the latest any more; one that is not
// there, and one that cannot be read, is no error.
func (d *Docs) UnmarkLatest(tx *Tx, key Pair) error {
	doc, err := d.Get(tx, key)
	var damaged *damage.Error
	switch {
	case errors.Is(err, ErrNotFound), errors.As(err, &damaged), err == nil && !doc.Latest:
		return nil
	case err != nil:
		return err
	}
	doc.Latest = false
	return d.Put(tx, key, doc)
}

// DeleteAll removes the documents of all versions of an item.
func (d *Docs) DeleteAll(tx *Tx, id int64) error {
	tx.touch()
	if err := tx.flushPending(); err != nil {
		return err
	}
	b := tx.bucket(d.bucketName())
	var keys [][]byte
	for k := range b.Ascend(Prefix(id)) {
		if !bytes.HasPrefix(k, Prefix(id)) {
			break
		}
		keys = append(keys, bytes.Clone(k))
	}
	for _, k := range keys {
		if err := b.Delete(k); err != nil {
			return fmt.Errorf("cannot delete a document in %s: %w", d.bucket, err)
		}
	}
	return nil
}

// Delete removes a document; one that is not there is no error.
func (d *Docs) Delete(tx *Tx, key Pair) error {
	tx.touch()
	if err := tx.flushPending(); err != nil {
		return err
	}
	return tx.bucket(d.bucketName()).Delete(pairKeys.enc(key))
}

func docSum(parts ...[]byte) (sum uint32) {
	for _, p := range parts {
		sum = crc32.Update(sum, castagnoli, p)
	}
	return sum
}

// List is the list form with the settings it was rendered under, ErrNotFound, or a
// *DamagedError. Only the list part is read and checked.
func (d *Docs) List(tx Reader, key Pair) (Doc, error) { return d.get(tx.reader(), key, listForm) }

// Get is the document, ErrNotFound, or a *DamagedError.
func (d *Docs) Get(tx Reader, key Pair) (Doc, error) {
	return d.get(tx.reader(), key, listForm|fullForm)
}

// Full is the full form with the settings it was rendered under, ErrNotFound, or a
// *DamagedError.
func (d *Docs) Full(tx Reader, key Pair) (Doc, error) { return d.get(tx.reader(), key, fullForm) }

// Latest is the full form of the version that readers of an item get, which one seek finds. It
// is ErrNotFound where that cannot be told in this way, also where there is such a version.
func (d *Docs) Latest(from Reader, id int64) (Doc, error) {
	tx := from.reader()
	if tx.writable {
		return Doc{}, ErrNotFound
	}
	end := appendPair(tx.key[:0], Pair{id, math.MaxInt64})
	k, v := kv.First(tx.bucket(d.bucketName()).Descend(end))
	if !bytes.HasPrefix(k, end[:8]) {
		return Doc{}, ErrNotFound
	}
	doc, err := d.take(k, v, fullForm)
	if err != nil || !doc.Latest {
		return Doc{}, ErrNotFound // who looks for the version itself will see why
	}
	return doc, nil
}

// Forms of a document.
const (
	listForm = 1 << iota
	fullForm
)

func (d *Docs) get(tx *Tx, key Pair, forms int) (Doc, error) {
	if err := tx.flushPending(); err != nil {
		return Doc{}, err
	}
	k := appendPair(tx.key[:0], key)
	v := tx.bucket(d.bucketName()).Get(k)
	if v == nil || len(v) > 0 && 0 < v[0] && v[0] < docsFormat { // rendered by an older program, and soon by this one
		return Doc{}, ErrNotFound
	}
	return d.take(k, v, forms)
}

// read is take of the list form, or of both.
func (d *Docs) read(k, v []byte, full bool) (Doc, error) {
	if full {
		return d.take(k, v, listForm|fullForm)
	}
	return d.take(k, v, listForm)
}

// take takes a stored document apart, and checks the forms that are asked for.
func (d *Docs) take(k, v []byte, forms int) (doc Doc, err error) {
	bad := func(why string) (Doc, error) {
		return Doc{}, &damage.Error{Bucket: d.bucketName(), Key: bytes.Clone(k), Reason: why}
	}
	if len(v) < docsHead+2*partHead || v[0] != docsFormat {
		return bad("its form is wrong")
	}
	head := v[:docsHead]
	doc.Settings, doc.Latest = binary.BigEndian.Uint64(v[1:]), v[9] == 1
	doc.Modified = time.Unix(int64(binary.BigEndian.Uint64(v[10:])), 0).UTC()
	n := int(binary.BigEndian.Uint32(v[18:]))
	if n > len(v)-docsHead-2*partHead {
		return bad("its length is wrong")
	}
	var whole bool
	if forms&listForm != 0 {
		if doc.List, doc.ListSum, whole = docPart(k, head, v[docsHead:docsHead+partHead+n]); !whole {
			return bad("its checksum is wrong")
		}
	}
	if forms&fullForm != 0 {
		if doc.Full, doc.FullSum, whole = docPart(k, head, v[docsHead+partHead+n:]); !whole {
			return bad("its checksum is wrong")
		}
	}
	return doc, nil
}

// docPart takes a form of a document apart, and reports whether it is whole.
func docPart(key, head, b []byte) (text []byte, sum Sum, whole bool) {
	return b[partHead:], Sum(b[4:partHead]), docSum(key, head, b[4:]) == binary.BigEndian.Uint32(b)
}

// Stale lists up to n keys after one, in order, whose documents were rendered under
// other settings or have a form that this program does not read.
func (d *Docs) Stale(tx *Tx, after Pair, settings uint64, n int) (keys []Pair) {
	for k, v := range tx.bucket(d.bucketName()).Ascend(pairKeys.enc(Pair{after.A, after.B + 1})) {
		if len(keys) == n {
			break
		}
		if len(v) < docsHead+2*partHead || v[0] != docsFormat || binary.BigEndian.Uint64(v[1:]) != settings {
			keys = append(keys, pairKeys.dec(k))
		}
	}
	return keys
}

// Documents are documents of the records of a table, under the same keys.
func Documents(name string, of *AnyTable) *Docs { return &Docs{bucket: "d:" + name, of: of} }
