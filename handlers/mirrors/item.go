package mirrors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/published"
	"alcove/handlers/endpoint"
	"alcove/record"
)

// Another repository's items that are mirrored here (alcove mirror), with the ids that they have there: below /mirror/{host}/v2
// is what that server has below /v2. Addresses of that API become those here. An item that is not public here is not there either.

const (
	mirroredArticles    = "articles"
	mirroredCollections = "collections"
)

// mirrorRefusals are the answers where there is no such item, when it is read, when its versions are listed, when one of them
// is read, and where it has no such version: those of the API by our own ids.
var mirrorRefusals = map[string]struct{ read, list, version, none *record.Error }{
	mirroredArticles:    {record.ErrArticleUnknown, record.ErrEntityArticle, record.ErrEntityVersion, record.ErrEntityVersion},
	mirroredCollections: {record.ErrCollectionNotFound, record.ErrCollectionNotFound, record.ErrCollectionNotFound, record.ErrCollectionVersion},
}

// mirrored is an item of a call about what is mirrored.
type mirrored struct {
	*record.Mirrored
	a      *Mirrors
	tx     *bucket.PublicTx
	latest int64 // the newest version that is mirrored, and public here
}

// mirrorHost is the host of the other repository.
func mirrorHost(c *endpoint.Call) string { return strings.ToLower(c.Text("host")) }

// findMirrored finds an item by its id there, if it is public here; absent is the answer where there is none.
func (a *Mirrors) findMirrored(tx *bucket.PublicTx, key string, absent error) (*mirrored, error) {
	item, err := exchange.MirroredItems.Get(tx, key)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, absent
	}
	if err != nil {
		return nil, err
	}
	facts := published.ArticleFacts.Facts
	if item.Kind == mirroredCollections {
		facts = published.CollectionFacts.Facts
	}
	head, ok := facts(tx, item.Item)
	if !ok {
		return nil, absent
	}
	return &mirrored{item, a, tx, min(head.Version, item.Latest)}, nil
}

func (m *mirrored) key() string { return exchange.MirrorKey(m.Host, m.Kind, m.ID) }

// publicHere reports whether a version is public here, and whether its files are withheld.
func (m *mirrored) publicHere(number int64) (public, withheld bool, err error) {
	at := bucket.Pair{A: m.Item, B: number}
	if m.Kind == mirroredCollections {
		_, err = published.CollectionVersions.Get(m.tx, at)
	} else {
		var v *record.ArticleVersion
		if v, err = published.ArticleVersions.Get(m.tx, at); err == nil {
			withheld = v.HidesFiles()
		}
	}
	if errors.Is(err, bucket.ErrNotFound) {
		return false, false, nil
	}
	return err == nil, withheld, err
}

// base is where the API of the other repository is here.
func (m *mirrored) base() string { return m.a.Settings.BaseURL + "/mirror/" + m.Host + "/v2" }

// document is a version as the other repository has it, with our addresses.
func (m *mirrored) document(number int64, absent error) (doc map[string]any, err error) {
	v, files, err := m.version(number, absent)
	if err != nil {
		return nil, err
	}
	if err := m.read(v.Document, &doc); err != nil {
		return nil, err
	}
	if shown, ok := doc["files"].([]any); ok {
		doc["files"] = slices.DeleteFunc(shown, func(f any) bool {
			id, there := fileID(f)
			return there && !slices.Contains(files, id)
		})
		for _, f := range shown {
			m.linkFile(f)
		}
	}
	return doc, nil
}

// version is a version that is public here, and the ids there of its files that are, too.
func (m *mirrored) version(number int64, absent error) (v *record.MirroredVersion, files []int64, err error) {
	public, withheld, err := m.publicHere(number)
	if err == nil && !public {
		err = absent
	}
	if err != nil {
		return nil, nil, err
	}
	v, err = exchange.MirroredVersions.Get(m.tx, exchange.MirrorVersionKey(m.key(), number))
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil, absent
	}
	if err != nil || withheld {
		return v, nil, err
	}
	return v, v.Files, nil
}

