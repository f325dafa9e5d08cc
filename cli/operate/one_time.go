package operate

import (
	"context"

	"alcove/bucket"
	"alcove/jobs"
)

// OneTime asks for a one-time link.
type OneTime = jobs.OneTime

// MakeOneTime stores a one-time link and returns its secret.
func MakeOneTime(ctx context.Context, db *bucket.DB, o OneTime) (secret string, err error) {
	err = db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) (err error) {
		secret, err = o.Make(tx)
		return err
	})
	return secret, err
}

// MailOneTime has a one-time link sent, and returns what is told of it.
func MailOneTime(ctx context.Context, db *bucket.DB, o OneTime) (told string, err error) {
	err = db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
		to, err := o.Mail(tx)
		told = "a mail to " + to + " waits to be sent; --print prints an address instead"
		return err
	})
	return told, err
}
