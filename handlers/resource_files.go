package handlers

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/record"
)

// resourceQuery is what a list of articles by resource and file is asked for; both are needed.
type resourceQuery struct {
	Paging
	ResourceID *string `json:"resource_id"`
	Filename   *string `json:"filename"`
}

// PublicResourceFiles lists the public articles of an institution whose latest version belongs to
// a resource and has a file of a name, by id.
func (a *API) PublicResourceFiles(c *Call, tx *bucket.PublicTx) (Reply, error) {
	in := c.Text("institution_string_id")
	if in != strconv.Itoa(accounts.InstitutionID) && (a.Institution.Domain == "" || !strings.EqualFold(in, a.Institution.Domain)) {
		return Reply{}, record.ErrInstitutionUnknown
	}
	w, err := c.page(publicItems)
	if err != nil {
		return Reply{}, err
	}
	resource, _ := c.Query.find("resource_id")
	name, _ := c.Query.find("filename")
	switch {
	case resource == "":
		return Reply{}, record.Wrong("resource_id", "is required")
	case name == "":
		return Reply{}, record.Wrong("filename", "is required")
	}
	list := []json.RawMessage{}
	for hit := range bucket.VersionsByResource.Ascending(tx, bucket.SortKey(resource)) {
		has, err := showsFile(tx, hit.Key, name)
		if err != nil {
			return Reply{}, err
		}
		if !has {
			continue
		}
		if w.skip > 0 {
			w.skip--
			continue
		}
		doc, err := a.Items.ArticleDocs.List(tx, hit.Key)
		if err != nil {
			return Reply{}, err
		}
		if list = append(list, slices.Clone(doc.List)); len(list) == w.take {
			break
		}
	}
	return Reply{Body: list, Modified: c.changed}, nil
}

// showsFile reports whether a version is the one that readers get, and shows a file of a name.
// What no file of that name is in is known without reading a record.
func showsFile(tx *bucket.PublicTx, key bucket.Pair, name string) (bool, error) {
	head, public := bucket.PublicFacts.Facts(tx, key.A)
	if !public || head.Version != key.B {
		return false, nil
	}
	for hit := range bucket.PublicFilesByName.Ascending(tx, bucket.SortKey(key.A, name)) {
		if bucket.InVersion(hit.Value, int(key.B)) {
			v, err := bucket.ArticleVersions.Get(tx, key)
			return err == nil && !v.HidesFiles(), err
		}
	}
	return false, nil
}
