package accounts

import (
	"errors"
	"fmt"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/record"
)

// ErrFieldNamed says that a group has a custom field of that name already.
var ErrFieldNamed = errors.New("the group has one with the name")

// AddField defines a custom field in a group and returns its id. Without an order it comes last there. Values that
// items have already are checked when they are next written.
func AddField(tx *bucket.Tx, f record.Field) (int64, error) {
	if err := f.Check(); err != nil {
		return 0, fmt.Errorf("cannot define the field: %w", err)
	}
	if _, err := FindGroup(tx, f.GroupID); err != nil {
		return 0, err
	}
	last, err := otherFields(tx, &f)
	if err != nil {
		return 0, err
	}
	if f.Order == 0 {
		f.Order = last + 1
	}
	if f.ID, err = users.Fields.NextID(tx); err != nil {
		return 0, err
	}
	return f.ID, users.Fields.Put(tx, f.ID, &f)
}

// ChangeField stores another definition in the place of one. Its group stays.
func ChangeField(tx *bucket.Tx, f *record.Field) error {
	if err := f.Check(); err != nil {
		return fmt.Errorf("cannot define the field: %w", err)
	}
	if _, err := otherFields(tx, f); err != nil {
		return err
	}
	return users.Fields.Put(tx, f.ID, f)
}

// otherFields is the last place among the other fields of the group, of which none may have the name.
func otherFields(tx *bucket.Tx, f *record.Field) (last int, err error) {
	for hit := range users.FieldsByGroup.Ascending(tx, bucket.SortKey(f.GroupID)) {
		if hit.Key == f.ID {
			continue
		}
		other, err := users.Fields.Get(tx, hit.Key)
		if err != nil {
			return 0, err
		}
		if other.Name == f.Name {
			return 0, fmt.Errorf("cannot define the field: %w %q already", ErrFieldNamed, f.Name)
		}
		last = max(last, other.Order)
	}
	return last, nil
}

// FieldsOf are the custom fields that a group itself defines, in their order.
func FieldsOf(tx *bucket.Tx, group int64) (fields []*record.Field, err error) {
	for hit := range users.FieldsByGroup.Ascending(tx, bucket.SortKey(group)) {
		f, err := users.Fields.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// RemoveField removes the definition of a custom field. Items keep their values.
func RemoveField(tx *bucket.Tx, id int64) error {
	err := users.Fields.Delete(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return fmt.Errorf("cannot find a field %d", id)
	}
	return err
}

// removeFields removes what a group defines, with the group.
func removeFields(tx *bucket.Tx, group int64) error {
	for _, id := range bucket.Keys(users.FieldsByGroup.Ascending(tx, bucket.SortKey(group))) {
		if err := users.Fields.Delete(tx, id); err != nil {
			return err
		}
	}
	return nil
}

// NewRange is an address range that is not stored yet.
func NewRange(name, networks string) (*record.AddressRange, error) {
	parsed, err := record.ParseNetworks(networks)
	if err != nil {
		return nil, err
	}
	r := &record.AddressRange{Name: name, Networks: parsed}
	return r, r.Check()
}

// AddRange stores an address range and gives it an id.
func AddRange(tx *bucket.Tx, r *record.AddressRange) (err error) {
	if r.ID, err = users.AddressRanges.NextID(tx); err != nil {
		return err
	}
	return users.AddressRanges.Put(tx, r.ID, r)
}

// RemoveRange removes an address range: from then on embargoes that name it let in no client from there.
func RemoveRange(tx *bucket.Tx, id int64) error {
	err := users.AddressRanges.Delete(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return fmt.Errorf("cannot find a range %d", id)
	}
	return err
}
