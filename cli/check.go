package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/identity"
	"alcove/bucket/lock"
	"alcove/check"
	"alcove/cli/command"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// checkTask begins a check of what is stored, or ends it; what is returned is how far it is.
type checkTask struct {
	Start bool   `json:"start"`
	Stop  bool   `json:"stop"`
	ocfl  string // the storage root, where no server runs
	check.Request
}

func (t checkTask) do(k *check.Checker) check.Report {
	if t.Start {
		k.Start(t.Request)
	}
	if t.Stop {
		k.Interrupt()
	}
	return k.Report()
}

// runCheck reads again all that is stored, in the server when one runs, and otherwise here, and
// names what is damaged.
func runCheck(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data", "ocfl-dir")
	asJSON := command.JSONFlag(fs)
	rate := rateFlag(fs)
	restart := fs.Bool("restart", false, "begin at the beginning, though a check was interrupted")
	repair := fs.Bool("repair", false, "rebuild what is derived, fetch what is damaged from a backup")
	again := fs.Bool("rebuild", false, "make a database that is lost of the newest backup, list the stored files that nothing names")
	from := command.PathFlag(fs, "from", "directory of the backup, for --repair and --rebuild")
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	if *again && (*repair || *restart || *from == "") {
		return fmt.Errorf("%w: --rebuild needs --from BACKUP, and stands alone", command.ErrUsage)
	}
	t := checkTask{Start: true, Request: check.Request{Rate: *rate, Restart: *restart, Repair: *repair}}
	if *from != "" {
		if !*repair && !*again {
			return fmt.Errorf("%w: --from is for --repair and --rebuild", command.ErrUsage)
		}
		abs, err := filepath.Abs(*from)
		if err != nil {
			return fmt.Errorf("%w: %v", command.ErrNotChecked, err)
		}
		if info, err := os.Stat(filepath.Join(abs, "blobs")); err != nil || !info.IsDir() {
			return fmt.Errorf("%w: %s is no backup", command.ErrNotChecked, *from)
		}
		t.From = abs
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	if *again {
		return rebuild(ctx, cfg.Data, t.From, *asJSON)
	}
	t.ocfl = cfg.OCFLDir
	report, err := checkData(ctx, cfg.Data, t)
	if err != nil {
		return fmt.Errorf("%w: %w", command.ErrNotChecked, err)
	}
	return toldCheck(report, *asJSON, true)
}

// checkStatus tells what the last check has found, or how far the one is that runs.
func checkStatus(ctx context.Context, c *command.Command, args []string) error {
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
		return fmt.Errorf("%w: %w", command.ErrNotChecked, err)
	}
	report, err := askChecker(ctx, cfg.Data, checkTask{})
	if errors.Is(err, errNoServer) {
		report, err = check.Last(cfg.Data), nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", command.ErrNotChecked, err)
	}
	return toldCheck(report, *asJSON, false)
}

// toldCheck prints a report. Damage that is left is an error, and so is a check that should
// have come to its end.
func toldCheck(report check.Report, asJSON, toEnd bool) (err error) {
	if asJSON {
		err = command.PrintJSON(report)
	} else {
		err = printProblems(report)
	}
	switch {
	case err != nil:
		return err
	case toEnd && report.State != check.Done:
		return fmt.Errorf("%w: it ended early, and goes on from there the next time: %s", command.ErrNotChecked, report.Error)
	case report.Left() > 0:
		return fmt.Errorf("%d damaged", report.Left())
	case toEnd && report.Busy:
		return fmt.Errorf("%w: too much was written for the pages of the database to be gone through; nothing else is damaged", command.ErrNotChecked)
	}
	return nil
}

// CheckData checks a data directory to the end, in the server that uses it, or else here. It
// fails when that was not possible, or the context ended.
func CheckData(ctx context.Context, dir string, ask check.Request) (check.Report, error) {
	return checkData(ctx, dir, checkTask{Start: true, Request: ask})
}

func checkData(ctx context.Context, dir string, t checkTask) (check.Report, error) {
	if err := identity.Admit(dir); err != nil {
		return check.Report{}, err
	}
	report, err := askChecker(ctx, dir, t)
	if err == nil {
		// The server is also asked to stop after the command was interrupted.
		ask := func(t checkTask) (check.Report, error) { return askChecker(context.WithoutCancel(ctx), dir, t) }
		return watchCheck(ctx, ask)
	}
	if !errors.Is(err, errNoServer) {
		return report, err
	}
	if t.Repair {
		return repairHere(ctx, dir, t)
	}
	return checkHere(ctx, dir, t)
}

