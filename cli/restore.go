package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"

	"alcove/cli/backup"
	"alcove/cli/command"
)

// rateFlag is the flag that bounds how many bytes of files are read a second.
func rateFlag(fs *pflag.FlagSet) *int64 {
	return command.SizeFlag(fs, "rate", 1<<20, "how much of files is read a second, such as 16MiB (a bare number counts MiB), 0 for as fast as it goes")
}

// backupVerify reads backups again and names what is damaged in them.
func backupVerify(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	snapshot := fs.String("snapshot", "", "look at this one only")
	quick := fs.Bool("quick", false, "do not read files, look at their sizes and at when they were last read")
	rate := rateFlag(fs)
	asJSON := command.JSONFlag(fs)
	if err := c.Parse(fs, args, 1); err != nil {
		return err
	}
	show := progressLine()
	checked, err := backup.Verify(ctx, fs.Arg(0), backup.Checks{
		Snapshot: *snapshot, Quick: *quick, Rate: *rate,
		Note: func(c backup.Checked) {
			show(false, "%d records, %d files of %d MiB, %d damaged ", c.Records, c.Blobs, c.Bytes>>20, c.Found)
		},
	})
	if checked == nil {
		return err
	}
	show(true, "%d records, %d files of %d MiB, %d damaged ", checked.Records, checked.Blobs, checked.Bytes>>20, checked.Found)
	if *asJSON {
		err = errors.Join(err, command.PrintJSON(checked))
	} else {
		err = errors.Join(err, printDamage(checked.Problems))
		for _, m := range checked.Snapshots {
			if !m.Complete {
				fmt.Fprintf(os.Stderr, "%s is complete but for %d files and %d records that were missing or damaged when it was made\n", m.Snapshot, m.MissingCount, m.DamagedCount)
			}
		}
		if *quick {
			tellQuick(checked)
		} else {
			fmt.Fprintf(os.Stderr, "%d snapshots, %d records and %d different files of %d bytes were read\n", len(checked.Snapshots), checked.Records, checked.Blobs, checked.Bytes)
		}
	}
	if err == nil && checked.Found > 0 {
		err = fmt.Errorf("%d damaged", checked.Found)
	}
	return err
}

// tellQuick says what was read and what was not.
func tellQuick(c *backup.Checked) {
	last := ""
	if c.OldestRead != nil {
		last = ", the others at " + c.OldestRead.Format(time.DateOnly) + " or later"
	}
	fmt.Fprintf(os.Stderr, "%d snapshots and %d records were read; of %d different files only the sizes were looked at: %d of them were never read since they were copied%s\n", len(c.Snapshots), c.Records, c.Blobs, c.Unread, last)
}

func printDamage(problems []backup.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	rows := [][]any{}
	for _, p := range problems {
		rows = append(rows, []any{p.Snapshot, p.Kind, p.Name, p.Reason})
	}
	return command.PrintTable([]string{"SNAPSHOT", "WHAT", "NAME", "PROBLEM"}, rows)
}

