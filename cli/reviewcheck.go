package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"alcove/blobs"
	blobdir "alcove/blobs/dir"
	"alcove/cli/command"
	"alcove/cli/operate"
	"alcove/cli/traces"
	"alcove/record"
)

// reviewTrace is a file that names an author.
type reviewTrace struct {
	File  int64  `json:"file"`
	Path  string `json:"path"`
	Where string `json:"where"` // name, or what in the file
	Names string `json:"names"`
}

func reviewCheck(ctx context.Context, c *command.Command, args []string) error {
	flags := c.Flags()
	read := command.Settings(flags, "data")
	asJSON := command.JSONFlag(flags)
	if err := c.Parse(flags, args, 1); err != nil {
		return err
	}
	article, err := strconv.ParseInt(flags.Arg(0), 10, 64)
	if err != nil || article < 1 {
		return fmt.Errorf("%w: ITEM is the id of an article", command.ErrUsage)
	}
	cfg, err := read()
	if err != nil {
		return err
	}
	store, err := blobdir.View(cfg.Data)
	if err != nil {
		return err
	}
	defer store.Close()
	found := []reviewTrace{}
	err = onStore(ctx, cfg.Data, func(do func(task) (json.RawMessage, error)) error {
		q := operate.ReviewQuery{Article: article}
		for {
			b, err := do(task{Review: &q})
			if err != nil {
				return err
			}
			part, err := decoded[operate.ReviewFiles](b)
			if err != nil {
				return err
			}
			ids := record.NewIdentities()
			for i := range part.People {
				ids.Person(&part.People[i])
			}
			for _, m := range part.Mails {
				ids.Mail(m)
			}
			for _, f := range part.Files {
				if err := ctx.Err(); err != nil {
					return err
				}
				traced, err := fileTraces(store, f, ids)
				if err != nil {
					return err
				}
				found = append(found, traced...)
				q.Behind = f.ID
			}
			if len(part.Files) < operate.ReviewMost {
				return nil
			}
		}
	})
	if err != nil {
		return err
	}
	if *asJSON {
		return command.PrintJSON(found)
	}
	var rows [][]any
	for _, t := range found {
		rows = append(rows, []any{t.File, t.Where, t.Names, t.Path})
	}
	return command.PrintTable([]string{"FILE", "WHERE", "NAMES", "PATH"}, rows)
}

// fileTraces is where a file names an author: in its path, its link, or the properties in it.
func fileTraces(store *blobdir.Store, f operate.ReviewFile, ids *record.Identities) (found []reviewTrace, err error) {
	look := func(where, text string) {
		if names := ids.In(text); len(names) > 0 {
			found = append(found, reviewTrace{f.ID, strings.TrimPrefix(f.Path, "/"), where, strings.Join(names, ", ")})
		}
	}
	look("name", f.Path)
	look("link", f.Link)
	if f.SHA256 == "" {
		return found, nil
	}
	ref, err := blobs.ParseRef(f.SHA256)
	if err != nil {
		return nil, err
	}
	r, size, err := store.Open(ref)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot look into file %d: its bytes are missing; alcove check tells more", f.ID)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for _, p := range traces.Properties(r, size) {
		look(p.Name, p.Text)
	}
	return found, nil
}
