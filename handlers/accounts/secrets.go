package accounts

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"golang.org/x/crypto/argon2"
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

// Parameters of argon2id (RFC 9106; OWASP's smaller recommendation).
const (
	argonTime, argonMemory, argonLanes = 2, 19 << 10, 1
	argonKey, argonSalt                = 32, 16
)

// HashPassword is the argon2id hash of a password in PHC form.
func HashPassword(password string) string {
	salt := make([]byte, argonSalt)
	rand.Read(salt)
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, argonKey)
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonLanes, b64(salt), b64(key))
}
