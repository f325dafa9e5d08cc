package bucket

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Docs keeps documents rendered for readers: the JSON of a published version as it is
// served, in the short form of lists and the full form of one item. They are derived
// from records and can be rendered again at any time, so they are not in the change
// log. A stored document is
//
//	format (1) | hash of the render settings (8) | length of list (4) |
//	CRC-32C of key and what follows (4) | sum of list (16) | list |
//	CRC-32C of key and what follows (4) | sum of full (16) | full
//
// The sums are there so that a reader can be told a strong entity tag without anybody
// reading the whole document again.
type Docs struct{ name string }

// Doc is a rendered document. Its bytes are valid only in the transaction.
type Doc struct {
	Settings uint64 // hash of the settings it was rendered under (decision: address, blanks, format)
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

const docsFormat = 2

const (
	docsHead = 1 + 8 + 4
	partHead = 4 + len(Sum{})
)

func (d *Docs) bucketName() string { return "d:" + d.name }

// Put stores the document of a version.
func (d *Docs) Put(tx *Tx, key Pair, doc Doc) error {
	tx.touch()
	if err := tx.settled(); err != nil {
		return err
	}
	return d.put(tx, key, doc)
}

func (d *Docs) put(tx *Tx, key Pair, doc Doc) error {
	k := pairKeys.enc(key)
	v := make([]byte, 0, docsHead+2*partHead+len(doc.List)+len(doc.Full))
	v = append(v, docsFormat)
	v = binary.BigEndian.AppendUint64(v, doc.Settings)
	v = binary.BigEndian.AppendUint32(v, uint32(len(doc.List)))
	for _, text := range [][]byte{doc.List, doc.Full} {
		sum := SumOf(text)
		v = binary.BigEndian.AppendUint32(v, docSum(k, sum[:], text))
		v = append(append(v, sum[:]...), text...)
	}
	b := tx.bucket(d.bucketName())
	b.FillPercent = ascending
	if err := b.Put(k, v); err != nil {
		return fmt.Errorf("cannot store a document of %s: %w", d.name, err)
	}
	return nil
}

// Delete removes a document; one that is not there is no error.
func (d *Docs) Delete(tx *Tx, key Pair) error {
	tx.touch()
	if err := tx.settled(); err != nil {
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
func (d *Docs) List(tx Reader, key Pair) (Doc, error) { return d.get(tx.reader(), key, false) }

// Get is the document, ErrNotFound, or a *DamagedError.
func (d *Docs) Get(tx Reader, key Pair) (Doc, error) { return d.get(tx.reader(), key, true) }

func (d *Docs) get(tx *Tx, key Pair, full bool) (Doc, error) {
	if err := tx.settled(); err != nil {
		return Doc{}, err
	}
	k := appendPair(tx.key[:0], key)
	v := tx.valueNear(d.bucketName(), k)
	if v == nil {
		return Doc{}, ErrNotFound
	}
	return d.read(k, v, full)
}

// read takes a stored document apart; without full only its list part is checked.
func (d *Docs) read(k, v []byte, full bool) (Doc, error) {
	bad := func(why string) (Doc, error) {
		return Doc{}, &DamagedError{d.bucketName(), bytes.Clone(k), why}
	}
	if len(v) < docsHead+2*partHead || v[0] != docsFormat {
		return bad("its form is wrong")
	}
	doc := Doc{Settings: binary.BigEndian.Uint64(v[1:])}
	n := int(binary.BigEndian.Uint32(v[9:]))
	if n > len(v)-docsHead-2*partHead {
		return bad("its length is wrong")
	}
	rest := v[docsHead+partHead+n:]
	var whole bool
	if doc.List, doc.ListSum, whole = docPart(k, v[docsHead:docsHead+partHead+n]); !whole {
		return bad("its checksum is wrong")
	}
	if !full {
		return doc, nil
	}
	if doc.Full, doc.FullSum, whole = docPart(k, rest); !whole {
		return bad("its checksum is wrong")
	}
	return doc, nil
}

// docPart takes a form of a document apart, and reports whether it is whole.
func docPart(key, b []byte) (text []byte, sum Sum, whole bool) {
	return b[partHead:], Sum(b[4:partHead]), docSum(key, b[4:]) == binary.BigEndian.Uint32(b)
}

// Stale lists up to n keys after one, in order, whose documents were rendered under
// other settings or have a form that this program does not read.
func (d *Docs) Stale(tx *Tx, after Pair, settings uint64, n int) (keys []Pair) {
	c := tx.bucket(d.bucketName()).Cursor()
	for k, v := c.Seek(pairKeys.enc(Pair{after.A, after.B + 1})); k != nil && len(keys) < n; k, v = c.Next() {
		if len(v) < docsHead+2*partHead || v[0] != docsFormat || binary.BigEndian.Uint64(v[1:]) != settings {
			keys = append(keys, pairKeys.dec(k))
		}
	}
	return keys
}
