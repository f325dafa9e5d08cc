package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"alcove/blobs"
	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/files"
	"alcove/bucket/identity"
	"alcove/check"
	"alcove/cli/backup"
	"alcove/cli/command"
)

// repairHere checks a data directory that no server uses, and repairs what it finds: blobs as
// they are found, and then the database, of which a new one is made beside the damaged one when
// something in it is wrong. The report is that of a second check, together with what the first
// one has found and the second one has not.
func repairHere(ctx context.Context, dir string, t checkTask) (check.Report, error) {
	t.Restart = true
	first, err := checkHere(ctx, dir, t)
	if err != nil || first.State != check.Done || !ofDatabase(first) {
		return first, err
	}
	told, err := bucket.RepairFile(ctx, dir)
	for _, line := range told {
		fmt.Fprintln(os.Stderr, line)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return first, nil
	}
	t.Repair, t.From = false, ""
	second, err := checkHere(ctx, dir, t)
	if err != nil {
		return first, err
	}
	return together(first, second), nil
}

// ofDatabase reports whether something in the database is wrong.
func ofDatabase(r check.Report) bool {
	for _, p := range r.Problems {
		switch p.Kind {
		case damage.OfPage, damage.OfRecord, damage.OfDocument, damage.OfIndex, damage.OfSetting, damage.OfLog:
			return true
		}
	}
	return false
}

// together is a second report with what only the first one has: that was repaired.
func together(first, second check.Report) check.Report {
	type what struct{ kind, table, key, sha string }
	of := func(p check.Problem) what { return what{p.Kind, p.Table, p.Key, p.SHA256} }
	still := map[what]bool{}
	for _, p := range second.Problems {
		still[of(p)] = true
	}
	for _, p := range first.Problems {
		if still[of(p)] && p.Page == nil {
			continue
		}
		p.Repaired = true
		second.Problems = append(second.Problems, p)
		second.Found++
		second.Repaired++
	}
	return second
}

// rebuilt is what a rebuild came to.
type rebuilt struct {
	Restored *backup.Restored `json:"restored"`
	Aside    string           `json:"aside"`   // the name that another repository's database got, empty when there was none
	Unnamed  []unnamed        `json:"unnamed"` // the first blobs that nothing names
	Count    int64            `json:"unnamed_count"`
	Bytes    int64            `json:"unnamed_bytes"`
}

// unnamed is a blob that no record names: of something that was stored after the backup, mostly.
type unnamed struct {
	SHA256   string    `json:"sha256"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

// unnamedMost bounds how many are listed.
const unnamedMost = 10_000

// rebuild makes the database of a data directory again that has lost it, of the newest snapshot of
// a backup, with all records and documents that were frozen in it. Blobs that are there stay,
// those that are missing come from the backup. Records stored after it are not in it: the blobs
// that nothing names are listed, and the sweeper leaves them until an operator allows it.
func rebuild(ctx context.Context, dir, from string, asJSON bool) error {
	r := rebuilt{Unnamed: []unnamed{}}
	id, err := identity.Read(dir)
	if err != nil {
		return err
	}
	if r.Aside, err = clearDatabase(dir); err != nil {
		return err
	}
	for _, derived := range []string{"index", "thumbs"} { // they may know of what came after the backup
		if err := os.RemoveAll(filepath.Join(dir, derived)); err != nil {
			return fmt.Errorf("cannot rebuild: %w", err)
		}
	}
	show := progressLine()
	o := backup.Restores{Rebuild: true, Partial: true, Note: func(r backup.Restored) {
		show(false, "%d of %d files, %d MiB ", r.Blobs, r.Manifest.Blobs, r.Bytes>>20)
	}}
	if id != nil {
		o.Repository = id.ID
	}
	if r.Restored, err = backup.Restore(ctx, from, dir, o); err != nil {
		return err
	}
	show(true, "%d of %d files, %d MiB ", r.Restored.Blobs, r.Restored.Manifest.Blobs, r.Restored.Bytes>>20)
	if err := r.findUnnamed(ctx, dir); err != nil {
		return err
	}
	if asJSON {
		return command.PrintJSON(r)
	}
	return r.print()
}

// clearDatabase puts another repository's database aside. One that belongs there is not touched: it
// is repaired, not rebuilt.
func clearDatabase(dir string) (aside string, err error) {
	err = identity.Admit(dir)
	switch {
	case errors.Is(err, identity.ErrLost), errors.Is(err, identity.ErrUnfinished):
		return "", nil
	case err != nil:
		return "", err
	}
	db, err := bucket.OpenToCheck(dir)
	if err == nil {
		err = db.Close()
	}
	if !errors.Is(err, identity.ErrOther) {
		return "", errors.Join(fmt.Errorf("cannot rebuild %s: it has its database; alcove check --repair repairs one that is damaged", dir), err)
	}
	aside = bucket.FileName + ".other-" + time.Now().UTC().Format("20060102T150405.000000000Z")
	if err := os.Rename(filepath.Join(dir, bucket.FileName), filepath.Join(dir, aside)); err != nil {
		return "", fmt.Errorf("cannot put another repository's database aside: %w", err)
	}
	return aside, nil
}

// findUnnamed lists the blobs that no record names.
func (r *rebuilt) findUnnamed(ctx context.Context, dir string) (err error) {
	db, err := bucket.Open(dir, bucket.Options{Existing: true})
	if err != nil {
		return unusable(dir, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	store, err := blobdir.Open(dir)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Walk(ctx, func(e blobs.Entry) error {
		if e.Ref.IsZero() {
			return nil
		}
		named := false
		err := db.View(func(tx *bucket.Tx) error {
			_, named = files.ByBlob.First(tx, bucket.SortKey(e.Ref.String()))
			return nil
		})
		if err != nil || named {
			return err
		}
		if r.Count, r.Bytes = r.Count+1, r.Bytes+e.Size; len(r.Unnamed) < unnamedMost {
			r.Unnamed = append(r.Unnamed, unnamed{e.Ref.String(), e.Size, e.Modified.UTC().Truncate(time.Second)})
		}
		return nil
	})
}

func (r *rebuilt) print() error {
	rows := [][]any{}
	for _, u := range r.Unnamed {
		rows = append(rows, []any{u.SHA256, u.Size, u.Modified})
	}
	if len(rows) > 0 {
		if err := command.PrintTable([]string{"NAMED BY NOTHING", "BYTES", "STORED"}, rows); err != nil {
			return err
		}
	}
	if err := printDamage(r.Restored.Problems); err != nil {
		return err
	}
	if r.Aside != "" {
		fmt.Fprintln(os.Stderr, "another repository's database was there; it is now", r.Aside)
	}
	fmt.Fprintf(os.Stderr, "rebuilt of %s: %d changes, %d files of %d bytes; %d files of %d bytes are named by nothing, and stay until alcove sweep allow\n",
		r.Restored.Manifest.Snapshot, r.Restored.Manifest.Sequence, r.Restored.Blobs, r.Restored.Bytes, r.Count, r.Bytes)
	return nil
}
