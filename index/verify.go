package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"alcove/index/segments"
)

// verifyAtOnce is how many bytes of an index are checked before it is used; a larger one
// is checked while it is used.
const verifyAtOnce = 256 << 20

// verifySegments removes the damaged segments of a directory before Bleve sees them: it believes
// the lengths that it finds in one, and a wrong one can make it ask for more memory than
// there is, which ends the process. An index that misses a segment does not open, or
// opens as it was before; a segment that a crash has left half written is missed by
// none. It reports false, and does nothing, when there is too much to read at a start.
func verifySegments(ctx context.Context, dir string) (checked bool, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.zap"))
	if err != nil {
		return false, err
	}
	size := int64(0)
	for _, p := range paths {
		if info, err := os.Lstat(p); err == nil {
			size += info.Size()
		}
	}
	if size > verifyAtOnce {
		return false, nil
	}
	for _, p := range paths {
		bad := segments.Verify(ctx, p)
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if bad != nil {
			if err := os.RemoveAll(p); err != nil {
				return false, fmt.Errorf("cannot remove a damaged part of the search index: %w", err)
			}
		}
	}
	return true, nil
}

// segments are the files that the index consists of now.
func (g *generation) segments() ([]string, error) {
	r, err := g.reader()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return segments.Files(r)
}
