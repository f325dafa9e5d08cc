package auth

import (
	_ "embed"
	"strings"
	"sync"

	"alcove/record"
)

//go:embed common.txt
var commonText string

// commonPasswords are passwords that are tried first, in small letters; common.txt says where they come from.
var commonPasswords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(commonText) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			all[line] = true
		}
	}
	return all
})

// Common reports whether a password is one that is tried first: one of many people, a piece that repeats, a run such as 123456789012,
// or the mail address.
func Common(password, email string) bool {
	p := strings.ToLower(strings.TrimSpace(password))
	period := strings.Index((p + p)[min(1, len(p)):], p) + 1
	return commonPasswords()[p] || period <= len(p)/2 && period < MinPassword || isRun(p) || email != "" && p == record.FoldEmail(email)
}

// isRun reports whether nearly every character is beside the one before it, or the same.
func isRun(p string) bool {
	r, breaks := []rune(p), 0
	for i := 1; i < len(r); i++ {
		if d := r[i] - r[i-1]; d < -1 || d > 1 {
			breaks++
		}
	}
	return len(r) > 1 && breaks <= len(r)/6
}
