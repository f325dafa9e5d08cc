package handlers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"alcove/blobs/archive"
	format "alcove/blobs/ocfl"
	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/formats"
	"alcove/handlers/described"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/present"
	"alcove/jobs/ocfl"
	"alcove/record"
)

// The storage root of OCFL has of an item what a reader without an account gets of each public version.

// preserved is an ocfl.Source.
func (a *API) preserved() ocfl.Source {
	return ocfl.Source{Numbers: preservedNumbers, Version: a.preservedVersion}
}

// preservedNumbers are the public versions of an item.
func preservedNumbers(tx *bucket.Tx, kind, id int64) (list []int, err error) {
	if kind == record.KindCollection {
		if !published.Collections.Has(tx, id) {
			return nil, nil
		}
		return versionNumbers(tx, &published.CollectionVersions.Table, id)
	}
	if !published.Articles.Has(tx, id) {
		return nil, nil
	}
	return versionNumbers(tx, &published.ArticleVersions.Table, id)
}

func versionNumbers[R any](tx *bucket.Tx, table *bucket.Table[bucket.Pair, R], id int64) (list []int, err error) {
	for row, err := range table.All(tx, bucket.Prefix(id)) {
		if err != nil {
			return nil, err
		}
		list = append(list, int(row.Key.B))
	}
	return list, nil
}

func (a *API) preservedVersion(tx *bucket.Tx, kind, id int64, version int) (*ocfl.Version, error) {
	if kind == record.KindCollection {
		return a.preservedCollection(tx, bucket.Pair{A: id, B: int64(version)})
	}
	v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: id, B: int64(version)})
	if err != nil {
		return nil, err
	}
	head, err := endpoint.PublicHead(tx, id, record.ErrArticleUnknown)
	if err != nil {
		return nil, err
	}
	stored, err := a.Items.ArticleDocs.Full(tx, items.VersionKey(v))
	if err != nil {
		return nil, err
	}
	var doc present.ArticleComplete
	if err := json.Unmarshal(stored.Full, &doc); err != nil {
		return nil, fmt.Errorf("cannot read the document of a version: %w", err)
	}
	out := &ocfl.Version{Published: v.Published}
	if !v.DownloadDisabled && !head.DownloadDisabled {
		if out.Files, err = preservedFiles(tx, v); err != nil {
			return nil, err
		}
	}
	it := described.Item(a.Settings, "article", &doc, fmt.Sprintf("%s/%d", doc.URLPublicHTML, version), a.Items.LeadsIn(tx))
	return out, describePreserved(out, it, stored.Full)
}

// preservedFiles are the files that the archive of a version has, under the same names. Links to elsewhere are left out.
func preservedFiles(tx *bucket.Tx, v *record.ArticleVersion) (files []format.File, err error) {
	var entries []archive.Entry
	for f, err := range items.FilesOf(tx, v) {
		if err != nil {
			return nil, err
		}
		if f.Link == "" {
			entries = append(entries, archive.Entry{Name: "files/" + f.Folder + "/" + f.Name})
			files = append(files, format.File{SHA256: f.SHA256, MD5: f.MD5, Size: f.Size, CRC32: f.CRC32})
		}
	}
	archive.Rename(entries)
	for i := range files {
		files[i].Path = entries[i].Name
	}
	return files, nil
}

// describePreserved adds what describes an item.
func describePreserved(v *ocfl.Version, it formats.Item, document []byte) error {
	var readable bytes.Buffer
	if err := json.Indent(&readable, document, "", "  "); err != nil {
		return fmt.Errorf("cannot write the document of a version: %w", err)
	}
	v.Files = append(v.Files, format.Made("metadata/item.json", append(readable.Bytes(), '\n')))
	for _, form := range []struct{ name, file string }{{"datacite-xml", "datacite.xml"}, {"datacite-json", "datacite.json"}} {
		f, _ := formats.ByName(form.name)
		v.Files = append(v.Files, format.Made("metadata/"+form.file, []byte(f.Write(it))))
	}
	return nil
}

// preservedMember is an article of a collection.
type preservedMember struct {
	ID      int64  `json:"id"`
	Version int64  `json:"version"` // the latest
	DOI     string `json:"doi"`     // of the article as a whole, "" where none is known to lead there
}

// preservedCollection is a version of a collection with those of its articles that are public.
func (a *API) preservedCollection(tx *bucket.Tx, key bucket.Pair) (*ocfl.Version, error) {
	v, err := published.CollectionVersions.Get(tx, key)
	if err != nil {
		return nil, err
	}
	leads := a.Items.LeadsIn(tx)
	members := []preservedMember{}
	for _, id := range v.Articles {
		fact, public := published.ArticleFacts.Facts(tx, id)
		if !public {
			continue
		}
		m := preservedMember{ID: id, Version: fact.Version}
		shown, err := published.ArticleVersions.Get(tx, bucket.Pair{A: id, B: fact.Version})
		if err != nil && !errors.Is(err, bucket.ErrNotFound) {
			return nil, err
		}
		if err == nil && leads(shown.DOI) {
			m.DOI = shown.DOI
		}
		members = append(members, m)
	}
	document, err := present.Encode(a.Settings.CollectionDetail(v, len(members), a.Items.Leads(tx, v.PublicDOI(v.Version))))
	if err != nil {
		return nil, err
	}
	var from present.CollectionComplete
	if err := json.Unmarshal(document, &from); err != nil {
		return nil, fmt.Errorf("cannot read the document of a version: %w", err)
	}
	doc := described.Collection(a.Settings, &from)
	list, err := json.MarshalIndent(members, "", "  ")
	if err != nil {
		return nil, err
	}
	out := &ocfl.Version{Published: v.Published, Files: []format.File{format.Made("metadata/articles.json", append(list, '\n'))}}
	it := described.Item(a.Settings, "collection", &doc, fmt.Sprintf("%s/%d", doc.URLPublicHTML, v.Version), leads)
	return out, describePreserved(out, it, document)
}
