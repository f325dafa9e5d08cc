package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"alcove/cli/command"
	"alcove/cli/operate"
	"alcove/handlers/accounts"
	"alcove/record"
)

// storeGroup adds a group, or changes one when the command names it.
func storeGroup(ctx context.Context, c *command.Command, args []string, change bool) error {
	needed := "name"
	if change {
		needed = "group"
	}
	return onData(ctx, c, args, needed, func(fs *pflag.FlagSet) func(string) error {
		id := new(int64)
		if change {
			id = groupFlag(fs)
		}
		name := fs.String("name", "", "name of the group")
		parent := fs.Int64("parent", 0, "id of the group above it, 0 for the top")
		resource := fs.String("resource-id", "", "the institution's own id of the group")
		criteria := fs.String("association-criteria", "", "code by which people belong to the group")
		review := fs.Bool("review", false, "have articles of it and the groups below reviewed before they are published")
		return func(dir string) error {
			e := operate.GroupEdit{
				ID: *id, ParentID: sent(fs, "parent", parent), Name: sent(fs, "name", name),
				ResourceID: sent(fs, "resource-id", resource), AssociationCriteria: sent(fs, "association-criteria", criteria),
				Review: sent(fs, "review", review),
			}
			result, err := ask[int64](ctx, dir, task{Group: &e})
			if err != nil || change {
				return err
			}
			return printResult(result, nil)
		}
	})
}

// sent is the value of a flag, nil when it was not set.
func sent[T any](fs *pflag.FlagSet, name string, value *T) *T {
	if !fs.Changed(name) {
		return nil
	}
	return value
}

func groupFlag(fs *pflag.FlagSet) *int64 { return fs.Int64("group", 0, "id of the group") }

func groupAdd(ctx context.Context, c *command.Command, args []string) error {
	return storeGroup(ctx, c, args, false)
}

func groupChange(ctx context.Context, c *command.Command, args []string) error {
	return storeGroup(ctx, c, args, true)
}

func groupList(ctx context.Context, c *command.Command, args []string) error {
	return list(ctx, c, args, "ID PARENT RESOURCE CRITERIA REVIEW NAME", func(g operate.GroupLine) []any {
		return []any{g.ID, g.ParentID, g.ResourceID, g.AssociationCriteria, g.Review, g.Name}
	}, always(task{Groups: &struct{}{}}))
}

func groupRemove(ctx context.Context, c *command.Command, args []string) error {
	return removeByID(ctx, c, args, "group", func(id int64) task { return task{GroupEnd: &id} })
}

func roleList(ctx context.Context, c *command.Command, args []string) error {
	return list(ctx, c, args, "ACCOUNT EMAIL ROLE GROUP NAME", func(g operate.GrantLine) []any {
		return []any{g.AccountID, g.Email, g.Role, g.GroupID, g.Group}
	}, always(task{Grants: &struct{}{}}))
}

func roleGrant(ctx context.Context, c *command.Command, args []string) error {
	return changeRole(ctx, c, args, false)
}

func roleRevoke(ctx context.Context, c *command.Command, args []string) error {
	return changeRole(ctx, c, args, true)
}

func changeRole(ctx context.Context, c *command.Command, args []string, revoke bool) error {
	return onData(ctx, c, args, "account group role", func(fs *pflag.FlagSet) func(string) error {
		account, group := accountFlag(fs), groupFlag(fs)
		role := fs.String("role", "", "administrator, reviewer, or the id of a role")
		return func(dir string) error {
			e := operate.RoleEdit{Account: *account, GroupID: *group, Role: *role, Revoke: revoke}
			_, err := perform(ctx, dir, task{Role: &e})
			return err
		}
	})
}

// institutionShow shows the one institution. It touches no store: name and domain are
// settings.
func institutionShow(_ context.Context, c *command.Command, args []string) error {
	fs := c.Flags()
	load := command.Settings(fs, "institution-name", "institution-domain", "repository-name")
	asJSON := command.JSONFlag(fs)
	if err := c.Parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	if *asJSON {
		return command.PrintJSON(struct {
			ID     int64  `json:"id"`
			Name   string `json:"name"`
			Domain string `json:"domain"`
		}{accounts.InstitutionID, cfg.InstitutionName, cfg.InstitutionDomain})
	}
	return command.PrintTable([]string{"ID", "NAME", "DOMAIN", "FROM"}, [][]any{
		{accounts.InstitutionID, cfg.InstitutionName, cfg.InstitutionDomain, "the settings institution_name and institution_domain"},
	})
}

