package dir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"alcove/blobs"
)

// Link gives a blob of size bytes another name, at a path of the system where nothing is: the bytes of a blob never
// change, so that both may have them. From then on the file can be read only: an editor that writes into the file that it has
// open would change the blob. It does not sync the name. Where the file system cannot, as it is another one, the
// error is errors.ErrUnsupported, and the caller copies. The errors of the blob are those of Read.
func (s *Store) Link(ref blobs.Ref, size int64, to string) error {
	info, err := s.lstat(ref)
	switch {
	case err != nil:
		return err
	case info.Size() != size:
		return fmt.Errorf("cannot link blob %s: it has %d bytes and should have %d: %w", ref, info.Size(), size, blobs.ErrDamaged)
	case s.isDamaged(ref, info):
		return fmt.Errorf("cannot link blob %s: it was found damaged before: %w", ref, blobs.ErrDamaged)
	}
	if info.Mode().Perm()&0o222 != 0 && runtime.GOOS != "windows" { // there a file that can be read only cannot be removed
		if err := s.root.Chmod(pathOf(ref), 0o400); err != nil {
			return fmt.Errorf("cannot protect blob %s: %w", ref, bare(err))
		}
	}
	if err := os.Link(filepath.Join(s.root.Name(), filepath.FromSlash(pathOf(ref))), to); err != nil {
		return fmt.Errorf("%w: cannot link blob %s: %w", errors.ErrUnsupported, ref, bare(err))
	}
	return nil
}
