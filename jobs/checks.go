package jobs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/handlers/items"
	"alcove/record"
	"alcove/uploads"
)

// retryChecks is how long a file waits whose check failed for the disk's sake.
const retryChecks = 5 * time.Second

// checkQueues are the sizes in bytes up to which files are checked together, one after another:
// no file waits for one that is very much larger. A check takes a core.
var checkQueues = [...]int64{16 << 20, 1 << 30, uploads.MaxSize}

// queueFor is where a file of a size is checked.
func queueFor(size int64) int {
	n := 0
	for size > checkQueues[n] && n < len(checkQueues)-1 {
		n++
	}
	return n
}

// CheckSoon has files of a size checked that have been completed.
func (j *Jobs) CheckSoon(size int64) { wake(j.checking[queueFor(size)]) }

// checkUploads verifies completed uploads of one lane, one after another: it reads every byte
// back from the disk and only then makes the file available. It goes on after a restart where
// it was. It ends with its context.
func (j *Jobs) checkUploads(n int) func(context.Context) {
	return func(ctx context.Context) {
		for ctx.Err() == nil {
			if j.checkDue(ctx, n) {
				continue
			}
			select {
			case <-j.checking[n]:
			case <-time.After(retryChecks): // what failed for the disk's sake is tried again
			case <-ctx.Done():
			}
		}
	}
}

// checkDue checks every file of a lane that is due now, and reports whether there may be more.
func (j *Jobs) checkDue(ctx context.Context, n int) (again bool) {
	var due []int64
	err := j.DB.View(func(tx *bucket.Tx) error {
		for hit := range files.Checking.Ascending(tx, nil) {
			if queueFor(bucket.SortedInt(hit.Value)) != n {
				continue
			}
			if due = append(due, hit.Key); len(due) == 1000 {
				break
			}
		}
		return nil
	})
	if err != nil {
		j.Log.Error("cannot list files to check", "error", err)
		return false
	}
	for _, id := range due {
		if ctx.Err() != nil {
			return false
		}
		err := j.checkFile(ctx, id)
		if errors.Is(err, uploads.ErrLocked) {
			continue // by a request that came too late; its release wakes the checks
		}
		if err != nil {
			j.Log.Error("cannot check a file", "file", id, "error", err)
			continue
		}
		again = true
	}
	return again
}

