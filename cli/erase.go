package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"alcove/blobs"
	blobdir "alcove/blobs/dir"
	"alcove/blobs/thumbs"
	"alcove/bucket"
	"alcove/bucket/compaction"
	"alcove/bucket/identity"
	"alcove/bucket/lock"
	"alcove/check"
	"alcove/cli/backup"
	"alcove/cli/command"
	"alcove/cli/erasure"
	"alcove/config"
	"alcove/jobs/ocfl"
	"alcove/record"
	"alcove/uploads"
)

// erased is what an erasure has done, or would.
type erased struct {
	*erasure.Traces
	Beside  []string        `json:"beside"` // files of the data directory that may have it and stay
	Dest    string          `json:"backups"`
	Holders []backup.Holder `json:"snapshots"`
	Done    bool            `json:"done"`
}

func erasePerson(ctx context.Context, c *command.Command, args []string) error {
	return erase(ctx, c, args, record.ErasePerson)
}

func eraseFile(ctx context.Context, c *command.Command, args []string) error {
	return erase(ctx, c, args, record.EraseFile)
}

// erase tells what there is of a person or a file, and with --yes erases it. To do so needs the server stopped, as the
// database is compacted at the end: its free pages have what was in them.
func erase(ctx context.Context, c *command.Command, args []string, kind string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data", "disk-floor", "backup-dir", "backup-keep", "backup-every", "ocfl-dir")
	yes := fs.Bool("yes", false, "do it, with the server stopped; without, only tell what would be done")
	dest := command.PathFlag(fs, "backups", "where the backups are (default backup_dir), which are told what was erased")
	same, asJSON := new(bool), command.JSONFlag(fs)
	if kind == record.EraseFile {
		same = fs.Bool("same", false, "erase all other files with the same bytes, too")
	}
	if err := c.Parse(fs, args, 1); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	q := erasure.Query{Kind: kind, Account: fs.Arg(0), Same: *same}
	if kind == record.EraseFile {
		if q.File, err = strconv.ParseInt(fs.Arg(0), 10, 64); err != nil || q.File < 1 {
			return fmt.Errorf("%w: FILE is the id of a file", command.ErrUsage)
		}
	}
	out := erased{Dest: cfg.BackupDir, Beside: []string{}, Holders: []backup.Holder{}}
	if *dest != "" {
		out.Dest = *dest
	}
	if out.Traces, err = ask[*erasure.Traces](ctx, cfg.Data, task{Traces: &q}); err != nil {
		return err
	}
	for _, pattern := range []string{bucket.FileName + ".damaged-*", bucket.FileName + ".other-*", "index.aside-*"} {
		some, _ := filepath.Glob(filepath.Join(cfg.Data, pattern))
		out.Beside = append(out.Beside, some...)
	}
	if out.Dest != "" {
		if out.Holders, err = backup.Holders(ctx, out.Dest, out.Blobs, cfg.BackupKeep, cfg.BackupEvery); err != nil {
			return fmt.Errorf("cannot tell which backups have it: %w", err)
		}
	}
	if *yes && out.Refused == "" {
		if err := doErase(ctx, cfg, q, out.Dest); err != nil {
			return err
		}
		out.Done = true
	}
	if *asJSON {
		err = command.PrintJSON(out)
	} else {
		err = printErased(out)
	}
	if err == nil && *yes && out.Refused != "" {
		err = errors.New(out.Refused)
	}
	return err
}

