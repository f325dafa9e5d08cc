//go:build race

package sandbox

import "time"

const wall = time.Minute // the race detector makes a child many times slower, and tests keep the machine busy
