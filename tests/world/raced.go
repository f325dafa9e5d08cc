//go:build race

package world

const raced = true // the tests have the race detector
