package handlers

import (
	"fmt"
	"iter"
	"strings"

	"alcove/bucket"
	"alcove/handlers/bags"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/record"
)

// A version as a bag (RFC 8493): ?format=bagit at the addresses of the archives of public versions. It has the files
// that the archive gives the same caller. Unlike that, there is one of a version without files: a bag of what
// describes it.

// asksForBag reports whether the query asks for a bag in place of an archive.
func asksForBag(c *endpoint.Call) (bool, error) {
	format, _ := c.Query.Find("format")
	folder, _ := c.Query.Find("folder_path")
	switch {
	case format == "" || format == "zip":
		return false, nil
	case format != "bagit":
		return false, record.ErrBadFormat
	case strings.Trim(folder, "/") != "":
		return false, record.ErrBagOfFolder
	}
	return true, nil
}

// versionBag is the bag of a public version.
func (a *API) versionBag(c *endpoint.Call, tx bucket.Reader, v *record.ArticleVersion, public bool) (endpoint.Reply, error) {
	key := archiveKey{article: v.ArticleID, version: v.Version, bag: true}
	done, err := a.layOut(c, v.Files)
	if err != nil {
		return endpoint.Reply{}, err
	}
	defer done()
	if kept, ok := a.archiveCache.Find(c.Position, key); ok {
		return kept.reply(versionBagName(v), v.Modified, public), nil
	}
	layout, err := bag(c, tx, v, items.FilesOf(tx, v))
	if err != nil {
		return endpoint.Reply{}, err
	}
	a.archiveCache.Keep(c.Position, key, layout, layout.bytes()) // also without a range: one of 100,000 files takes a second
	return layout.reply(versionBagName(v), v.Modified, public), nil
}

// withheldBag is the bag of a version whose embargo on files lets the caller in.
func withheldBag(c *endpoint.Call, tx *bucket.Tx, v *record.ArticleVersion) (endpoint.Reply, error) {
	layout, err := bag(c, tx, v, withheldFiles(tx, v))
	if err != nil {
		return endpoint.Reply{}, err
	}
	return layout.reply(versionBagName(v), v.Modified, false), nil
}

func bag(c *endpoint.Call, tx bucket.Reader, v *record.ArticleVersion, files iter.Seq2[*record.PublicFile, error]) (*archiveLayout, error) {
	doc, err := c.Server.Items.ArticleDocs.Full(tx, items.VersionKey(v))
	if err != nil {
		return nil, err
	}
	b, err := bags.Of(c.Server.Settings, bags.Version{Document: doc.Full, Stamp: v.Published, Files: files, Leads: c.Server.Items.LeadsIn(tx)})
	if err != nil {
		return nil, err
	}
	return &archiveLayout{&endpoint.Archive{Plan: b.Plan, Made: b.Made, Refs: b.Refs}, b.Tag}, nil
}

func versionBagName(v *record.ArticleVersion) string {
	return fmt.Sprintf("article-%d-v%d-bag.zip", v.ArticleID, v.Version)
}
