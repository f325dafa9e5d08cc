package operate

import (
	"context"
	"fmt"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/handlers/items"
	"alcove/record"
)

// FieldLine is what operators see of the definition of a custom field.
type FieldLine struct {
	record.Field
	Group string `json:"group"`
}

// ListFields lists the definitions of custom fields, of one group or of all (0), by group
// and order.
func ListFields(db *bucket.DB, group int64) ([]FieldLine, error) {
	lines := []FieldLine{}
	err := db.View(func(tx *bucket.Tx) error {
		for hit := range users.FieldsByGroup.Ascending(tx, nil) {
			f, err := users.Fields.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			if group != 0 && f.GroupID != group {
				continue
			}
			g, err := users.Groups.Get(tx, f.GroupID)
			if err != nil {
				return err
			}
			lines = append(lines, FieldLine{*f, g.Name})
		}
		return nil
	})
	return lines, err
}

// AddField defines a custom field in a group and returns its id. Without an order it
// comes last there. Values that items have already are not looked at: they are checked
// when they are next written.
func AddField(ctx context.Context, db *bucket.DB, f record.Field) (id int64, err error) {
	err = db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) (err error) {
		id, err = accounts.AddField(tx, f)
		return err
	})
	return id, err
}

// RemoveField removes the definition of a custom field. Items keep their values.
func RemoveField(ctx context.Context, db *bucket.DB, id int64) error {
	return db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error { return accounts.RemoveField(tx, id) })
}

// ListRanges lists the address ranges that embargoes can let in, by id.
func ListRanges(db *bucket.DB) (ranges []*record.AddressRange, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		ranges, err = items.AddressRanges(tx)
		return err
	})
	return ranges, err
}

// AddRange makes an address range and returns its id.
func AddRange(ctx context.Context, db *bucket.DB, name, networks string) (id int64, err error) {
	r, err := accounts.NewRange(name, networks)
	if err != nil {
		return 0, fmt.Errorf("cannot add the range: %w", err)
	}
	err = db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error {
		err := accounts.AddRange(tx, r)
		id = r.ID
		return err
	})
	return id, err
}

// RemoveRange removes an address range: from then on embargoes that name it let in
// no client from there.
func RemoveRange(ctx context.Context, db *bucket.DB, id int64) error {
	return db.UpdateBy(ctx, Operator, func(tx *bucket.Tx) error { return accounts.RemoveRange(tx, id) })
}
