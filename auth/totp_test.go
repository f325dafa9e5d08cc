package auth

import (
	"strings"
	"testing"
	"time"
)

// The values of RFC 6238, appendix B, of which our codes are the last six digits.
func TestCodes(t *testing.T) {
	secret := []byte("12345678901234567890")
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037", 20000000000: "353130"} {
		if got := codeAt(secret, at/codeStep); got != want {
			t.Errorf("at %d the code is %s, want %s", at, got, want)
		}
	}
	text := base32Plain.EncodeToString(secret)
	now := time.Unix(1111111109, 0)
	for off, good := range map[time.Duration]bool{0: true, 30 * time.Second: true, -30 * time.Second: true, 61 * time.Second: false, -61 * time.Second: false} {
		if got := codeStepOf(text, "081804", 0, now.Add(off)) != 0; got != good {
			t.Errorf("%v off the code is good: %v", off, got)
		}
	}
	step := codeStepOf(text, "081804", 0, now)
	if codeStepOf(text, "081804", step, now) != 0 || codeStepOf(text, codeAt(secret, step-1), step, now) != 0 {
		t.Error("a code is good twice, or after a later one")
	}
	for _, wrong := range []string{"", "81804", "0818040", "08180x", strings.Repeat("0", 1000)} {
		if codeStepOf(text, wrong, 0, now) != 0 {
			t.Errorf("%q is a code", wrong)
		}
	}
	if got := CodeAddress("ABC", "A: repository", "ada@example.org"); got != "otpauth://totp/A%20%20repository:ada@example.org?secret=ABC&issuer=A++repository" {
		t.Error(got)
	}
}