// maxOptionsFile bounds a file with the options of a field, in bytes.
const maxOptionsFile = 512 << 10

func fieldAdd(ctx context.Context, c *command.Command, args []string) error {
	return onData(ctx, c, args, "group name", func(fs *pflag.FlagSet) func(string) error {
		group := groupFlag(fs)
		name := fs.String("name", "", "name of the field")
		kind := fs.String("type", "text", "text, textarea, dropdown, url, email, date or dropdown_large_list")
		mandatory := fs.Bool("mandatory", false, "items without it are not published")
		options := fs.StringArray("option", nil, "an option `text` of a list; may be given several times")
		file := command.PathFlag(fs, "options-file", "file with the options of a list, one a line")
		multiple := fs.Bool("multiple", false, "more than one option may be chosen")
		least := fs.Int("min-length", 0, "least characters of a value")
		most := fs.Int("max-length", 0, "most characters of a value, 0 for no bound")
		placeholder := fs.String("placeholder", "", "what a form shows in the empty field")
		identifying := fs.Bool("identifying", false, "values tell who made an item: anonymous links withhold them")
		order := fs.Int("order", 0, "place among the fields of the group, 0 for the last")
		return func(dir string) error {
			f := record.Field{
				GroupID: *group, Name: *name, Type: record.FieldType(*kind), Mandatory: *mandatory, Multiple: *multiple,
				MinLength: *least, MaxLength: *most, Placeholder: *placeholder, Order: *order, Options: *options,
				Identifying: *identifying,
			}
			if *file != "" {
				more, err := readOptions(*file)
				if err != nil {
					return err
				}
				f.Options = append(f.Options, more...)
			}
			return printResult(ask[int64](ctx, dir, task{Field: &f}))
		}
	})
}

// readOptions are the lines of a file that are not blank.
func readOptions(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the options: %w", err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxOptionsFile+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the options: %w", err)
	}
	if len(b) > maxOptionsFile {
		return nil, errors.New("cannot read the options: the file is larger than 512 KiB")
	}
	var options []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" {
			options = append(options, line)
		}
	}
	return options, nil
}

func fieldList(ctx context.Context, c *command.Command, args []string) error {
	return list(ctx, c, args, "ID GROUP ORDER TYPE MANDATORY OPTIONS NAME", func(f operate.FieldLine) []any {
		return []any{f.ID, f.GroupID, f.Order, f.Type, f.Mandatory, len(f.Options), f.Name}
	}, func(fs *pflag.FlagSet) func() task {
		group := groupFlag(fs)
		return func() task { return task{Fields: &fieldsOf{*group}} }
	})
}

func fieldRemove(ctx context.Context, c *command.Command, args []string) error {
	return removeByID(ctx, c, args, "field", func(id int64) task { return task{FieldEnd: &id} })
}

func rangeAdd(ctx context.Context, c *command.Command, args []string) error {
	return onData(ctx, c, args, "name network", func(fs *pflag.FlagSet) func(string) error {
		name := fs.String("name", "", "name of the place, such as Campus")
		networks := fs.String("network", "", "its networks and addresses, with commas between them")
		return func(dir string) error {
			return printResult(ask[int64](ctx, dir, task{Range: &newRange{*name, *networks}}))
		}
	})
}

func rangeList(ctx context.Context, c *command.Command, args []string) error {
	return list(ctx, c, args, "ID NETWORKS NAME", func(r record.AddressRange) []any {
		var networks []string
		for _, n := range r.Networks {
			networks = append(networks, n.String())
		}
		return []any{r.ID, strings.Join(networks, ","), r.Name}
	}, always(task{Ranges: &struct{}{}}))
}

func rangeRemove(ctx context.Context, c *command.Command, args []string) error {
	return removeByID(ctx, c, args, "range", func(id int64) task { return task{RangeEnd: &id} })
}
