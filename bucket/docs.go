package bucket

import (
	"bytes"
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
//	CRC-32C of key and list (4) | list | CRC-32C of key and full (4) | full
type Docs struct{ name string }

// Doc is a rendered document. Its bytes are valid only in the transaction.
type Doc struct {
	Settings uint64 // hash of the settings it was rendered under (decision: address, blanks, format)
	List     []byte
	Full     []byte
}

const docsFormat = 1

const docsHead = 1 + 8 + 4 + 4

func (d *Docs) bucketName() string { return "d:" + d.name }

// Put stores the document of a version.
func (d *Docs) Put(tx *Tx, key Pair, doc Doc) error {
	tx.touch()
	k := pairKeys.enc(key)
	v := make([]byte, 0, docsHead+len(doc.List)+4+len(doc.Full))
	v = append(v, docsFormat)
	v = binary.BigEndian.AppendUint64(v, doc.Settings)
	v = binary.BigEndian.AppendUint32(v, uint32(len(doc.List)))
	v = binary.BigEndian.AppendUint32(v, docSum(k, doc.List))
	v = append(v, doc.List...)
	v = binary.BigEndian.AppendUint32(v, docSum(k, doc.Full))
	v = append(v, doc.Full...)
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
	return tx.bucket(d.bucketName()).Delete(pairKeys.enc(key))
}

func docSum(key, b []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, key), castagnoli, b)
}

// List is the list form with the settings it was rendered under, ErrNotFound, or a
// *DamagedError. Only the list part is read and checked.
func (d *Docs) List(tx Reader, key Pair) (Doc, error) { return d.get(tx.reader(), key, false) }

// Get is the document, ErrNotFound, or a *DamagedError.
func (d *Docs) Get(tx Reader, key Pair) (Doc, error) { return d.get(tx.reader(), key, true) }

func (d *Docs) get(tx *Tx, key Pair, full bool) (Doc, error) {
	k := pairKeys.enc(key)
	v := tx.value(d.bucketName(), k)
	if v == nil {
		return Doc{}, ErrNotFound
	}
	bad := func(why string) (Doc, error) {
		return Doc{}, &DamagedError{d.bucketName(), bytes.Clone(k), why}
	}
	if len(v) < docsHead+4 || v[0] != docsFormat {
		return bad("its form is wrong")
	}
	doc := Doc{Settings: binary.BigEndian.Uint64(v[1:])}
	n, sum := int(binary.BigEndian.Uint32(v[9:])), binary.BigEndian.Uint32(v[13:])
	if n > len(v)-docsHead-4 {
		return bad("its length is wrong")
	}
	doc.List = v[docsHead : docsHead+n]
	if docSum(k, doc.List) != sum {
		return bad("its checksum is wrong")
	}
	if !full {
		return doc, nil
	}
	rest := v[docsHead+n:]
	doc.Full = rest[4:]
	if docSum(k, doc.Full) != binary.BigEndian.Uint32(rest) {
		return bad("its checksum is wrong")
	}
	return doc, nil
}

// Stale lists up to n keys after one, in order, whose documents were rendered under
// other settings or have a form that this program does not read.
func (d *Docs) Stale(tx *Tx, after Pair, settings uint64, n int) (keys []Pair) {
	c := tx.bucket(d.bucketName()).Cursor()
	for k, v := c.Seek(pairKeys.enc(Pair{after.A, after.B + 1})); k != nil && len(keys) < n; k, v = c.Next() {
		if len(v) < docsHead+4 || v[0] != docsFormat || binary.BigEndian.Uint64(v[1:]) != settings {
			keys = append(keys, pairKeys.dec(k))
		}
	}
	return keys
}
