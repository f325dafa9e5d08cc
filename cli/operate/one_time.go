package operate

import (
	"context"
	"fmt"
	"net/mail"
	"strings"

	"alcove/auth"
	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/record"
)

// OneTime asks for a one-time link: an invitation to begin an account, or, with Reset, one to set the password
// of an account.
type OneTime struct {
	Email string `json:"email"` // of a reset also the id of the account
	Admin bool   `json:"admin"`
	Reset bool   `json:"reset"`
}

// MakeOneTime stores a one-time link and returns its secret.
func MakeOneTime(ctx context.Context, db *bucket.DB, o OneTime) (secret string, err error) {
	err = db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		if o.Reset {
			acc, err := accounts.Find(tx, o.Email)
			if err != nil {
				return err
			}
			if !acc.Active(tx.Latest()) {
				return fmt.Errorf("cannot reset the password of %s: the account is disabled or has ended", acc.Email)
			}
			secret, err = auth.NewLink(tx, record.OneTimeLink{AccountID: acc.ID, Email: acc.Email}, auth.ResetLasts)
			return err
		}
		addr, err := mail.ParseAddress(o.Email)
		if err != nil || addr.Address != strings.TrimSpace(o.Email) {
			return fmt.Errorf("cannot invite %q: it is not an e-mail address", o.Email)
		}
		if accounts.EmailTaken(tx, addr.Address) {
			return fmt.Errorf("cannot invite %s: there is an account with this address already; alcove account reset sets its password", addr.Address)
		}
		secret, err = auth.NewLink(tx, record.OneTimeLink{Email: addr.Address, Admin: o.Admin}, auth.InvitationLasts)
		return err
	})
	return secret, err
}
