package handlers

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"github.com/google/uuid"

	"alcove/bucket"
	"alcove/record"
)

// position is a place in an ordered list: behind the item with this id, whose sort key
// begins with this number: Unix seconds, which are negative before 1970, or a count.
type position struct {
	at int64
	id uint64
}

// A cursor is one block of AES-128 in the shape of a UUID: five bytes of the sort key,
// five of the id, and six that name the query. The key is a secret of the server, so nobody
// can make a cursor, and that of one query is none of another (decision 10).
const cursorBits = 40

const cursorHeader = "X-Cursor"

// least is the least number that a cursor has room for, some 17,000 years before 1970.
const least = bucket.NoTime

// seal makes the cursors of a query.
type seal struct {
	block cipher.Block
	query [6]byte // its name
}

// first is the place before everything.
func first(ascending bool) position {
	if ascending {
		return position{at: least}
	}
	return position{-least - 1, 1<<cursorBits - 1}
}

// sealWith is what a store with a secret makes cursors with.
func sealWith(secret []byte) cipher.Block {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("cursor 2")) // 1 had no dates before 1970
	block, err := aes.NewCipher(mac.Sum(nil)[:16])
	if err != nil {
		panic(err) // the key is of a right length
	}
	return block
}

// seal makes the cursors of a query about a kind of items.
func (a *API) seal(kind string, f *filter) seal {
	var buf [256]byte
	sum := sha256.Sum256(f.appendQuery(append(append(buf[:0], kind...), 0)))
	return seal{a.cursors, [6]byte(sum[:])}
}

// appendQuery appends what a filter asks for, paging apart, so that no two filters that
// ask for something else append the same.
func (f *filter) appendQuery(b []byte) []byte {
	b = append(append(b, f.order...), 0)
	if f.ascending {
		b = append(b, 1)
	}
	b = append(b, 0)
	for _, text := range [...]*string{f.SearchFor, f.PublishedSince, f.ModifiedSince, f.ResourceDOI, f.DOI, f.Handle} {
		if b = append(b, 0); text != nil {
			b[len(b)-1] = 1
			b = append(binary.AppendUvarint(b, uint64(len(*text))), *text...)
		}
	}
	for _, n := range [...]*int64{f.Institution, f.Group, f.ItemType, f.ProjectID} {
		if b = append(b, 0); n != nil {
			b[len(b)-1] = 1
			b = binary.BigEndian.AppendUint64(b, uint64(*n))
		}
	}
	return b
}

func (p position) cursor(s seal) string {
	var b [aes.BlockSize]byte
	put40(b[0:], uint64(p.at))
	put40(b[5:], p.id)
	copy(b[10:], s.query[:])
	s.block.Encrypt(b[:], b[:])
	return uuid.UUID(b).String()
}

// from is the place behind which a list goes on: that of the request's cursor, otherwise the
// first. A cursor goes with neither page nor offset (specification 4.1).
func (c *Call) from(p Paging, s seal, first position) (position, error) {
	text := c.Header.Get(cursorHeader)
	if text == "" {
		return first, nil
	}
	if p.Page != nil || p.Offset != nil {
		return first, record.ErrCursorMix
	}
	return readCursor(s, text)
}

var errCursor = record.Wrong("X-Cursor", "is not a cursor of this query")

func readCursor(s seal, text string) (position, error) {
	const length = 36
	if len(text) != length {
		return position{}, errCursor
	}
	b, err := uuid.Parse(text)
	if err != nil {
		return position{}, errCursor
	}
	s.block.Decrypt(b[:], b[:])
	if [6]byte(b[10:]) != s.query {
		return position{}, errCursor
	}
	const sign = 64 - cursorBits
	return position{int64(get40(b[0:])<<sign) >> sign, get40(b[5:])}, nil
}

func put40(b []byte, n uint64) {
	b[0] = byte(n >> 32)
	binary.BigEndian.PutUint32(b[1:], uint32(n))
}

func get40(b []byte) uint64 { return uint64(b[0])<<32 | uint64(binary.BigEndian.Uint32(b[1:])) }
