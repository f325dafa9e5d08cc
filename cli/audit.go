package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/lock"
	"alcove/cli/command"
	"alcove/cli/operate"
	"alcove/handlers/audit"
	"github.com/spf13/pflag"
)

// onStore calls fn with what carries tasks out on a store that is there already: the server
// that has it open, or the store itself, which is opened once.
func onStore(ctx context.Context, dir string, fn func(do func(task) (json.RawMessage, error)) error) (err error) {
	db, err := bucket.Open(dir, bucket.Options{Existing: true})
	if errors.Is(err, lock.ErrInUse) {
		return fn(func(t task) (json.RawMessage, error) { return performRemote(ctx, dir, t) })
	}
	if err != nil {
		return unusable(dir, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(func(t task) (json.RawMessage, error) { return t.encoded(ctx, opened{dir: dir, db: db}) })
}

// spanFlags are the flags of a time, and read it after they were parsed; a zero end is open.
func spanFlags(fs *pflag.FlagSet) (read func() (since, until time.Time, err error)) {
	since := fs.String("since", "", "not before this moment, as 2026-11-21 or 2026-11-21T10:30:00Z")
	until := fs.String("until", "", "before this moment")
	return func() (from, to time.Time, err error) {
		if *since != "" {
			from, err = moment(*since)
		}
		if *until != "" && err == nil {
			to, err = moment(*until)
		}
		return from, to, err
	}
}

// auditTrail prints the change log as people read it, a line for each entry, as it is read.
func auditTrail(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data")
	account := fs.String("account", "", "e-mail address or id of who acted, or of in whose name")
	moments := spanFlags(fs)
	kind := fs.String("kind", "", "changes of one kind of records, as articles, files, accounts, tokens")
	id := fs.Int64("id", 0, "with --kind: changes of one record, or of what belongs to it")
	asJSON := fs.Bool("json", false, "print a JSON object a line instead of columns")
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	q := audit.Query{Account: *account, Kind: *kind, ID: *id}
	var err error
	if q.Since, q.Until, err = moments(); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	w := bufio.NewWriter(os.Stdout)
	err = onStore(ctx, cfg.Data, func(do func(task) (json.RawMessage, error)) error {
		return printAudit(w, q, *asJSON, func(q audit.Query) (page audit.Page, err error) {
			if err := ctx.Err(); err != nil {
				return page, err
			}
			b, err := do(task{Audit: &q})
			if err != nil {
				return page, err
			}
			return decoded[audit.Page](b)
		})
	})
	return errors.Join(err, w.Flush())
}

// printAudit prints page after page: no more than one is held.
func printAudit(w *bufio.Writer, q audit.Query, asJSON bool, next func(audit.Query) (audit.Page, error)) error {
	const columns = "%-9v  %-20v  %-28v  %-28v  %-13v  %-9v  %-19v  %-12v  %-16v  %-16v  %-18v  %v\n"
	if !asJSON {
		fmt.Fprintf(w, columns, "SEQUENCE", "TIME", "WHO", "FOR", "WAY", "OPERATION", "KIND", "ID", "HASH", "TOKEN", "ADDRESS", "TITLE")
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for {
		page, err := next(q)
		if err != nil {
			return err
		}
		for _, l := range page.Lines {
			if asJSON {
				err = lines.Encode(l)
			} else {
				_, err = fmt.Fprintf(w, columns, l.Sequence, command.Cell(l.Time), command.Cell(l.Who), command.Cell(l.ForWhom), command.Cell(l.Way), l.Op, l.Kind, command.Cell(l.ID), l.Hash, command.Cell(l.Token), command.Cell(l.Address), command.Cell(l.Title))
			}
			if err != nil {
				return fmt.Errorf("cannot print: %w", err)
			}
		}
		if page.Done {
			return nil
		}
		if err := w.Flush(); err != nil {
			return fmt.Errorf("cannot print: %w", err)
		}
		q.After, q.End = page.Next, page.End
	}
}

// auditVerify checks the chain of the change log and prints its head.
func auditVerify(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data")
	published := fs.String("head", "", "SEQUENCE:HASH that an earlier run printed: fail unless that entry is still the same")
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	var q operate.ChainQuery
	if *published != "" {
		h, err := changelog.ParseHead(*published)
		if err != nil {
			return fmt.Errorf("%w: --head: %v", command.ErrUsage, err)
		}
		q.Head = &h
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	err = onStore(ctx, cfg.Data, func(do func(task) (json.RawMessage, error)) error {
		for done := false; !done; {
			if err := ctx.Err(); err != nil {
				return err
			}
			b, err := do(task{Chain: &q})
			if err != nil {
				return err
			}
			page, err := decoded[operate.ChainPage](b)
			if err != nil {
				return err
			}
			q.At, done = page.At, page.Done
		}
		return nil
	})
	if err != nil {
		return err
	}
	return printResult(q.At, nil)
}

// auditAccess prints the requests that were refused, were an administrator's or changed something, a
// line for each, as far as they are kept.
func auditAccess(ctx context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	read := command.Settings(fs, "data")
	account := fs.String("account", "", "e-mail address or id of whose token it was, or of the account it acted as")
	refused := fs.Bool("refused", false, "only requests that were refused")
	moments := spanFlags(fs)
	asJSON := fs.Bool("json", false, "print a JSON object a line instead of columns")
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	q := operate.AccessQuery{Account: *account, Refused: *refused}
	var err error
	if q.Since, q.Until, err = moments(); err != nil {
		return err
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	w := bufio.NewWriter(os.Stdout)
	err = onStore(ctx, cfg.Data, func(do func(task) (json.RawMessage, error)) error {
		return printAccesses(ctx, w, q, *asJSON, do)
	})
	return errors.Join(err, w.Flush())
}

func printAccesses(ctx context.Context, w *bufio.Writer, q operate.AccessQuery, asJSON bool, do func(task) (json.RawMessage, error)) error {
	const columns = "%-20v  %-6v  %-5v  %-18v  %-16v  %-7v  %-7v  %-7v  %v\n"
	if !asJSON {
		fmt.Fprintf(w, columns, "TIME", "STATUS", "COUNT", "ADDRESS", "TOKEN", "ACTOR", "ACCOUNT", "METHOD", "ROUTE")
	}
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := do(task{Accesses: &q})
		if err != nil {
			return err
		}
		page, err := decoded[operate.AccessPage](b)
		if err != nil {
			return err
		}
		for _, l := range page.Lines {
			if asJSON {
				err = lines.Encode(l)
			} else {
				_, err = fmt.Fprintf(w, columns, command.Cell(l.At), l.Status, l.Count, command.Cell(l.Address), command.Cell(l.Token), command.Cell(l.Actor), command.Cell(l.Account), l.Method, l.Route+" "+l.IDs)
			}
			if err != nil {
				return fmt.Errorf("cannot print: %w", err)
			}
		}
		if page.Done {
			return nil
		}
		q.After = page.Next
	}
}
