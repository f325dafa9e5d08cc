package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"alcove/cli/operate"
)

// auditAccess prints the requests that were refused, were an administrator's or changed something, a
// line for each, as far as they are kept.
func auditAccess(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	read := settings(fs, "data")
	account := fs.String("account", "", "e-mail address or id of whose token it was, or of the account it acted as")
	refused := fs.Bool("refused", false, "only requests that were refused")
	since := fs.String("since", "", "not before this moment, as 2026-11-21 or 2026-11-21T10:30:00Z")
	until := fs.String("until", "", "before this moment")
	asJSON := fs.Bool("json", false, "print a JSON object a line instead of columns")
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	q := operate.AccessQuery{Account: *account, Refused: *refused}
	for text, to := range map[*string]*time.Time{since: &q.Since, until: &q.Until} {
		if *text == "" {
			continue
		}
		var err error
		if *to, err = moment(*text); err != nil {
			return err
		}
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
				_, err = fmt.Fprintf(w, columns, cell(l.At), l.Status, l.Count, cell(l.Address), cell(l.Token), cell(l.Actor), cell(l.Account), l.Method, l.Route+" "+l.IDs)
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
