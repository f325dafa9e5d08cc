//go:build !linux

package record

import "time"

// worked is the time that a call takes.
func worked(call func()) time.Duration {
	begun := time.Now()
	call()
	return time.Since(begun)
}
