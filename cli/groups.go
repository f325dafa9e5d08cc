package cli

import (
	"context"

	"github.com/spf13/pflag"

	"alcove/cli/command"
	"alcove/cli/operate"
	"alcove/handlers/accounts"
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
