package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"
)

// Bounds of a password, in characters and in bytes.
const (
	MinPassword = 12
	MaxPassword = 1024
)

// The parameters of argon2id (RFC 9106; the smaller recommendation of OWASP): 19 MiB and some 20 ms.
const (
	argonTime, argonMemory, argonLanes = 2, 19 << 10, 1
	argonKey, argonSalt                = 32, 16
)

// Bounds of the parameters in a stored hash: beyond them it is damaged, or would take the machine.
const maxTime, maxMemory, maxLanes = 16, 256 << 10, 16

// ErrBusy says that so many passwords are waiting to be checked that this one would wait too long.
var ErrBusy = errors.New("too many passwords are being checked")

// hashing lets half of the processors check passwords at a time, so that many people who sign in at
// once leave the others to those who read, and the memory for it is bounded.
var hashing = make(chan struct{}, max(1, runtime.NumCPU()/2))

// hashPatience is how long a password may wait for its turn.
const hashPatience = 15 * time.Second

// bounded runs work when it is its turn.
func bounded(ctx context.Context, work func()) error {
	late := time.NewTimer(hashPatience)
	defer late.Stop()
	select {
	case hashing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		return ErrBusy
	}
	defer func() { <-hashing }()
	work()
	return nil
}

// HashPassword is the argon2id hash of a password in PHC form.
func HashPassword(password string) string {
	salt := make([]byte, argonSalt)
	rand.Read(salt)
	key := argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, argonKey)
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonLanes, b64(salt), b64(key))
}

func hashBounded(ctx context.Context, password string) (hash string, err error) {
	err = bounded(ctx, func() { hash = HashPassword(password) })
	return hash, err
}

// parsed is a hash in PHC form.
type parsed struct {
	time, memory uint32
	lanes        uint8
	salt, key    []byte
}

// parse reads what HashPassword writes, with any parameters within bounds.
func parse(hash string) (p parsed, ok bool) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, false
	}
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.time, &p.lanes); err != nil || n != 3 {
		return p, false
	}
	if p.memory == 0 || p.memory > maxMemory || p.time == 0 || p.time > maxTime || p.lanes == 0 || p.lanes > maxLanes {
		return p, false
	}
	var saltErr, keyErr error
	p.salt, saltErr = base64.RawStdEncoding.DecodeString(parts[4])
	p.key, keyErr = base64.RawStdEncoding.DecodeString(parts[5])
	return p, saltErr == nil && keyErr == nil && len(p.salt) >= 8 && len(p.key) >= 16 && len(p.key) <= 64
}

// checkPassword reports whether a password is the one of a hash, and whether that was made with other
// parameters than those of today. Without a hash it does the same work for nothing, so that time
// does not tell which accounts there are.
func checkPassword(ctx context.Context, hash, password string) (right, old bool, err error) {
	p, ok := parse(hash)
	if !ok {
		p = parsed{time: argonTime, memory: argonMemory, lanes: argonLanes, salt: make([]byte, argonSalt), key: make([]byte, argonKey)}
	}
	if len(password) > MaxPassword {
		password = "" // no account has such a one
		ok = false
	}
	err = bounded(ctx, func() {
		key := argon2.IDKey([]byte(password), p.salt, p.time, p.memory, p.lanes, uint32(len(p.key)))
		right = subtle.ConstantTimeCompare(key, p.key) == 1 && ok
	})
	return right, p.time != argonTime || p.memory != argonMemory || p.lanes != argonLanes || len(p.key) != argonKey, err
}
