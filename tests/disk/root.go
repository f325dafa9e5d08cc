// Package disk is files of tests: where those of the repository are, how one is written, copied and damaged, and
// bytes and pictures to fill it with.
package disk

import (
	"os"
	"path/filepath"
)

// Root is a path in the repository: a test runs in the folder of its package.
func Root(names ...string) string {
	return filepath.Join(append([]string{top}, names...)...)
}

// Testdata is a path in tests/testdata.
func Testdata(names ...string) string {
	return Root(append([]string{"tests", "testdata"}, names...)...)
}

// top is the folder of the repository, with go.mod in it.
var top = findTop()

func findTop() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return "" // of a program that a test has started elsewhere: it reads nothing of the repository
		}
	}
}
