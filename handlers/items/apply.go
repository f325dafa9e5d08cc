package items

import (
	"errors"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/record"
	"alcove/record/catalogue"
)

// Apply writes a body to a working copy. No person is stored before everything else of the body
// was checked. The caller stores the item.
func (s *Service) Apply(c *Caller, tx *bucket.Tx, item Item, body record.ItemBody) error {
	if err := s.Describe(c, tx, item, body); err != nil {
		return err
	}
	return c.credit(tx, item.Common(), body.Common().Authors)
}

// credit gives a working copy the authors of a body, if it has some.
func (c *Caller) credit(tx *bucket.Tx, w *record.Working, authors *[]record.AuthorRef) (err error) {
	if authors != nil {
		w.Authors, err = c.Name(tx, *authors)
	}
	return err
}

// Describe is Apply but for the authors, which it looks up. It stores nothing.
func (s *Service) Describe(c *Caller, tx *bucket.Tx, item Item, body record.ItemBody) error {
	k, w, said := s.kindOf(item), item.Common(), body.Common()
	if field, needed := body.NeedsRights(); needed && !c.Account.Admin && !c.Loads {
		return record.Refused("FieldNotAllowed", "Only administrators may set "+field)
	}
	if err := body.Within(s.Limits.Lists, &w.Metadata, len(w.Authors)); err != nil {
		return err
	}
	if err := body.Check(); err != nil {
		return err
	}
	switch body := body.(type) {
	case *record.ArticleBody:
		if err := offered(tx, &w.Metadata, body); err != nil && !c.Loads {
			return err
		}
		if body.MetadataOnly != nil && *body.MetadataOnly && item.(*record.Article).Files > 0 {
			return record.Wrong("is_metadata_record", "cannot be true while the article has files")
		}
	case *record.CollectionBody:
		if body.Articles != nil {
			if err := s.SetMembers(c, tx, item.(*record.Collection), *body.Articles, false); err != nil {
				return err
			}
		}
	}
	if err := k.sort(c, tx, w, said); err != nil {
		return err
	}
	had, materials := w.Identifiers(), w.MaterialCount()
	body.Apply(&w.Metadata)
	if err := w.Fits(s.Limits.Lists, materials); err != nil {
		return err
	}
	if said.CustomFields != nil || said.CustomFieldsList != nil {
		if err := c.checkFields(tx, &w.Metadata); err != nil {
			return err
		}
	}
	return k.Free(c, tx, w.ID, had, &w.Metadata)
}

// offered refuses a licence or a type that administrators have switched off, unless the item has it already.
func offered(tx *bucket.Tx, m *record.Metadata, body *record.ArticleBody) error {
	if body.License == nil && body.DefinedType == nil {
		return nil
	}
	chosen, err := users.Choices.Get(tx, accounts.InstitutionID)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if l := body.License; l != nil && *l != m.License && !chosen.OffersLicence(*l) {
		return record.Wrong("license", "is not offered by this repository")
	}
	if body.DefinedType != nil {
		if t, ok := catalogue.ItemTypeByName(*body.DefinedType); ok && t.ID != m.Type && !chosen.OffersType(t.ID) {
			return record.Wrong("defined_type", "is not offered by this repository")
		}
	}
	return nil
}

// sort writes the group and the categories of a body to a working copy, fills what it names by an
// id, and looks up its people, which credit names. It stores nothing.
func (k *Kind) sort(c *Caller, tx *bucket.Tx, w *record.Working, said *record.ArticleBody) error {
	if g := said.GroupID; g != nil && *g != 0 && *g != w.GroupID {
		if err := c.UsableGroup(tx, *g, record.ErrItemGroup); err != nil {
			return err
		}
		w.GroupID = *g
	}
	if err := c.Fill(tx, &w.Metadata, &said.Extras); err != nil {
		return err
	}
	if said.SourceIDs != nil { // these win over categories
		ids, warnings := record.CategoriesByCode(*said.SourceIDs)
		w.Categories = Unique(ids)
		c.Warned = append(c.Warned, warnings...)
	} else if said.Categories != nil {
		ids, err := k.KnownCategories(*said.Categories)
		if err != nil {
			return err
		}
		w.Categories = ids
	}
	if said.Authors != nil {
		return c.MayName(tx, *said.Authors, w.Authors, k.AuthorUnknown)
	}
	return nil
}

// KnownCategories checks ids of categories and drops repetitions.
func (k *Kind) KnownCategories(ids []int64) ([]int64, error) {
	for _, id := range ids {
		if _, ok := catalogue.CategoryByID(id); !ok {
			return nil, k.noCategory
		}
	}
	return Unique(ids), nil
}

// SetMembers gives a collection other articles in the place of those that the caller sees, or adds
// them. The caller stores the collection.
func (s *Service) SetMembers(c *Caller, tx *bucket.Tx, col *record.Collection, ids []int64, add bool) error {
	ids, err := c.Members(tx, col, ids)
	if err != nil {
		return err
	}
	if add {
		ids = Unique(append(append([]int64{}, col.Articles...), ids...))
	} else {
		ids = c.replaced(tx, col, ids)
	}
	if err := record.Bounded("articles", len(ids), len(col.Articles), s.Limits.Lists.Articles); err != nil {
		return err
	}
	col.Articles = ids
	return nil
}

// Members checks ids of articles for a collection: public ones, and the owner's own. Those that the
// caller may not see does not exist.
func (c *Caller) Members(tx *bucket.Tx, col *record.Collection, ids []int64) ([]int64, error) {
	for _, id := range ids {
		if published.Articles.Has(tx, id) {
			continue
		}
		if c.ByLink(&col.Working) || !c.Owns(tx, id) {
			return nil, record.ErrCollectionArticle
		}
	}
	return Unique(ids), nil
}

// replaced are the members of a collection after others have taken the place of those that the
// caller sees. By a link it sees public ones only; the others stay where they are.
func (c *Caller) replaced(tx *bucket.Tx, col *record.Collection, ids []int64) []int64 {
	if !c.ByLink(&col.Working) {
		return ids
	}
	merged := make([]int64, 0, len(ids))
	for _, id := range col.Articles {
		switch {
		case !published.Articles.Has(tx, id):
			merged = append(merged, id)
		case len(ids) > 0:
			merged, ids = append(merged, ids[0]), ids[1:]
		}
	}
	return append(merged, ids...)
}