func printErased(e erased) error {
	var rows [][]any
	for _, t := range e.Found {
		what := "goes"
		if t.Stays != "" {
			what = "stays: " + t.Stays
		}
		rows = append(rows, []any{t.Count, t.Where, what})
	}
	if err := command.PrintTable([]string{"COUNT", "WHAT", ""}, rows); err != nil {
		return err
	}
	rows = rows[:0]
	for _, h := range e.Holders {
		rows = append(rows, []any{h.Snapshot, h.Created, h.Blobs, h.Goes})
	}
	if len(rows) > 0 {
		fmt.Println()
		if err := command.PrintTable([]string{"BACKUP THAT HAS IT", "CREATED", "FILES", "GOES ABOUT"}, rows); err != nil {
			return err
		}
	}
	say := func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	for _, name := range e.Beside {
		say("%s may have it and is not touched: remove it", name)
	}
	say("logs of the server are not touched: they have ids, addresses of clients and patterns of routes, and no names of persons or files, mail addresses or searches; how long they stay is up to what takes them (journald: MaxRetentionSec)")
	if e.Dest == "" {
		say("neither --backups nor the settings name a place of backups; name each that there is with --backups, or a restore of what is there alone brings it back")
	} else {
		say("snapshots keep it until they are removed, by backup_keep or alcove backup prune, or rewritten without it by alcove erase backups; a restore of one applies the erasure before anything is served")
	}
	switch {
	case e.Done:
		say("it was erased")
	case e.Refused != "":
		say("nothing was changed, and it cannot be erased like this: %s", e.Refused)
	default:
		say("nothing was changed; with --yes and the server stopped it is erased")
	}
	return nil
}

// eraseResume goes on with what was interrupted.
func eraseResume(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data", "disk-floor", "backup-dir", "ocfl-dir")
	dest := command.PathFlag(fs, "backups", "where the backups are (default backup_dir)")
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	if *dest == "" {
		*dest = cfg.BackupDir
	}
	n, err := finishErasures(ctx, cfg, *dest)
	if err == nil {
		fmt.Fprintf(os.Stderr, "%d erasures were brought to their end\n", n)
	}
	return err
}

// eraseBackups rewrites the snapshots of a destination without what was erased.
func eraseBackups(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	asJSON := command.JSONFlag(fs)
	if err := c.Parse(fs, args, 1); err != nil {
		return err
	}
	show := progressLine()
	r, err := backup.Rewrite(ctx, fs.Arg(0), func(snapshot string, n, of int) { show(false, "%s, %d of %d ", snapshot, n+1, of) })
	if r == nil {
		return err
	}
	show(true, "%d snapshots rewritten ", len(r.Snapshots))
	if *asJSON {
		err = errors.Join(err, command.PrintJSON(r))
	} else {
		err = errors.Join(err, printDamage(r.Problems))
		fmt.Fprintf(os.Stderr, "%d snapshots were rewritten, %d had nothing of what was erased\n", len(r.Snapshots), len(r.Clean))
	}
	if err == nil && len(r.Problems) > 0 {
		err = fmt.Errorf("%d snapshots could not be rewritten and stay as they were; alcove backup prune removes the oldest", len(r.Problems))
	}
	return err
}

