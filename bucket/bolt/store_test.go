package bolt

import (
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"alcove/bucket/kv"
)

func openStore(t testing.TB) *Store {
	t.Helper()
	b, err := bbolt.Open(filepath.Join(t.TempDir(), "db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return &Store{DB: b}
}

// The kernel may refuse the first page of a commit before the file system says that it can only be
// read. A commit whose meta was written, and one that failed otherwise, may be there.
func TestUncommitted(t *testing.T) {
	s := openStore(t)
	next := s.newest() + 1
	for _, test := range []struct {
		err  error
		id   int
		want bool
	}{{syscall.EROFS, next, true}, {syscall.EROFS, next - 1, false}, {syscall.EIO, next, false}} {
		err := s.uncommitted(fmt.Errorf("cannot: %w", test.err), 0, test.id)
		if errors.Is(err, kv.ErrReadOnly) != test.want {
			t.Errorf("%v of commit %d: %v", test.err, test.id, err)
		}
	}
}
