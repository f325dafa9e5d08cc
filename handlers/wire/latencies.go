package wire

import (
	"time"

	"alcove/latency"
)

// RequestKinds are what requests are told apart by when it is counted how long they took: what a search takes tells nothing
// of downloads, which take as long as their clients do.
var RequestKinds = []string{"api", "search", "page", "upload", "download"}

// Latencies counts how long requests took, by kind. The zero value has counted none; its methods are safe for concurrent use.
type Latencies struct{ of [5]latency.Histogram }

// Observe counts a request of a kind, given by its place in RequestKinds.
func (l *Latencies) Observe(kind int, took time.Duration) { l.of[kind].Observe(took) }

// Read tells what was counted of a kind.
func (l *Latencies) Read(kind int) latency.Counts { return l.of[kind].Read() }
