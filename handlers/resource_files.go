package handlers

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/handlers/lists"
	"alcove/record"
)

// resourceQuery is what a list of articles by resource and file is asked for; both are needed.
type resourceQuery struct {
	lists.Paging
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
	w, err := c.page(lists.PublicItems)
	if err != nil {
		return Reply{}, err
	}
	resource, _ := c.Query.Find("resource_id")
	name, _ := c.Query.Find("filename")
	switch {
	case resource == "":
		return Reply{}, record.Wrong("resource_id", "is required")
	case name == "":
		return Reply{}, record.Wrong("filename", "is required")
	}
	having := func(yield func(bucket.Pair, error) bool) {
		for hit := range bucket.VersionsByResource.Ascending(tx, bucket.SortKey(resource)) {
			has, err := showsFile(tx, hit.Key, name)
			if (has || err != nil) && !yield(hit.Key, err) {
				return
			}
		}
	}
	list := []json.RawMessage{}
	for version, err := range lists.PageOf(w, having) {
		if err != nil {
			return Reply{}, err
		}
		doc, err := a.Items.ArticleDocs.List(tx, version)
		if err != nil {
			return Reply{}, err
		}
		list = append(list, slices.Clone(doc.List))
	}
	return Reply{Body: list, Modified: c.changed}, nil
}

// showsFile reports whether a version is the one that readers get, and shows a file of a name.
// A version without a file of that name is known without reading a record.
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
