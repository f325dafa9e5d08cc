//go:build !planted

package dir

// plantNoDirSync is a bug that is planted in a build of its own only (planted.go), for the
// crash tests to find.
const plantNoDirSync = false
