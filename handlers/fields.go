package handlers

import (
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/record"
)

// FieldList is the custom fields of the caller's group, or of the one that the query
// names (api-beyond 6).
func (a *API) FieldList(c *Call, tx *bucket.Tx) (Reply, error) {
	named, err := c.Query.integer("group_id")
	if err != nil {
		return Reply{}, err
	}
	group, err := c.workedGroup(tx, named)
	if err != nil {
		return Reply{}, err
	}
	fields, err := definedFields(tx, group)
	return Reply{Body: a.Settings.ShortCustomFields(fields), Modified: c.changed}, err
}

// checkFields refuses values of custom fields that the definitions of the item's group do
// not take. A field that is not defined is kept, and named in the warnings.
func (c *Call) checkFields(tx *bucket.Tx, m *record.Metadata) error {
	defined, err := definedFields(tx, m.GroupID)
	if err != nil {
		return err
	}
	unknown, err := record.CheckFields(m.CustomFields, defined)
	if err != nil || len(unknown) == 0 {
		return err
	}
	w := "These custom fields are not defined in the group: " + strings.Join(unknown[:min(len(unknown), 20)], ", ")
	if !slices.Contains(c.warned, w) { // a handler may run twice
		c.warned = append(c.warned, w)
	}
	return nil
}

// define puts the definitions that hold for an item beside its values, for a reader or
// for a version that keeps them.
func define(tx *bucket.Tx, m *record.Metadata) (err error) {
	m.Defined, err = definedFields(tx, m.GroupID)
	return err
}

// complete is define for what becomes public: it refuses an item that lacks a value which
// publishing asks for.
func complete(tx *bucket.Tx, m *record.Metadata) error {
	if err := define(tx, m); err != nil {
		return err
	}
	if name, missing := record.MissingField(m.CustomFields, m.Defined); missing {
		return record.MissingForPublication(name)
	}
	return nil
}

// refreshFields gives a public version the definitions of now when a correction sends
// custom fields, and refuses one that takes away what publishing asks for.
func refreshFields(tx *bucket.Tx, v *record.ArticleVersion, body *record.ArticleBody) error {
	if body.CustomFields == nil && body.CustomFieldsList == nil {
		return nil
	}
	return complete(tx, &v.Metadata)
}
