//go:build !race

package sandbox

import "time"

const wall = 10 * time.Second // that a child runs; the processor time is the limit that counts, where the machine has time