// restore makes a data directory of a backup.
func restore(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	snapshot := fs.String("snapshot", "", "the one to restore (default the newest)")
	partial := fs.Bool("partial", false, "restore what is there, although files are missing or damaged")
	old := command.PathFlag(fs, "old", "what is left of the data directory: it tells what happened after the last snapshot")
	next := fs.Int64("next-id", 0, "give no id below this one, where more were given than the backups know")
	asItWas := fs.Bool("as-it-was", false, "bring back what was revoked, erased or withdrawn later, and give ids again: to look at, not to serve")
	revoke := fs.Bool("revoke-tokens", false, "end all personal tokens and private links")
	asJSON := command.JSONFlag(fs)
	if err := c.Parse(fs, args, 2); err != nil {
		return err
	}
	if *next < 0 || *next > mostNextID {
		return fmt.Errorf("%w: --next-id is a number from 1 to %d", command.ErrUsage, mostNextID)
	}
	if *asItWas && (*old != "" || *next != 0) {
		return fmt.Errorf("%w: --as-it-was looks at nothing that --old or --next-id could tell", command.ErrUsage)
	}
	show := progressLine()
	r, err := backup.Restore(ctx, fs.Arg(0), fs.Arg(1), backup.Restores{
		Snapshot: *snapshot, Partial: *partial, Old: *old, NextID: *next, RevokeTokens: *revoke, AsItWas: *asItWas,
		Note: func(r backup.Restored) {
			show(false, "%d of %d files, %d MiB ", r.Blobs, r.Manifest.Blobs, r.Bytes>>20)
		},
	})
	if r == nil {
		return err
	}
	show(true, "%d of %d files, %d MiB ", r.Blobs, r.Manifest.Blobs, r.Bytes>>20)
	if *asJSON {
		err = errors.Join(err, command.PrintJSON(r))
	} else {
		err = errors.Join(err, printDamage(append(r.Problems, r.Unread...)), printReconciled(r))
	}
	if errors.Is(err, backup.ErrNotWhole) {
		return fmt.Errorf("%w: %d files are missing or damaged, and no server takes %s yet; choose another --snapshot, or restore what is there with --partial", err, r.Found, fs.Arg(1))
	}
	if err == nil && !*asJSON {
		tellReconciled(r)
		fmt.Fprintf(os.Stderr, "restored %s: %d changes, %d files of %d bytes\n", r.Manifest.Snapshot, r.Manifest.Sequence, r.Blobs, r.Bytes)
	}
	return err
}

// mostNextID bounds --next-id: the store has ids up to 1<<40, and some must be left.
const mostNextID = 1 << 39

// shownReconciled is how many rows of a kind are printed; --json has more of them.
const shownReconciled = 200

// printReconciled prints the rights that stay ended, and those that may open again because it is
// unknown whether they ended.
func printReconciled(r *backup.Restored) error {
	s := r.Reconciled
	if s == nil {
		return nil
	}
	rows := [][]any{}
	for _, k := range s.Kept[:min(len(s.Kept), shownReconciled)] {
		rows = append(rows, []any{k.Kind, k.ID, k.What})
	}
	for _, k := range s.Failed {
		rows = append(rows, []any{k.Kind, k.ID, "not as it was later: " + k.What})
	}
	var err error
	if len(rows) > 0 {
		err = command.PrintTable([]string{"KIND", "ID", "STAYS"}, rows)
	}
	if s.Known || len(s.Valid) == 0 {
		return err
	}
	rows = rows[:0]
	for _, c := range s.Valid[:min(len(s.Valid), shownReconciled)] {
		rows = append(rows, []any{c.Kind, c.ID, c.Of, c.Name, c.Created, c.Expires})
	}
	return errors.Join(err, command.PrintTable([]string{"VALID AGAIN", "ID", "OF", "NAME", "CREATED", "EXPIRES"}, rows))
}

// tellReconciled says in words what could not be known.
func tellReconciled(r *backup.Restored) {
	s := r.Reconciled
	say := func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	if n := s.KeptAll - min(len(s.Kept), shownReconciled); n > 0 {
		say("%d more stay as they were later; --json names them", n)
	}
	if s.Revoked > 0 {
		say("%d tokens and private links were ended", s.Revoked)
	}
	if n := len(s.Erased); n > 0 {
		say("%d erasures were applied again", n)
	}
	if s.Uploads > 0 {
		say("%d uploads were under way and have ended: no backup has their bytes", s.Uploads)
	}
	if !s.Known {
		say("nothing tells what happened after %s: %d tokens and private links are valid, also such as were revoked since (--revoke-tokens ends them), and ids that were given since will be given again (--next-id, or --old with what is left of the data directory)", r.Manifest.Created.Format(time.DateTime), s.ValidAll)
	}
	say("accounts are signed in to as the snapshot has it: a sign-in elsewhere that was disconnected since is connected again; everyone is signed out")
	for _, u := range r.Unread {
		say("%s could not be asked what happened after the snapshot: %s", u.Snapshot, u.Reason)
	}
}
