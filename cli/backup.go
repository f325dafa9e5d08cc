package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/bucket/identity"
	"alcove/cli/backup"
	"alcove/cli/command"
	"golang.org/x/term"
)

// backupTask begins a backup, or ends it; what is returned is how far it is, and when the last
// ones were made.
type backupTask struct {
	Dest string `json:"dest"` // absolute; empty to begin none
	Keep int    `json:"keep"`
	Rate int64  `json:"rate"` // bytes a second, 0 for no bound
	Stop bool   `json:"stop"`
}

// backupState is the answer to a backupTask.
type backupState struct {
	Report backup.Report `json:"report"`
	Status backup.Status `json:"status"`
}

func (t backupTask) do(k *backup.Keeper) (backupState, error) {
	if t.Dest != "" {
		if err := k.Start(t.Dest, t.Keep, t.Rate); err != nil {
			return backupState{}, err
		}
	}
	if t.Stop {
		k.Interrupt()
	}
	status, _ := k.Status()
	return backupState{k.Report(), status}, nil
}

func backupCreate(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data", "backup-reread")
	keep := fs.Int("keep", 0, "remove all snapshots but the newest N once this one is complete; 0 removes none")
	rate := rateFlag(fs)
	asJSON := command.JSONFlag(fs)
	if err := c.Parse(fs, args, 1); err != nil {
		return err
	}
	if *keep < 0 {
		return fmt.Errorf("%w: --keep is a number of snapshots", command.ErrUsage)
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	if err := identity.Admit(cfg.Data); err != nil {
		return err
	}
	dest, err := filepath.Abs(fs.Arg(0))
	if err != nil {
		return fmt.Errorf("cannot make a backup: %w", err)
	}
	r, err := backupData(ctx, cfg.Data, cfg.BackupReread, backupTask{Dest: dest, Keep: *keep, Rate: *rate})
	if err != nil {
		return err
	}
	if *asJSON {
		err = command.PrintJSON(r)
	} else {
		err = printBackup(r)
	}
	switch {
	case err != nil:
		return err
	case r.State == backup.Failed:
		return fmt.Errorf("there is no new snapshot: %s", r.Error)
	case r.Error != "":
		return errors.New(r.Error)
	}
	return nil
}

// backupData makes a backup of a data directory, in the server when one runs and otherwise here.
func backupData(ctx context.Context, dir string, reread time.Duration, t backupTask) (backup.Report, error) {
	_, err := askKeeper(ctx, dir, t)
	if err == nil {
		// The server is also asked to stop after the command was interrupted.
		return watchBackup(ctx, func(t backupTask) (backupState, error) { return askKeeper(context.WithoutCancel(ctx), dir, t) })
	}
	if !errors.Is(err, errNoServer) {
		return backup.Report{}, err
	}
	db, err := bucket.Open(dir, bucket.Options{Existing: true})
	if err != nil {
		return backup.Report{}, unusable(dir, err)
	}
	defer db.Close()
	b, err := blobdir.Open(dir)
	if err != nil {
		return backup.Report{}, err
	}
	defer b.Close()
	k := backup.NewKeeper(backup.Source{Dir: dir, DB: db, Blobs: b}, version(), false, slog.New(slog.DiscardHandler))
	k.Reread = reread
	defer k.Stop()
	if _, err := t.do(k); err != nil {
		return backup.Report{}, err
	}
	return watchBackup(ctx, func(t backupTask) (backupState, error) { return t.do(k) })
}

func askKeeper(ctx context.Context, dir string, t backupTask) (s backupState, err error) {
	b, err := performRemote(ctx, dir, task{Backup: &t})
	if err != nil {
		return s, err
	}
	return decoded[backupState](b)
}

// watchBackup waits for the end of a backup, which it brings about when the command is
// interrupted, and shows on a terminal how far it is.
func watchBackup(ctx context.Context, ask func(backupTask) (backupState, error)) (backup.Report, error) {
	show := progressLine()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		s, err := ask(backupTask{})
		r := s.Report
		over := err != nil || r.State != backup.Running
		show(over, "%s: %d files looked at, %d of %d MiB copied ", r.Stage, r.Blobs, r.Copied, r.CopiedBytes>>20)
		if over {
			return r, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			s, err := ask(backupTask{Stop: true})
			return s.Report, err
		}
	}
}

// progressLine shows on a terminal, in one line, how far something is, about five times a second.
func progressLine() func(last bool, format string, args ...any) {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return func(bool, string, ...any) {}
	}
	var shown time.Time
	return func(last bool, format string, args ...any) {
		if !last && time.Since(shown) < 200*time.Millisecond {
			return
		}
		shown = time.Now()
		fmt.Fprintf(os.Stderr, "\r"+format, args...)
		if last {
			fmt.Fprintln(os.Stderr)
		}
	}
}