// read reads JSON of the other repository, with our addresses.
func (m *mirrored) read(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("cannot read what is mirrored: %w", err)
	}
	switch to := to.(type) {
	case *map[string]any:
		m.here(*to)
	case *[]any:
		m.here(*to)
	}
	return nil
}

// here replaces addresses of the other API by those here, everywhere in a document.
func (m *mirrored) here(v any) any {
	switch v := v.(type) {
	case string:
		for _, scheme := range []string{"https://", "http://"} {
			if rest, ok := strings.CutPrefix(v, scheme+m.Host+"/v2/"); ok {
				return m.base() + "/" + rest
			}
		}
	case []any:
		for i := range v {
			v[i] = m.here(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = m.here(v[k])
		}
	}
	return v
}

// fileID is the id in the JSON of a file.
func fileID(f any) (int64, bool) {
	file, _ := f.(map[string]any)
	n, ok := file["id"].(json.Number)
	if !ok {
		return 0, false
	}
	id, err := n.Int64()
	return id, err == nil
}

// linkFile has the JSON of a file say that its bytes are here, unless it is a link.
func (m *mirrored) linkFile(f any) {
	if file, _ := f.(map[string]any); file != nil && file["is_link_only"] != true {
		if id, ok := fileID(f); ok {
			file["download_url"] = fmt.Sprintf("%s/file/download/%d", m.base(), id)
		}
	}
}

// MirroredRead is the newest version of an item.
func (a *Mirrors) MirroredRead(kind string) func(*endpoint.Call, *bucket.PublicTx) (endpoint.Reply, error) {
	absent := mirrorRefusals[kind].read
	return func(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
		m, err := a.findMirrored(tx, exchange.MirrorKey(mirrorHost(c), kind, c.ID("id")), absent)
		if err != nil {
			return endpoint.Reply{}, err
		}
		doc, err := m.document(m.latest, absent)
		return endpoint.Reply{Body: doc}, err
	}
}

// MirroredVersion is a version of an item.
func (a *Mirrors) MirroredVersion(kind string) func(*endpoint.Call, *bucket.PublicTx) (endpoint.Reply, error) {
	refusals := mirrorRefusals[kind]
	return func(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
		m, err := a.findMirrored(tx, exchange.MirrorKey(mirrorHost(c), kind, c.ID("id")), refusals.version)
		if err != nil {
			return endpoint.Reply{}, err
		}
		doc, err := m.document(c.ID("version"), refusals.none)
		return endpoint.Reply{Body: doc}, err
	}
}

// MirroredVersions lists the versions of an item that are public here.
func (a *Mirrors) MirroredVersions(kind string) func(*endpoint.Call, *bucket.PublicTx) (endpoint.Reply, error) {
	absent := mirrorRefusals[kind].list
	return func(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
		m, err := a.findMirrored(tx, exchange.MirrorKey(mirrorHost(c), kind, c.ID("id")), absent)
		if err != nil {
			return endpoint.Reply{}, err
		}
		all, shown := []any{}, []any{}
		if err := m.read(m.Versions, &all); err != nil {
			return endpoint.Reply{}, err
		}
		for _, v := range all {
			number, err := numberOf(v)
			if err != nil {
				return endpoint.Reply{}, err
			}
			public, _, err := m.publicHere(number)
			if err != nil {
				return endpoint.Reply{}, err
			}
			if public {
				shown = append(shown, v)
			}
		}
		return endpoint.Reply{Body: shown}, nil
	}
}

// numberOf is the number of a version in a list; older servers have it as the id of the version of a collection.
func numberOf(v any) (int64, error) {
	one, _ := v.(map[string]any)
	for _, key := range []string{"version", "id"} {
		if n, ok := one[key].(json.Number); ok {
			return n.Int64()
		}
	}
	return 0, errors.New("cannot read what is mirrored: a version has no number")
}
