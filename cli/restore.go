package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"alcove/cli/backup"
)

// rateFlag is the flag that bounds how fast files are read; what it returns gives bytes a second.
func rateFlag(fs *pflag.FlagSet) func() (int64, error) {
	rate := fs.Int64("rate", 0, "MiB of files that are read a second, 0 for as fast as it goes")
	return func() (int64, error) {
		if *rate < 0 || *rate > 1<<40 {
			return 0, fmt.Errorf("%w: --rate is a number of MiB a second", errUsage)
		}
		return *rate << 20, nil
	}
}

// backupVerify reads backups again and names what is damaged in them.
func backupVerify(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	snapshot := fs.String("snapshot", "", "look at this one only")
	quick := fs.Bool("quick", false, "do not read files, look at their sizes")
	rate := rateFlag(fs)
	asJSON := jsonFlag(fs)
	if err := c.parse(fs, args, 1); err != nil {
		return err
	}
	bytes, err := rate()
	if err != nil {
		return err
	}
	show := progressLine()
	checked, err := backup.Verify(ctx, fs.Arg(0), backup.Checks{
		Snapshot: *snapshot, Quick: *quick, Rate: bytes,
		Note: func(c backup.Checked) {
			show(false, "%d records, %d files of %d MiB, %d damaged ", c.Records, c.Blobs, c.Bytes>>20, c.Found)
		},
	})
	if checked == nil {
		return err
	}
	show(true, "%d records, %d files of %d MiB, %d damaged ", checked.Records, checked.Blobs, checked.Bytes>>20, checked.Found)
	if *asJSON {
		err = errors.Join(err, printJSON(checked))
	} else {
		err = errors.Join(err, printDamage(checked.Problems))
		for _, m := range checked.Snapshots {
			if !m.Complete {
				fmt.Fprintf(os.Stderr, "%s is complete but for %d files and %d records that were missing or damaged when it was made\n", m.Snapshot, m.MissingCount, m.DamagedCount)
			}
		}
		fmt.Fprintf(os.Stderr, "%d snapshots, %d records and %d different files of %d bytes were read\n", len(checked.Snapshots), checked.Records, checked.Blobs, checked.Bytes)
	}
	if err == nil && checked.Found > 0 {
		err = fmt.Errorf("%d damaged", checked.Found)
	}
	return err
}

func printDamage(problems []backup.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	rows := [][]any{}
	for _, p := range problems {
		rows = append(rows, []any{p.Snapshot, p.Kind, p.Name, p.Reason})
	}
	return printTable([]string{"SNAPSHOT", "WHAT", "NAME", "PROBLEM"}, rows)
}

// restore makes a data directory of a backup.
func restore(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	snapshot := fs.String("snapshot", "", "the one to restore (default the newest)")
	partial := fs.Bool("partial", false, "restore what is there, although files are missing or damaged")
	asJSON := jsonFlag(fs)
	if err := c.parse(fs, args, 2); err != nil {
		return err
	}
	show := progressLine()
	r, err := backup.Restore(ctx, fs.Arg(0), fs.Arg(1), backup.Restores{
		Snapshot: *snapshot, Partial: *partial,
		Note: func(r backup.Restored) {
			show(false, "%d of %d files, %d MiB ", r.Blobs, r.Manifest.Blobs, r.Bytes>>20)
		},
	})
	if r == nil {
		return err
	}
	show(true, "%d of %d files, %d MiB ", r.Blobs, r.Manifest.Blobs, r.Bytes>>20)
	if *asJSON {
		err = errors.Join(err, printJSON(r))
	} else {
		err = errors.Join(err, printDamage(r.Problems))
	}
	if errors.Is(err, backup.ErrNotWhole) {
		return fmt.Errorf("%w: %d files are missing or damaged, and no server takes %s yet; choose another --snapshot, or restore what is there with --partial", err, r.Found, fs.Arg(1))
	}
	if err == nil && !*asJSON {
		fmt.Fprintf(os.Stderr, "restored %s: %d changes, %d files of %d bytes\n", r.Manifest.Snapshot, r.Manifest.Sequence, r.Blobs, r.Bytes)
	}
	return err
}
