//go:build !race

package world

// Raced says that the tests have the race detector.
const Raced = false
