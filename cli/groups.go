package cli

import (
	"context"

	"github.com/spf13/pflag"

	"alcove/handlers"
)

// storeGroup adds a group, or changes one when the command names it.
func storeGroup(ctx context.Context, c *command, args []string, change bool) error {
	fs := c.flags()
	load := settings(fs, "data")
	var id *int64
	needed := "name"
	if change {
		id, needed = groupFlag(fs), "group"
	}
	name := fs.String("name", "", "name of the group")
	parent := fs.Int64("parent", 0, "id of the group above it, 0 for the top")
	resource := fs.String("resource-id", "", "the institution's own id of the group")
	criteria := fs.String("association-criteria", "", "code by which people belong to the group")
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	if err := required(fs, needed); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	e := handlers.GroupEdit{
		ParentID: sent(fs, "parent", parent), Name: sent(fs, "name", name),
		ResourceID: sent(fs, "resource-id", resource), AssociationCriteria: sent(fs, "association-criteria", criteria),
	}
	if change {
		e.ID = *id
	}
	result, err := ask[int64](ctx, cfg.Data, task{Group: &e})
	if err != nil || change {
		return err
	}
	return printResult(result, nil)
}

// sent is the value of a flag, nil when it was not set.
func sent[T any](fs *pflag.FlagSet, name string, value *T) *T {
	if !fs.Changed(name) {
		return nil
	}
	return value
}

func groupFlag(fs *pflag.FlagSet) *int64 { return fs.Int64("group", 0, "id of the group") }

func groupAdd(ctx context.Context, c *command, args []string) error {
	return storeGroup(ctx, c, args, false)
}

func groupChange(ctx context.Context, c *command, args []string) error {
	return storeGroup(ctx, c, args, true)
}

func groupList(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	load := settings(fs, "data")
	asJSON := jsonFlag(fs)
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	list, err := ask[[]handlers.GroupLine](ctx, cfg.Data, task{Groups: &struct{}{}})
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(list)
	}
	var rows [][]any
	for _, g := range list {
		rows = append(rows, []any{g.ID, g.ParentID, g.ResourceID, g.AssociationCriteria, g.Name})
	}
	return printTable([]string{"ID", "PARENT", "RESOURCE", "CRITERIA", "NAME"}, rows)
}

func groupRemove(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	load := settings(fs, "data")
	id := groupFlag(fs)
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	if err := required(fs, "group"); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	_, err = perform(ctx, cfg.Data, task{GroupEnd: id})
	return err
}

func roleGrant(ctx context.Context, c *command, args []string) error {
	return changeRole(ctx, c, args, false)
}

func roleRevoke(ctx context.Context, c *command, args []string) error {
	return changeRole(ctx, c, args, true)
}

func changeRole(ctx context.Context, c *command, args []string, revoke bool) error {
	fs := c.flags()
	load := settings(fs, "data")
	account, group := accountFlag(fs), groupFlag(fs)
	role := fs.String("role", "", "administrator, reviewer, or the id of a role")
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	if err := required(fs, "account", "group", "role"); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	e := handlers.RoleEdit{Account: *account, GroupID: *group, Role: *role, Revoke: revoke}
	_, err = perform(ctx, cfg.Data, task{Role: &e})
	return err
}

func roleList(ctx context.Context, c *command, args []string) error {
	fs := c.flags()
	load := settings(fs, "data")
	asJSON := jsonFlag(fs)
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	list, err := ask[[]handlers.GrantLine](ctx, cfg.Data, task{Grants: &struct{}{}})
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(list)
	}
	var rows [][]any
	for _, g := range list {
		rows = append(rows, []any{g.AccountID, g.Email, g.Role, g.GroupID, g.Group})
	}
	return printTable([]string{"ACCOUNT", "EMAIL", "ROLE", "GROUP", "NAME"}, rows)
}

// institutionShow shows the one institution. It touches no store: name and domain are
// settings.
func institutionShow(_ context.Context, c *command, args []string) error {
	fs := c.flags()
	load := settings(fs, "institution-name", "institution-domain", "repository-name")
	asJSON := jsonFlag(fs)
	if err := c.parse(fs, args, 0); err != nil {
		return err
	}
	cfg, err := load()
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(struct {
			ID     int64  `json:"id"`
			Name   string `json:"name"`
			Domain string `json:"domain"`
		}{handlers.InstitutionID, cfg.InstitutionName, cfg.InstitutionDomain})
	}
	return printTable([]string{"ID", "NAME", "DOMAIN", "FROM"}, [][]any{
		{handlers.InstitutionID, cfg.InstitutionName, cfg.InstitutionDomain, "the settings institution_name and institution_domain"},
	})
}
