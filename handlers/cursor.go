package handlers

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"

	"github.com/google/uuid"

	"alcove/record"
)

// position is a place in an ordered list: behind the item with this id, whose sort key
// begins with this number.
type position struct{ at, id uint64 }

// A cursor is one block of AES-128 in the shape of a UUID: five bytes of the sort key,
// five of the id, and six zeros that tell a cursor from anything else. The key is made
// from a secret of the server and the query, so a cursor of another query does not open
// (decision 10).
const (
	cursorBits  = 40
	cursorCheck = 6 // bytes of zeros
)

// first is the place before everything.
func first(ascending bool) position {
	if ascending {
		return position{}
	}
	return position{1<<cursorBits - 1, 1<<cursorBits - 1}
}

// seal makes the cursors of a query about a kind of items.
func (a *API) seal(kind string, f *filter) (cipher.Block, error) {
	asked := f.ArticleSearch
	asked.Paging, asked.Order, asked.OrderDirection = Paging{}, nil, nil
	query, err := json.Marshal([]any{kind, f.order, f.ascending, asked})
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, a.DB.Secret())
	mac.Write(query)
	return aes.NewCipher(mac.Sum(nil)[:16])
}

func (p position) cursor(seal cipher.Block) string {
	var b [aes.BlockSize]byte
	put40(b[0:], p.at)
	put40(b[5:], p.id)
	seal.Encrypt(b[:], b[:])
	return uuid.UUID(b).String()
}

var errCursor = record.Wrong("X-Cursor", "is not a cursor of this query")

func readCursor(seal cipher.Block, text string) (position, error) {
	const length = 36
	if len(text) != length {
		return position{}, errCursor
	}
	b, err := uuid.Parse(text)
	if err != nil {
		return position{}, errCursor
	}
	seal.Decrypt(b[:], b[:])
	if !bytes.Equal(b[aes.BlockSize-cursorCheck:], make([]byte, cursorCheck)) {
		return position{}, errCursor
	}
	return position{get40(b[0:]), get40(b[5:])}, nil
}

func put40(b []byte, n uint64) {
	b[0] = byte(n >> 32)
	binary.BigEndian.PutUint32(b[1:], uint32(n))
}

func get40(b []byte) uint64 { return uint64(b[0])<<32 | uint64(binary.BigEndian.Uint32(b[1:])) }
