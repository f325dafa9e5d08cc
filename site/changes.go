package site

import (
	"encoding/json"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
)

// changes are what a version has otherwise than the one before it.
type changes struct {
	Heading string
	Lines   []string
}

// ListedChanges is how many files that came or went are named.
const ListedChanges = 200

// compare offers the changes of a version, and shows them where the address asks for them: they are
// looked for among all files of the item.
func (s *Site) compare(c *endpoint.Call, tx *bucket.PublicTx, v *item, doc *present.ArticleComplete, page string) error {
	before := 0
	for i, version := range v.All {
		if version.Chosen && i+1 < len(v.All) {
			before = v.numbers[len(v.numbers)-2-i]
		}
	}
	if before == 0 {
		return nil
	}
	v.Compare = page + "?changes=1"
	if asked, _ := c.Query.Find("changes"); asked != "1" {
		return nil
	}
	was, err := s.api.PublicVersionDocument(tx, doc.ID, before)
	if err != nil {
		return err
	}
	v.Compare, v.Hidden = "", true
	v.Changes = &changes{Heading: strings.Replace(v.ChangedSince, "%d", strconv.Itoa(before), 1)}
	for _, field := range v.Differences(&was, doc) {
		v.Changes.Lines = append(v.Changes.Lines, strings.Replace(v.FieldChanged, "%s", field, 1))
	}
	if err := s.fileChanges(tx, v, doc, before); err != nil {
		return err
	}
	if len(v.Changes.Lines) == 0 {
		v.Changes.Lines = []string{v.NothingChanged}
	}
	return nil
}

// Differences are the names of what two versions describe otherwise.
func (w *Words) Differences(was, is *present.ArticleComplete) (names []string) {
	for _, f := range []struct {
		name    string
		was, is any
	}{
		{w.FieldTitle, was.Title, is.Title}, {w.Authors, was.Authors, is.Authors}, {w.AboutItem, was.Description, is.Description},
		{w.Type, was.DefinedType, is.DefinedType}, {w.License, was.License, is.License}, {w.Categories, was.Categories, is.Categories},
		{w.Keywords, was.Tags, is.Tags}, {w.Funding, was.FundingList, is.FundingList}, {w.References, was.References, is.References},
		{w.Related, was.RelatedMaterials, is.RelatedMaterials}, {w.Fields, was.CustomFields, is.CustomFields},
	} {
		if told(f.was) != told(f.is) {
			names = append(names, f.name)
		}
	}
	return names
}

// told is what the API says of a part of an item: one was read of a stored document, which has other Go types inside.
func told(part any) string {
	b, err := json.Marshal(part)
	if err != nil {
		panic(err) // it has been encoded before
	}
	return string(b)
}

// fileChanges names the files that are in one of two versions only.
func (s *Site) fileChanges(tx *bucket.PublicTx, v *item, doc *present.ArticleComplete, before int) error {
	old, err := published.ArticleVersions.Get(tx, bucket.Pair{A: doc.ID, B: int64(before)})
	if err != nil {
		return err
	}
	now, err := published.ArticleVersions.Get(tx, bucket.Pair{A: doc.ID, B: int64(doc.Version)})
	if err != nil || old.HidesFiles() || now.HidesFiles() {
		return err
	}
	n := 0
	for hit := range files.PublicFilesByFolder.Ascending(tx, files.FolderKey(doc.ID, "")) {
		had, has := files.InVersion(hit.Value, before), files.InVersion(hit.Value, doc.Version)
		if had == has {
			continue
		}
		if n++; n > ListedChanges {
			continue
		}
		f, err := files.PublicFiles.Get(tx, hit.Key)
		if err != nil {
			return err
		}
		form := v.FileAdded
		if had {
			form = v.FileRemoved
		}
		v.Changes.Lines = append(v.Changes.Lines, strings.Replace(form, "%s", Joined(strings.Trim(f.Folder, "/"), f.Name), 1))
	}
	if n > ListedChanges {
		v.Changes.Lines = append(v.Changes.Lines, strings.Replace(v.MoreChanges, "%d", strconv.Itoa(n-ListedChanges), 1))
	}
	return nil
}
