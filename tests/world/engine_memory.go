//go:build memory

package world

// tags are the build tags of the program that the tests talk to: here its store is in memory, so that it has
// nothing of it once it has ended.
const tags = hooks + ",memory"

const lasting = false
