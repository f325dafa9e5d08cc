//go:build race

package record

// slow is how many times longer things may take here than in a plain build.
const slow = 10
