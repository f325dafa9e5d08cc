package handlers

import (
	"encoding/json"
	"errors"
	"fmt"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/formats"
	"alcove/handlers/described"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/people"
	"alcove/handlers/present"
	"alcove/record"
)

// The items that "alcove export" writes are read here, piece by piece, so that no answer is large: which items there are, each
// item with its working copy, and each of its versions. It is for operators, so it holds what embargoes withhold.

// ExportQuery asks for a piece: the items behind After, or with an ID that item, or with a Number one of its versions.
type ExportQuery struct {
	Account int64        `json:"account"` // of which items are listed, 0 for those of all
	Group   int64        `json:"group"`   // and group, with those below it, 0 for all
	After   ExportedItem `json:"after"`
	ExportedItem
	Number int64 `json:"number"`
}

// ExportedItem is an article or a collection.
type ExportedItem struct {
	Kind    string `json:"kind"`
	ID      int64  `json:"id"`
	Account int64  `json:"owner"`
}

// ItemExport answers a ExportQuery.
type ItemExport struct {
	Items []ExportedItem `json:"items"` // of a list
	Next  *ExportedItem  `json:"next"`  // where it goes on, nil at its end

	Address string           `json:"address"` // of an item in the API
	Numbers []int64          `json:"numbers"` // of its public versions
	Draft   *ExportedVersion `json:"draft"`   // its working copy, nil where that says no more than the latest version

	Version *ExportedVersion `json:"version"` // that was asked for
}

// ExportedVersion is a version, or a working copy.
type ExportedVersion struct {
	Document json.RawMessage  `json:"document"` // as the API has it for the owner
	DataCite string           `json:"datacite"` // XML, "" for a working copy
	Files    []ExportedFile   `json:"files"`
	Members  []ExportedMember `json:"members"` // articles of a collection
}

// ExportedFile is a file of a version.
type ExportedFile struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Folder string `json:"folder"`
	Link   string `json:"link"` // of one that is only a link
	Size   int64  `json:"size"`
	MD5    string `json:"md5"`
	SHA256 string `json:"sha256"` // names its bytes; "" where they are not whole
}

// ExportedMember is an article of a collection.
type ExportedMember struct {
	ID      int64  `json:"id"`
	Address string `json:"address"`
	DOI     string `json:"doi"`
}

// exportSeen is how many records one answer of a list has looked at.
const exportSeen = 5000

// ExportItems reads a piece.
func (a *API) ExportItems(q ExportQuery) (out ItemExport, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		out = ItemExport{}
		switch {
		case q.ID == 0:
			return listExported(tx, q, &out)
		case q.Number != 0:
			out.Version, err = a.exportedVersion(tx, q.Kind, q.ID, q.Number)
			return err
		}
		return a.exportedItem(tx, q.Kind, q.ID, &out)
	})
	return out, err
}

func listExported(tx *bucket.Tx, q ExportQuery, out *ItemExport) error {
	var groups map[int64]bool
	if q.Group != 0 {
		if !users.Groups.Has(tx, q.Group) {
			return fmt.Errorf("there is no group %d", q.Group)
		}
		var err error
		if groups, err = people.GroupAndBelow(tx, &q.Group); err != nil {
			return err
		}
	}
	seen := 0
	add := func(kind string, w *record.Working) bool {
		item := ExportedItem{kind, w.ID, w.AccountID}
		if (q.Account == 0 || w.AccountID == q.Account) && (groups == nil || groups[w.GroupID]) {
			out.Items = append(out.Items, item)
		}
		if seen++; seen == exportSeen {
			out.Next = &item
			return false
		}
		return true
	}
	if q.After.Kind != "collection" {
		for row, err := range working.Articles.From(tx, q.After.ID+1) {
			if err != nil {
				return err
			}
			if !add("article", &row.Record.Working) {
				return nil
			}
		}
		q.After.ID = 0
	}
	for row, err := range working.Collections.From(tx, q.After.ID+1) {
		if err != nil {
			return err
		}
		if !add("collection", &row.Record.Working) {
			return nil
		}
	}
	return nil
}

