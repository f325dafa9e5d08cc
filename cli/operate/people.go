package operate

import (
	"context"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
)

// People asks for invitations of the lines of a table.
type People struct {
	Guests []accounts.Guest `json:"guests"`
	Dry    bool             `json:"dry_run"` // only tell what would be done
	Print  bool             `json:"print"`   // addresses are made, also where mail is configured
}

// InvitePeople invites those who have neither an account nor an invitation, and tells what became of each line. Where one
// is wrong it invites none. base is what the addresses of invitations begin with.
func InvitePeople(ctx context.Context, db *bucket.DB, p People, mails bool, base string) (guests []accounts.Guest, err error) {
	look := func(tx *bucket.Tx) (right bool, err error) {
		guests = append([]accounts.Guest{}, p.Guests...) // it may run twice
		right = true
		err = accounts.FindGuests(tx, guests, func(group int64) bool { return users.Groups.Has(tx, group) }, true)
		for _, g := range guests {
			right = right && g.Wrong == ""
		}
		return right, err
	}
	if p.Dry {
		err = db.View(func(tx *bucket.Tx) error {
			_, err := look(tx)
			return err
		})
		return guests, err
	}
	err = db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
		if right, err := look(tx); err != nil || !right {
			return err
		}
		for i := range guests {
			g := &guests[i]
			if !g.Pending() {
				continue
			}
			o := OneTime{Email: g.Email, GroupID: g.GroupID, FirstName: g.First, LastName: g.Last}
			if mails {
				if _, err := o.Mail(tx); err != nil {
					return err
				}
				continue
			}
			secret, err := o.Make(tx)
			if err != nil {
				return err
			}
			g.Address = base + secret
		}
		return nil
	})
	return guests, err
}