// printBackup prints the name of the snapshot, and what is not in it.
func printBackup(r backup.Report) error {
	rows := [][]any{}
	for _, m := range r.Missing {
		rows = append(rows, []any{"bytes of files", fmt.Sprint(m.Files), m.SHA256, m.Reason})
	}
	for _, p := range r.Older {
		rows = append(rows, []any{p.Kind + " of " + p.Snapshot, "", p.Name, p.Reason})
	}
	for _, d := range r.DamagedRecords {
		rows = append(rows, []any{"record of " + d.Table, d.Key, "", d.Reason})
	}
	if len(rows) > 0 {
		if err := command.PrintTable([]string{"WHAT", "ID", "BLOB", "PROBLEM"}, rows); err != nil {
			return err
		}
	}
	if r.Snapshot == "" {
		return nil
	}
	fmt.Println(r.Snapshot)
	fmt.Fprintf(os.Stderr, "database of %d bytes, %d files of %d bytes, of which %d files of %d bytes are new\n", r.Database, r.Blobs-int64(r.MissingCount), r.BlobBytes, r.Copied, r.CopiedBytes)
	if r.Reread > 0 {
		fmt.Fprintf(os.Stderr, "%d files of %d bytes in the backups were read again, %d of them damaged\n", r.Reread, r.RereadBytes, r.DestDamaged)
	}
	for _, name := range r.Removed {
		fmt.Fprintln(os.Stderr, "removed", name)
	}
	return nil
}

func backupList(_ context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	asJSON := command.JSONFlag(fs)
	if err := c.Parse(fs, args, 1); err != nil {
		return err
	}
	list, err := backup.List(fs.Arg(0))
	if err != nil {
		return err
	}
	if *asJSON {
		return command.PrintJSON(list)
	}
	rows := [][]any{}
	for _, l := range list {
		if l.Problem != "" {
			rows = append(rows, []any{l.Snapshot, "", "", "", "", "", l.Problem})
			continue
		}
		problem := ""
		if !l.Complete {
			problem = fmt.Sprintf("complete but for %d files and %d records", l.MissingCount, l.DamagedCount)
		}
		rows = append(rows, []any{l.Snapshot, l.Created, l.Sequence, l.Database.Size, l.Blobs, l.BlobBytes, problem})
	}
	return command.PrintTable([]string{"SNAPSHOT", "BEGUN", "CHANGES", "DATABASE", "FILES", "BYTES", "PROBLEM"}, rows)
}

func backupPrune(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	keep := fs.Int("keep", 0, "how many snapshots stay, at least 1")
	if err := c.Parse(fs, args, 1); err != nil {
		return err
	}
	if err := command.Required(fs, "keep"); err != nil {
		return err
	}
	if *keep < 1 {
		return fmt.Errorf("%w: --keep is at least 1", command.ErrUsage)
	}
	removed, err := backup.Prune(ctx, fs.Arg(0), *keep)
	for _, name := range removed {
		fmt.Println(name)
	}
	return err
}

func backupStatus(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data")
	asJSON := command.JSONFlag(fs)
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	if err := identity.Admit(cfg.Data); err != nil {
		return err
	}
	s, err := askKeeper(ctx, cfg.Data, backupTask{})
	if errors.Is(err, errNoServer) {
		s.Report = backup.Report{State: backup.Never}
		if s.Status, err = backup.ReadStatus(cfg.Data); errors.Is(err, os.ErrNotExist) {
			err = nil // there was none
		}
	}
	if err != nil {
		return err
	}
	if *asJSON {
		return command.PrintJSON(s)
	}
	state, st := s.Report.State, s.Status
	if state != backup.Running {
		state = map[bool]string{true: "ok", false: "failing"}[st.LastError == ""]
	}
	if st.LastTry == nil && state != backup.Running {
		state = backup.Never
	}
	err = command.PrintTable([]string{"STATE", "LAST", "SNAPSHOT", "IN", "FAILED", "OLDEST READ", "PROBLEM"},
		[][]any{{state, st.LastSuccess, st.Snapshot, st.Dest, st.Failures, st.OldestRead, st.LastError}})
	if d := st.Drill; err == nil && d.LastTry != nil {
		fmt.Println()
		err = command.PrintTable([]string{"RESTORE TRIED", "LAST", "SNAPSHOT", "RECORDS", "FILES", "BYTES", "PROBLEM"},
			[][]any{{map[bool]string{true: "ok", false: "failing"}[d.LastError == ""], d.LastSuccess, d.Snapshot, d.Records, d.Blobs, d.Bytes, d.LastError}})
	}
	return err
}