func (a *API) exportedItem(tx *bucket.Tx, kind string, id int64, out *ItemExport) (err error) {
	item, of, reply := items.Item(nil), record.KindArticle, endpoint.Reply{}
	if kind == "collection" {
		of = record.KindCollection
		col, err := working.Collections.Get(tx, id)
		if err != nil {
			return err
		}
		if reply, err = a.workingCollection(tx, col, false); err != nil {
			return err
		}
		item = col
	} else {
		art, err := working.Articles.Get(tx, id)
		if err != nil {
			return err
		}
		if reply, err = a.ownDetail(tx, art, record.ScopeRead); err != nil {
			return err
		}
		item = art
	}
	out.Address = a.Settings.API("/%ss/%d", kind, id)
	numbers, err := preservedNumbers(tx, of, id)
	if err != nil {
		return err
	}
	for _, n := range numbers {
		out.Numbers = append(out.Numbers, int64(n))
	}
	s, err := stateOf(tx, item)
	if err != nil || len(numbers) > 0 && !s.Changed && !s.Held {
		return err
	}
	out.Draft = &ExportedVersion{}
	if out.Draft.Document, err = present.Encode(reply.Body); err != nil {
		return err
	}
	if col, is := item.(*record.Collection); is {
		out.Draft.Members, err = a.exportedMembers(tx, col.Articles)
		return err
	}
	files, err := lists.FirstFiles(tx, item.(*record.Article), item.(*record.Article).Files, false)
	for _, f := range files {
		out.Draft.Files = append(out.Draft.Files, exportedFile(f))
	}
	return err
}

func (a *API) exportedVersion(tx *bucket.Tx, kind string, id, number int64) (*ExportedVersion, error) {
	out, key := &ExportedVersion{}, bucket.Pair{A: id, B: number}
	if kind == "collection" {
		v, err := published.CollectionVersions.Get(tx, key)
		if err != nil {
			return nil, err
		}
		if out.Members, err = a.exportedMembers(tx, v.Articles); err != nil {
			return nil, err
		}
		if out.Document, err = present.Encode(a.Settings.CollectionDetail(v, len(v.Articles), a.Items.Leads(tx, v.PublicDOI(v.Version)))); err != nil {
			return nil, err
		}
		var from present.CollectionComplete
		if err := json.Unmarshal(out.Document, &from); err != nil {
			return nil, fmt.Errorf("cannot read the document of a version: %w", err)
		}
		doc := described.Collection(a.Settings, &from)
		out.DataCite = dataCite(described.Item(a.Settings, kind, &doc, fmt.Sprintf("%s/%d", doc.URLPublicHTML, number), a.Items.LeadsIn(tx)))
		return out, nil
	}
	v, err := published.ArticleVersions.Get(tx, key)
	if err != nil {
		return nil, err
	}
	stored, err := a.Items.ArticleDocs.Full(tx, items.VersionKey(v))
	if err != nil {
		return nil, err
	}
	out.Document = json.RawMessage(string(stored.Full)) // it is valid in the transaction only
	var doc present.ArticleComplete
	if err := json.Unmarshal(out.Document, &doc); err != nil {
		return nil, fmt.Errorf("cannot read the document of a version: %w", err)
	}
	out.DataCite = dataCite(described.Item(a.Settings, kind, &doc, fmt.Sprintf("%s/%d", doc.URLPublicHTML, number), a.Items.LeadsIn(tx)))
	for hit := range files.Published.Ascending(tx, bucket.SortKey(id)) {
		if !files.InVersion(hit.Value, int(number)) {
			continue
		}
		f, err := files.Files.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		out.Files = append(out.Files, exportedFile(f))
	}
	return out, nil
}

func dataCite(it formats.Item) string {
	f, _ := formats.ByName("datacite-xml")
	return f.Write(it)
}

func exportedFile(f *record.File) ExportedFile {
	return ExportedFile{f.ID, f.Name, f.Folder, f.Link, f.Size, f.MD5, f.SHA256}
}

func (a *API) exportedMembers(tx *bucket.Tx, ids []int64) ([]ExportedMember, error) {
	var members []ExportedMember
	for _, id := range ids {
		art, err := working.Articles.Get(tx, id)
		if errors.Is(err, bucket.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		m := ExportedMember{ID: id, Address: a.Settings.API("/articles/%d", id)}
		if art.Version > 0 {
			m.DOI = art.DOI
		}
		members = append(members, m)
	}
	return members, nil
}
