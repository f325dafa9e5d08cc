package oai

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"time"

	"alcove/bucket"
)

// tokenLife is how long a resumption token is good.
const tokenLife = 24 * time.Hour

// token is a list and the place where it goes on.
type token struct {
	Verb   string
	span   span
	last   place
	cursor int // how many records came before
}

// sealed is a token as it is written.
type sealed struct {
	Verb    string `json:"v"`
	Prefix  string `json:"p,omitempty"`
	Set     string `json:"s,omitempty"`
	From    int64  `json:"f,omitempty"` // Unix seconds, as those that follow
	Until   int64  `json:"u,omitempty"`
	At      int64  `json:"t,omitempty"`
	Source  int    `json:"n,omitempty"`
	A       int64  `json:"a,omitempty"`
	B       int64  `json:"b,omitempty"`
	Cursor  int    `json:"c"`
	Expires int64  `json:"e"`
}

var badToken = fault{"badResumptionToken", "The token is unknown, of another verb, or has expired"}

// seal is AES-GCM with a key of the store, so that no client can make a token.
func (q *request) seal() cipher.AEAD {
	mac := hmac.New(sha256.New, q.DB.Secret())
	mac.Write([]byte("resumption token 1"))
	block, err := aes.NewCipher(mac.Sum(nil)[:16])
	if err != nil {
		panic(err) // the key is of a right length
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // the block is one of AES
	}
	return gcm
}

// sealToken is the token as text, the same for the same token: its nonce is a hash of what it holds.
func (q *request) sealToken(t *token, expires time.Time) string {
	text, err := json.Marshal(sealed{t.Verb, t.span.prefix, t.span.set, unix(t.span.from), unix(t.span.until), unix(t.last.at), t.last.source, t.last.key.A, t.last.key.B, t.cursor, expires.Unix()})
	if err != nil {
		panic(err) // numbers and texts always encode
	}
	gcm := q.seal()
	mac := hmac.New(sha256.New, q.DB.Secret())
	mac.Write(append([]byte("nonce of a resumption token"), text...))
	nonce := mac.Sum(nil)[:gcm.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(gcm.Seal(nonce, nonce, text, nil))
}

func (q *request) openToken(text string) (*token, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	gcm := q.seal()
	if err != nil || len(b) < gcm.NonceSize() {
		return nil, badToken
	}
	plain, err := gcm.Open(nil, b[:gcm.NonceSize()], b[gcm.NonceSize():], nil)
	var s sealed
	if err != nil || json.Unmarshal(plain, &s) != nil || s.Verb != q.args.Get("verb") || s.Expires < q.at.Unix() || s.Source < 0 || s.Source >= len(sources) {
		return nil, badToken
	}
	return &token{s.Verb, span{s.Prefix, s.Set, date(s.From), date(s.Until)}, place{date(s.At), s.Source, bucket.Pair{A: s.A, B: s.B}}, s.Cursor}, nil
}

// unix is 0 for no time. No record is of the second in which Unix began.
func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func date(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}
