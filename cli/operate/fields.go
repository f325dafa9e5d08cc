package operate

import (
	"context"
	"errors"
	"fmt"

	"alcove/bucket"
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
		for hit := range bucket.FieldsByGroup.Ascending(tx, nil) {
			f, err := bucket.Fields.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			if group != 0 && f.GroupID != group {
				continue
			}
			g, err := bucket.Groups.Get(tx, f.GroupID)
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
	if err := f.Check(); err != nil {
		return 0, fmt.Errorf("cannot define the field: %w", err)
	}
	err = db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		if _, err := findGroup(tx, f.GroupID); err != nil {
			return err
		}
		last := 0
		for hit := range bucket.FieldsByGroup.Ascending(tx, bucket.SortKey(f.GroupID)) {
			other, err := bucket.Fields.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			if other.Name == f.Name {
				return fmt.Errorf("cannot define the field: the group has one with the name %q already", f.Name)
			}
			last = max(last, other.Order)
		}
		stored := f
		if stored.Order == 0 {
			stored.Order = last + 1
		}
		var err error
		if stored.ID, err = bucket.Fields.NextID(tx); err != nil {
			return err
		}
		id = stored.ID
		return bucket.Fields.Put(tx, stored.ID, &stored)
	})
	return id, err
}

// RemoveField removes the definition of a custom field. Items keep their values.
func RemoveField(ctx context.Context, db *bucket.DB, id int64) error {
	return db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		err := bucket.Fields.Delete(tx, id)
		if errors.Is(err, bucket.ErrNotFound) {
			return fmt.Errorf("cannot find a field %d", id)
		}
		return err
	})
}

// removeFields removes what a group defines, with the group.
func removeFields(tx *bucket.Tx, group int64) error {
	var ids []int64
	for hit := range bucket.FieldsByGroup.Ascending(tx, bucket.SortKey(group)) {
		ids = append(ids, hit.Key)
	}
	for _, id := range ids {
		if err := bucket.Fields.Delete(tx, id); err != nil {
			return err
		}
	}
	return nil
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
	parsed, err := record.ParseNetworks(networks)
	r := &record.AddressRange{Name: name, Networks: parsed}
	if err == nil {
		err = r.Check()
	}
	if err != nil {
		return 0, fmt.Errorf("cannot add the range: %w", err)
	}
	err = db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		var err error
		if r.ID, err = bucket.AddressRanges.NextID(tx); err != nil {
			return err
		}
		id = r.ID
		return bucket.AddressRanges.Put(tx, r.ID, r)
	})
	return id, err
}

// RemoveRange removes an address range: from then on embargoes that name it let in
// no client from there.
func RemoveRange(ctx context.Context, db *bucket.DB, id int64) error {
	return db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		err := bucket.AddressRanges.Delete(tx, id)
		if errors.Is(err, bucket.ErrNotFound) {
			return fmt.Errorf("cannot find a range %d", id)
		}
		return err
	})
}
