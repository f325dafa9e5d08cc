//go:build !memory

package world

// tags are the build tags of the program that the tests talk to.
const tags = hooks

// lasting says that the store outlives the program.
const lasting = true
