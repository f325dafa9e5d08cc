package items

import (
	"fmt"
	"slices"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/record"
)

// Withhold takes out of a working copy that was loaded what tells who made it: for an anonymous
// link, which shows nothing else of it.
func Withhold(tx *bucket.Tx, w *record.Working) error {
	fields, err := DefinedFields(tx, w.GroupID)
	if err != nil {
		return err
	}
	identifying := map[string]bool{}
	for _, f := range fields {
		identifying[f.Name] = f.Identifying
	}
	w.CustomFields = slices.DeleteFunc(w.CustomFields, func(f record.CustomField) bool { return identifying[f.Name] })
	w.Authors, w.References, w.Related, w.FundingList, w.Funding = nil, nil, nil, nil, ""
	w.GroupID, w.ProjectID, w.InstitutionID = 0, 0, 0
	w.DOI, w.Handle, w.VersionDOI = "", "", ""
	w.ResourceDOI, w.ResourceTitle, w.ResourceID, w.ResourceLink, w.ResourceStatus, w.ResourceVersion = "", "", "", "", "", 0
	w.Timeline, w.OldPaths, w.First, w.Published = record.Timeline{}, nil, nil, nil
	w.Embargo.Title, w.Embargo.Reason, w.Embargo.Options = "", "", nil
	return nil
}

// tracesMost are the traces that are told, and filesTraced the files whose names are looked at when
// a link is made: `alcove review-check` looks at all.
const (
	tracesMost  = 20
	filesTraced = 1000
)

// Makers are the authors of an item, and the mail addresses of the accounts that they and the item
// belong to.
func Makers(tx *bucket.Tx, w *record.Working) (people []record.Person, mails []string, err error) {
	if people, err = People(tx, w.Authors); err != nil {
		return nil, nil, err
	}
	holders, seen := []int64{w.AccountID}, map[int64]bool{}
	for i := range people {
		if id := people[i].AccountID; id != 0 {
			holders = append(holders, id)
		}
	}
	for _, id := range holders {
		if seen[id] {
			continue
		}
		seen[id] = true
		acc, err := users.Accounts.Get(tx, id)
		if err != nil {
			return nil, nil, err
		}
		mails = append(mails, acc.Email)
	}
	return people, mails, nil
}

// Traces are the texts of an item that an anonymous link shows and that name an author, in words
// for its owner. They are told, and not rewritten.
func (k *Kind) Traces(tx *bucket.Tx, w *record.Working) ([]string, error) {
	people, mails, err := Makers(tx, w)
	if err != nil {
		return nil, err
	}
	ids := record.NewIdentities()
	for i := range people {
		ids.Person(&people[i])
	}
	for _, m := range mails {
		ids.Mail(m)
	}
	var found []string
	look := func(where, text string) {
		if what := ids.In(text); len(what) > 0 && len(found) <= tracesMost {
			found = append(found, fmt.Sprintf("%s names an author: %s", where, what[0]))
		}
	}
	fields, err := DefinedFields(tx, w.GroupID)
	if err != nil {
		return nil, err
	}
	look("title", w.Title)
	look("description", w.Description)
	look("metadata_reason", w.MetadataReason)
	for _, tag := range w.Tags {
		look("tags", tag)
	}
	for _, v := range w.CustomFields {
		if !slices.ContainsFunc(fields, func(f record.Field) bool { return f.Name == v.Name && f.Identifying }) {
			look(fmt.Sprintf("custom field %q", v.Name), v.Name+" "+string(v.Value))
		}
	}
	if k.Path == "articles" {
		n := 0
		for hit := range files.ByArticle.Ascending(tx, bucket.SortKey(w.ID)) {
			if n++; n > filesTraced {
				found = append(found, fmt.Sprintf("only the names of the first %d files were looked at; alcove review-check looks at all", filesTraced))
				break
			}
			f, err := files.Files.Get(tx, hit.Key)
			if err != nil {
				return nil, err
			}
			look(fmt.Sprintf("file %d", f.ID), f.Folder+"/"+f.Name+" "+f.Link)
		}
	}
	if len(found) > tracesMost {
		found = append(found[:tracesMost:tracesMost], "there are more")
	}
	return found, nil
}
