//go:build !race

package world

const raced = false // the tests have the race detector