// checkHere checks a data directory that no server uses.
func checkHere(ctx context.Context, dir string, t checkTask) (check.Report, error) {
	db, err := bucket.OpenToCheck(dir)
	if errors.Is(err, lock.ErrInUse) || errors.Is(err, identity.ErrOther) || errors.Is(err, bucket.ErrNewer) {
		return check.Report{}, err
	}
	if err != nil { // nothing of it can be read: that is what the check has found
		now := time.Now().UTC().Truncate(time.Second)
		return check.Report{
			State: check.Done, Started: now, Ended: &now, Found: 1,
			Problems: []check.Problem{{Kind: damage.OfPage, Reason: err.Error(), Files: []check.BlobFile{}}},
		}, nil
	}
	defer db.Close()
	b, err := blobdir.Open(dir)
	if err != nil {
		return check.Report{}, err
	}
	defer b.Close()
	k := check.New(check.Options{Dir: dir, DB: db, Blobs: b, OCFL: t.ocfl})
	defer k.Stop()
	t.do(k)
	return watchCheck(ctx, func(t checkTask) (check.Report, error) { return t.do(k), nil })
}

func askChecker(ctx context.Context, dir string, t checkTask) (report check.Report, err error) {
	b, err := performRemote(ctx, dir, task{Check: &t})
	if err != nil {
		return report, err
	}
	return decoded[check.Report](b)
}

// watchCheck waits for the end of a check, which it brings about when the command is
// interrupted, and shows on a terminal how far it is.
func watchCheck(ctx context.Context, ask func(checkTask) (check.Report, error)) (check.Report, error) {
	var bar *progressbar.ProgressBar
	const steps = 1000
	if term.IsTerminal(int(os.Stderr.Fd())) {
		bar = progressbar.NewOptions(steps, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionClearOnFinish())
		defer func() {
			_ = bar.Exit()
			fmt.Fprintln(os.Stderr)
		}()
	}
	soon := time.NewTicker(20 * time.Millisecond)
	defer soon.Stop()
	for looks := 0; ; looks++ {
		report, err := ask(checkTask{})
		if bar != nil {
			bar.Describe(fmt.Sprintf("%s: %d records, %d blobs of %d MiB, %d damaged", report.Stage, report.Records, report.Blobs, report.Bytes>>20, report.Found))
			_ = bar.Set(int(report.Percent / 100 * steps))
		}
		if err != nil || report.State != check.Running {
			return report, err
		}
		if looks == 10 {
			soon.Reset(200 * time.Millisecond)
		}
		select {
		case <-soon.C:
		case <-ctx.Done():
			return ask(checkTask{Stop: true})
		}
	}
}

// printProblems prints a line for each thing that is damaged, and for each file whose bytes are.
func printProblems(r check.Report) error {
	rows := [][]any{}
	for _, p := range r.Problems {
		reason := p.Reason
		if p.Repaired {
			reason = "repaired: " + reason
		}
		switch {
		case p.Kind != "blob" && p.Page != nil:
			rows = append(rows, []any{p.Kind, p.Table, fmt.Sprintf("%d", *p.Page), "", "", reason})
		case p.Kind != "blob":
			rows = append(rows, []any{p.Kind, p.Table, p.Key, "", "", reason})
		default:
			for _, f := range p.Files {
				rows = append(rows, []any{"bytes of file", "", f.File, f.Article, p.SHA256, reason})
			}
			if more := p.Uses - len(p.Files); more > 0 {
				rows = append(rows, []any{"bytes of files", "", fmt.Sprintf("%d more", more), "", p.SHA256, reason})
			}
		}
	}
	if len(rows) > 0 {
		if err := command.PrintTable([]string{"WHAT", "TABLE", "ID", "ARTICLE", "BLOB", "PROBLEM"}, rows); err != nil {
			return err
		}
	}
	if r.State == check.Never {
		fmt.Fprintln(os.Stderr, "there was no check yet")
		return nil
	}
	if r.Busy {
		fmt.Fprintln(os.Stderr, "so much was written meanwhile that the pages of the database could not be gone through; what is stored in them was read")
	}
	fmt.Fprintf(os.Stderr, "%s since %s: %d records and %d different files of %d bytes were read, %d problems found, %d repaired; %d blobs of %d bytes belong to no file\n",
		r.State, r.Started.Format(time.RFC3339), r.Records, r.Blobs, r.Bytes, r.Found, r.Repaired, r.Orphans, r.OrphanBytes)
	if r.Left() > 0 {
		fmt.Fprintln(os.Stderr, "without a server, alcove check --repair --from BACKUP rebuilds and fetches what it can; alcove restore BACKUP NEWDIR brings back all of a backup")
	}
	return nil
}
