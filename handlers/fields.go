package handlers

import (
	"errors"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/people"
	"alcove/handlers/present"
	"alcove/handlers/reports"
	"alcove/record"
)

// FieldList is the custom fields of the caller's group, or of the one that the query
// names.
func (a *API) FieldList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	named, err := c.Query.Integer("group_id")
	if err != nil {
		return endpoint.Reply{}, err
	}
	group, err := people.WorkedGroup(c, tx, named)
	if err != nil {
		return endpoint.Reply{}, err
	}
	fields, err := items.DefinedFields(tx, group)
	return endpoint.Reply{Body: a.Settings.ShortCustomFields(fields), Modified: c.Changed}, err
}

// GroupFieldList is the custom fields of the items of a group as items have them, without
// values. The public description has it as outdated; it is here for its clients.
func (a *API) GroupFieldList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	group := c.ID("group_id")
	if _, err := people.WorkedGroup(c, tx, &group); errors.Is(err, record.ErrGroupForeign) {
		return endpoint.Reply{}, record.ErrGroupNotFound
	} else if err != nil {
		return endpoint.Reply{}, err
	}
	fields, err := items.DefinedFields(tx, group)
	return endpoint.Reply{Body: a.Settings.DefinedFields(fields), Modified: c.Changed}, err
}

// fieldItemsEvery is how often the options of a field can be replaced.
const fieldItemsEvery = time.Hour

// FieldItemsUpload replaces the options of a dropdown_large_list by the first column of a CSV
// file, for those who administer its group. Items keep values that are no options any more.
func (a *API) FieldItemsUpload(c *endpoint.Call) (endpoint.Reply, error) {
	err := a.DB.View(func(tx *bucket.Tx) error {
		if _, err := administeredField(c, tx); err != nil {
			return err
		}
		return c.Expected(tx)
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	file, err := c.FormFile("external_file")
	if err != nil {
		return endpoint.Reply{}, err
	}
	options, err := record.ReadOptions(file)
	if err != nil {
		return endpoint.Reply{}, endpoint.CSVError(err)
	}
	return c.Write(func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
		f, err := administeredField(c, tx)
		if err != nil {
			return endpoint.Reply{}, err
		}
		if reports.Waits(tx, f.Uploaded, fieldItemsEvery) > 0 {
			return endpoint.Reply{}, record.ErrFieldItemsSoon
		}
		f.Options, f.Uploaded = options, tx.Clock()
		if err := f.Check(); err != nil {
			return endpoint.Reply{}, err
		}
		return endpoint.Reply{Body: present.NewOutcome(c.Warned)}, users.Fields.Put(tx, f.ID, f)
	})
}

// administeredField is the large list of the path, when the caller administers its group.
func administeredField(c *endpoint.Call, tx *bucket.Tx) (*record.Field, error) {
	r, err := people.ScopeOf(c, tx)
	if err != nil {
		return nil, err
	}
	if r.Institution != accounts.InstitutionID || !r.Includes(users.FieldOwners.Of(tx, c.ID("custom_field_id")).Group) {
		return nil, record.ErrFieldNotFound
	}
	f, err := users.Fields.Get(tx, c.ID("custom_field_id"))
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, record.ErrFieldNotFound
	}
	if err == nil && f.Type != record.FieldLargeList {
		return nil, record.ErrFieldNoLargeList
	}
	return f, err
}
