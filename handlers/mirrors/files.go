package mirrors

import (
	"errors"
	"slices"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/files"
	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
	"alcove/record"
)

// MirroredFiles lists the files of a version that are public here: of the newest where the path names none.
func (a *Mirrors) MirroredFiles(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	number, named := c.HasID("version")
	absent := mirrorRefusals[mirroredArticles].read
	if named {
		absent = mirrorRefusals[mirroredArticles].version
	}
	m, err := a.findMirrored(tx, exchange.MirrorKey(mirrorHost(c), mirroredArticles, c.ID("id")), absent)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if !named {
		number = m.latest
	}
	_, files, err := m.version(number, absent)
	if err != nil {
		return endpoint.Reply{}, err
	}
	w, err := mirrorPage(c, lists.Files)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list := []map[string]any{}
	for id := range lists.Page(w, slices.Values(files)) {
		f, err := m.file(id)
		if errors.Is(err, record.ErrFileNotFound) {
			continue
		}
		if err != nil {
			return endpoint.Reply{}, err
		}
		list = append(list, f)
	}
	return endpoint.Reply{Body: list}, nil
}

// MirroredFile is what is known of a file of the newest version.
func (a *Mirrors) MirroredFile(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	m, err := a.findMirrored(tx, exchange.MirrorKey(mirrorHost(c), mirroredArticles, c.ID("id")), record.ErrArticleUnknown)
	if err != nil {
		return endpoint.Reply{}, err
	}
	_, files, err := m.version(m.latest, record.ErrArticleUnknown)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if !slices.Contains(files, c.ID("file_id")) {
		return endpoint.Reply{}, record.ErrFileNotFound
	}
	f, err := m.file(c.ID("file_id"))
	return endpoint.Reply{Body: f}, err
}

// file is a file that is public here, as the other repository lists it.
func (m *mirrored) file(id int64) (file map[string]any, err error) {
	f, err := exchange.MirroredFiles.Get(m.tx, exchange.MirrorKey(m.Host, "files", id))
	if err == nil {
		_, err = files.PublicFiles.Get(m.tx, f.Here)
	}
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, record.ErrFileNotFound
	}
	if err != nil {
		return nil, err
	}
	if err := m.read(f.Document, &file); err != nil {
		return nil, err
	}
	m.linkFile(file)
	return file, nil
}

// MirroredDownload sends a file by its id there.
func (a *Mirrors) MirroredDownload(c *endpoint.Call) (endpoint.Reply, error) {
	var here int64
	err := a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		f, err := exchange.MirroredFiles.Get(tx, exchange.MirrorKey(mirrorHost(c), "files", c.ID("file_id")))
		if err == nil {
			here = f.Here
		}
		return err
	})
	if errors.Is(err, bucket.ErrNotFound) {
		return endpoint.Reply{}, record.ErrFileNotFound
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.give(c, here)
}
