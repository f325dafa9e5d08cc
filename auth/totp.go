package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Codes of an authenticator program (TOTP, RFC 6238) with the values that all of them know: SHA-1, six digits,
// half a minute.
const (
	codeStep   = 30 // seconds
	codeDigits = 6
	codeSlack  = 1 // steps that a clock may be off, in either direction
)

var base32Plain = base32.StdEncoding.WithPadding(base32.NoPadding)

// newCodeSecret is a secret of 160 bits in base32, as programs take it.
func newCodeSecret() string {
	var b [20]byte
	rand.Read(b[:])
	return base32Plain.EncodeToString(b[:])
}

// codeAt is the code of a secret in a step of time (RFC 4226, 5.3).
func codeAt(secret []byte, step int64) string {
	mac := hmac.New(sha1.New, secret)
	_ = binary.Write(mac, binary.BigEndian, step) // a hash takes everything
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0xf
	return fmt.Sprintf("%0*d", codeDigits, (binary.BigEndian.Uint32(sum[at:])&0x7fffffff)%1_000_000)
}

// codeStepOf is the step of time whose code of a secret is the one given, among those after last; 0 for none.
func codeStepOf(secret, code string, last int64, now time.Time) int64 {
	key, err := base32Plain.DecodeString(secret)
	if err != nil {
		return 0
	}
	found := int64(0)
	for step := now.Unix()/codeStep - codeSlack; step <= now.Unix()/codeStep+codeSlack; step++ {
		if subtle.ConstantTimeCompare([]byte(codeAt(key, step)), []byte(code)) == 1 && step > last {
			found = step
		}
	}
	return found
}

// CodeAddress is what an authenticator program reads from a picture: the secret, the site, and the account.
func CodeAddress(secret, site, email string) string {
	label := strings.ReplaceAll(site, ":", " ")
	return "otpauth://totp/" + url.PathEscape(label+":"+email) + "?secret=" + secret + "&issuer=" + url.QueryEscape(label)
}

// Recovery codes, each of 80 random bits and good once.
const recoveryCodes = 10

func newRecoveryCode() string {
	var b [10]byte
	rand.Read(b[:])
	text := strings.ToLower(base32Plain.EncodeToString(b[:]))
	return text[:4] + "-" + text[4:8] + "-" + text[8:12] + "-" + text[12:]
}

// recoveryKey is what a recovery code is stored as, however it was typed.
func recoveryKey(code string) string {
	return keyOf("recovery " + strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code)))
}
