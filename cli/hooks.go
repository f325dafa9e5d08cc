//go:build hooks

package cli

import (
	"os"
	"time"

	"alcove/bucket/clock"
)

// The build for tests can have a clock that is ahead, or behind. The released build has nothing of it.
func init() {
	if off, err := time.ParseDuration(os.Getenv("TEST_CLOCK_OFF")); err == nil {
		clock.Wall = func() time.Time { return time.Now().Add(off) }
	}
}