// doErase notes an erasure and brings it to its end.
func doErase(ctx context.Context, cfg config.Config, q erasure.Query, dest string) error {
	err := onErased(cfg, func(db *bucket.DB) error {
		e, err := erasure.Erase(ctx, db, q)
		if err == nil && dest != "" {
			err = backup.TellErasure(dest, db.Identity().ID, e)
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = finishErasures(ctx, cfg, dest)
	return err
}

// onErased runs do on a store that no server has open.
func onErased(cfg config.Config, do func(*bucket.DB) error) error {
	if err := identity.Admit(cfg.Data); err != nil {
		return err
	}
	db, err := bucket.Open(cfg.Data, bucket.Options{Existing: true})
	if errors.Is(err, lock.ErrInUse) {
		return fmt.Errorf("a server or another command uses %s; stop it, erase, and start it again", cfg.Data)
	}
	if err != nil {
		return unusable(cfg.Data, err)
	}
	return errors.Join(do(db), db.Close())
}

// finishErasures brings all erasures that are not done to their end: records, then bytes, then what is derived, then
// the free pages of the database.
func finishErasures(ctx context.Context, cfg config.Config, dest string) (n int, err error) {
	var open []*record.Erasure
	err = onErased(cfg, func(db *bucket.DB) error {
		if open, err = erasure.Erasures(db, true); err != nil || len(open) == 0 {
			return err
		}
		store, err := blobdir.Open(cfg.Data)
		if err != nil {
			return err
		}
		defer store.Close()
		staged, err := uploads.Open(store)
		if err != nil {
			return err
		}
		defer staged.Close()
		pictures, err := thumbs.Open(cfg.Data)
		if err != nil {
			return err
		}
		defer pictures.Close()
		for _, e := range open {
			if dest != "" {
				if err := backup.TellErasure(dest, db.Identity().ID, e); err != nil {
					return err
				}
			}
			if err := sweepErasure(ctx, cfg, db, store, staged, pictures, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(open) == 0 {
		return 0, err
	}
	if _, err := bucket.Compact(ctx, cfg.Data, compaction.Options{Floor: cfg.DiskFloor}); err != nil {
		return 0, fmt.Errorf("records and files are erased, but the free pages of the database are not; alcove erase resume goes on: %w", err)
	}
	return len(open), onErased(cfg, func(db *bucket.DB) error {
		for _, e := range open {
			if err := erasure.Note(ctx, db, e.ID, true); err != nil {
				return err
			}
		}
		return nil
	})
}

// errNotPreserved says that records and bytes are erased, but perhaps not the bytes in ocfl_dir.
var errNotPreserved = errors.New("cannot erase in ocfl_dir; alcove erase resume goes on")

// sweepErasure takes away records, then the bytes that none of them names any more, then the search index, which is rebuilt.
// Nothing else may use the directory.
func sweepErasure(ctx context.Context, cfg config.Config, db *bucket.DB, store *blobdir.Store, staged *uploads.Staging, pictures *thumbs.Store, e *record.Erasure) error {
	if err := erasure.Records(ctx, db, e); err != nil {
		return err
	}
	gone, err := erasure.Unnamed(db, e)
	if err != nil {
		return err
	}
	for _, sha := range gone {
		ref, err := blobs.ParseRef(sha)
		if err != nil {
			return err
		}
		if err := errors.Join(store.Erase(ref), pictures.Drop(sha)); err != nil {
			return err
		}
	}
	for _, token := range slices.Compact(slices.Sorted(slices.Values(e.Staged))) {
		if err := staged.Remove(token); err != nil {
			return err
		}
	}
	if err := errors.Join(os.RemoveAll(filepath.Join(cfg.Data, "index")), os.RemoveAll(filepath.Join(cfg.Data, check.FileName))); err != nil {
		return fmt.Errorf("cannot remove the search index and what the last check has found: %w", err)
	}
	if err := ocfl.Erase(ctx, db, cfg.OCFLDir, gone); err != nil {
		return fmt.Errorf("%w: %w", errNotPreserved, err)
	}
	return erasure.Note(ctx, db, e.ID, false)
}

// goOnErasing applies what was interrupted before anything is served.
func (s *Server) goOnErasing(cfg config.Config) error {
	open, err := erasure.Erasures(s.db, true)
	if err != nil {
		return err
	}
	for _, e := range open {
		if e.Swept.IsZero() {
			if err := sweepErasure(context.Background(), cfg, s.db, s.blobs, s.uploads, s.thumbs, e); errors.Is(err, errNotPreserved) {
				s.log.Error("ocfl_dir may still have what was erased; the next start tries again", "erasure", e.ID, "error", err)
				continue
			} else if err != nil {
				return err
			}
			s.log.Info("an erasure that was interrupted was applied", "erasure", e.ID)
		}
		s.log.Warn("free pages of the database still have what was erased; stop the server and run alcove erase resume", "erasure", e.ID)
		if cfg.BackupDir != "" {
			if err := backup.TellErasure(cfg.BackupDir, s.db.Identity().ID, e); err != nil {
				s.log.Error("the backups do not know of an erasure", "erasure", e.ID, "error", err)
			}
		}
	}
	return nil
}