// checkFile takes one file from ic_checking to available, to ic_failed, or back to
// created when parts must be sent again.
func (j *Jobs) checkFile(ctx context.Context, id int64) error {
	var f *record.File
	var crcs []uint32 // of each part
	var there []bool
	err := j.DB.View(func(tx *bucket.Tx) (err error) {
		if f, err = files.Files.Get(tx, id); err != nil {
			return err
		}
		count := uploads.NewLayout(f.Size).Count()
		crcs, there = make([]uint32, count), make([]bool, count)
		for row, err := range files.Parts.All(tx, bucket.Prefix(id)) {
			if err != nil {
				return err
			}
			if n := int(row.Key.B) - 1; n < count {
				crcs[n], there[n] = row.Record.CRC32C, true
			}
		}
		return nil
	})
	if errors.Is(err, bucket.ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	frozen, err := j.Uploads.Freeze(f.Token)
	if errors.Is(err, uploads.ErrRemoved) {
		return nil
	}
	if err != nil {
		return err
	}
	defer frozen.Release()
	if f.Status == record.FileMoving {
		return j.moveFile(ctx, frozen, f)
	}
	recorded := func(n int) (uint32, bool) { return crcs[n-1], there[n-1] }
	sums, head, err := frozen.Verify(ctx, uploads.NewLayout(f.Size), recorded)
	var damaged *uploads.PartDamaged
	switch {
	case errors.As(err, &damaged):
		return j.reopen(ctx, id, record.FileChecking, damaged)
	case errors.Is(err, uploads.ErrNotStaged):
		return j.reopen(ctx, id, record.FileChecking, &uploads.PartDamaged{Parts: allParts(f.Size)})
	case errors.Is(err, uploads.ErrRemoved):
		return nil
	case errors.Is(err, blobs.ErrDamaged):
		return j.failFile(ctx, f, "", "the server's copy of the bytes was damaged")
	case err != nil:
		return err
	}
	if md5 := sums.MD5.String(); f.SuppliedMD5 != "" && f.SuppliedMD5 != md5 {
		return j.failFile(ctx, f, md5, fmt.Sprintf("the md5 of the bytes received is %s, announced was %s", md5, f.SuppliedMD5))
	}
	f, err = j.changeFile(ctx, id, record.FileChecking, func(tx *bucket.Tx, f *record.File) error {
		f.Status = record.FileMoving
		f.MD5, f.SHA256, f.CRC32 = sums.MD5.String(), sums.SHA256.String(), sums.CRC32
		f.MIME = uploads.DetectType(head, f.Name)
		return nil
	})
	if err != nil || f == nil {
		return err
	}
	return j.moveFile(ctx, frozen, f)
}

// moveFile moves verified bytes among the blobs and makes the file available.
func (j *Jobs) moveFile(ctx context.Context, frozen *uploads.Frozen, f *record.File) error {
	ref, err := blobs.ParseRef(f.SHA256)
	if err != nil {
		return fmt.Errorf("cannot move file %d: %w", f.ID, err)
	}
	if err := frozen.Commit(ctx, blobs.Sums{Size: f.Size, SHA256: ref, CRC32: f.CRC32}); err != nil {
		if errors.Is(err, uploads.ErrRemoved) {
			return nil
		}
		if errors.Is(err, fs.ErrNotExist) { // the bytes are nowhere, as after a restore: no backup has them
			return j.reopen(ctx, f.ID, record.FileMoving, &uploads.PartDamaged{Parts: allParts(f.Size)})
		}
		return fmt.Errorf("cannot move file %d: %w", f.ID, err)
	}
	_, err = j.changeFile(ctx, f.ID, record.FileMoving, func(tx *bucket.Tx, f *record.File) error {
		f.Status = record.FileAvailable
		return items.ClearParts(tx, f.ID)
	})
	wake(j.pictures)
	return err
}

// failFile ends an upload whose bytes are not what was announced. md5 is empty when it is
// not known.
func (j *Jobs) failFile(ctx context.Context, f *record.File, md5, why string) error {
	done, err := j.changeFile(ctx, f.ID, record.FileChecking, func(tx *bucket.Tx, f *record.File) error {
		f.Status, f.Failure, f.MD5 = record.FileFailed, why, md5
		if err := j.Items.Notify(tx, record.Mail{Kind: record.NoticeFile, AccountID: f.AccountID, ItemID: f.ID}); err != nil {
			return err
		}
		return items.ClearParts(tx, f.ID)
	})
	if err == nil && done != nil {
		j.DropStaged(done)
	}
	return err
}

// reopen makes an upload take the parts again that are damaged on the disk.
func (j *Jobs) reopen(ctx context.Context, id int64, from record.FileStatus, damaged *uploads.PartDamaged) error {
	j.Log.Error("parts of an upload are damaged on the disk", "file", id, "parts", len(damaged.Parts))
	_, err := j.changeFile(ctx, id, from, func(tx *bucket.Tx, f *record.File) error {
		f.Status, f.MD5, f.SHA256, f.CRC32 = record.FileCreated, "", "", 0
		f.Failure = fmt.Sprintf("%d parts were damaged on the server's disk and must be sent again", len(damaged.Parts))
		for _, n := range damaged.Parts {
			key := bucket.Pair{A: id, B: int64(n)}
			if files.Parts.Has(tx, key) {
				if err := files.Parts.Delete(tx, key); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return err
}

func allParts(size int64) []int {
	parts := []int{}
	for n := range uploads.NewLayout(size).Count() {
		parts = append(parts, n+1)
	}
	return parts
}

// changeFile changes a file that is still in a state, and returns it; nil when it was
// deleted or moved on.
func (j *Jobs) changeFile(ctx context.Context, id int64, in record.FileStatus, change func(*bucket.Tx, *record.File) error) (changed *record.File, err error) {
	err = j.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
		changed = nil
		f, err := files.Files.Get(tx, id)
		if errors.Is(err, bucket.ErrNotFound) || err == nil && (f.Status != in || f.Dropped) {
			return nil
		}
		if err != nil {
			return err
		}
		f.Modified = tx.Now()
		if err := change(tx, f); err != nil {
			return err
		}
		if err := files.Files.Put(tx, id, f); err != nil {
			return err
		}
		changed = f
		return nil
	})
	return changed, err
}
