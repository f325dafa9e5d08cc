package accounts

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// NewToken is a secret of 256 random bits; the prefix lets people and scanners know it.
func NewToken() string {
	var b [32]byte
	rand.Read(b[:])
	return "alc_" + hex.EncodeToString(b[:])
}

// TokenKey is the key under which a token is stored: its SHA-256.
func TokenKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
