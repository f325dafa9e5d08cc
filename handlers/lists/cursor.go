package lists

import (
	"cmp"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"github.com/google/uuid"

	"alcove/bucket/facts"
	"alcove/record"
)

// Position is a place in an ordered list: behind the item with this id, whose sort key
// begins with this number: Unix seconds, which are negative before 1970, or a count.
type Position struct {
	At int64
	ID uint64
}

// A cursor is one block of AES-128 in the shape of a UUID: five bytes of the sort key,
// five of the id, and six that name the query. The key is a secret of the server, so no client
// can make a cursor, and that of one query is none of another.
const cursorBits = 40

// least is the least number that a cursor has room for, some 17,000 years before 1970.
const least = facts.NoTime

// Sealer makes cursors with the secret of a store.
type Sealer struct{ block cipher.Block }

// NewSealer is the sealer of a store with a secret.
func NewSealer(secret []byte) Sealer {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("cursor 2")) // 1 had no dates before 1970
	block, err := aes.NewCipher(mac.Sum(nil)[:16])
	if err != nil {
		panic(err) // the key is of a right length
	}
	return Sealer{block}
}

// Seal makes the cursors of one query.
type Seal struct {
	block cipher.Block
	query [6]byte // its name
}

// query is the seal of a query with a name.
func (s Sealer) query(name []byte) Seal {
	sum := sha256.Sum256(name)
	return Seal{s.block, [6]byte(sum[:])}
}

// first is the place before everything.
func first(ascending bool) Position {
	if ascending {
		return Position{At: least}
	}
	return Position{-least - 1, 1<<cursorBits - 1}
}

// Cursor is the cursor of the page behind a position.
func (s Seal) Cursor(p Position) string {
	var b [aes.BlockSize]byte
	put40(b[0:], uint64(p.At))
	put40(b[5:], p.ID)
	copy(b[10:], s.query[:])
	s.block.Encrypt(b[:], b[:])
	return uuid.UUID(b).String()
}

// Request is what a list is asked for besides a body.
type Request struct {
	Query  Query
	Cursor string // as it came, empty for none
	Sealer Sealer
	Warn   func(key, why string) // told what of a request has no effect
}

// page is the part of a list that is asked for, and the position that it begins behind: that of the
// request's cursor, otherwise the first. A cursor goes with neither page nor offset.
func (r *Request) page(p Paging, b Bounds, seal func() Seal, first Position) (w Window, from Position, err error) {
	if err := p.complete(r.Query); err != nil {
		return w, first, err
	}
	from = first
	if r.Cursor != "" { // to name the query costs more than most of them
		if p.Page != nil || p.Offset != nil {
			return w, first, record.ErrCursorMix
		}
		if from, err = seal().open(r.Cursor); err != nil {
			return w, first, err
		}
	}
	w, err = p.window(b)
	return w, from, err
}

var errCursor = record.Wrong("X-Cursor", "is not a cursor of this query")

func (s Seal) open(cursor string) (Position, error) {
	const length = 36
	if len(cursor) != length {
		return Position{}, errCursor
	}
	b, err := uuid.Parse(cursor)
	if err != nil {
		return Position{}, errCursor
	}
	s.block.Decrypt(b[:], b[:])
	if [6]byte(b[10:]) != s.query {
		return Position{}, errCursor
	}
	const sign = 64 - cursorBits
	return Position{int64(get40(b[0:])<<sign) >> sign, get40(b[5:])}, nil
}

func put40(b []byte, n uint64) {
	b[0] = byte(n >> 32)
	binary.BigEndian.PutUint32(b[1:], uint32(n))
}

func get40(b []byte) uint64 { return uint64(b[0])<<32 | uint64(binary.BigEndian.Uint32(b[1:])) }

// compare orders positions; ties are by id.
func compare(a, b Position, ascending bool) int {
	if !ascending {
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID))
}

// seal makes the cursors of a query about some items.
func (f *Filter) seal(s Sealer, of string) Seal {
	var buf [256]byte
	return s.query(f.appendQuery(append(append(buf[:0], of...), 0)))
}

// appendQuery appends what a filter asks for, paging apart, so that no two filters that
// ask for something else append the same.
func (f *Filter) appendQuery(b []byte) []byte {
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
