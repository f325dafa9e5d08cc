package backup

import (
	"context"
	"fmt"
	"os"
	"slices"

	"alcove/bucket/damage"
)

// FindRecord looks for a record in the snapshots below path, the newest first, that right says is the
// one, and tells in which it was. It fails with damage.ErrBeyondRepair where none has it.
//
// It takes no lock, so that it waits for no backup that is being made: whatever has the name of a
// snapshot is whole, and one that is removed meanwhile stays readable once it is open.
func FindRecord(ctx context.Context, path, table string, key []byte, right func([]byte) bool) (payload []byte, where string, err error) {
	if path == "" {
		return nil, "", damage.ErrBeyondRepair
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, "", fmt.Errorf("%w: the backups cannot be opened: %w", damage.ErrBeyondRepair, err)
	}
	d := &dest{path: path, root: root}
	defer d.close()
	whole, _, err := d.names()
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", damage.ErrBeyondRepair, err)
	}
	for _, snapshot := range slices.Backward(whole) {
		if ctx.Err() != nil {
			return nil, "", context.Cause(ctx)
		}
		cp, err := d.openCopy(snapshot)
		if err != nil {
			continue // another may have it
		}
		payload, err = cp.Record(table, key, right)
		if cp.Close(); err == nil {
			return payload, "the backup " + snapshot, nil
		}
	}
	return nil, "", damage.ErrBeyondRepair
}
