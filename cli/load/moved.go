package load

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/working"
	"alcove/cli/deposit"
	"alcove/handlers/items"
	"alcove/record"
)

// moved is what a line brings along from another repository.
type moved struct {
	body     *record.MovedBody
	versions []*movedVersion
	was      record.Moved // what the body says, once it was checked
}

// movedVersion is a public version that a line brings along.
type movedVersion struct {
	which               record.MovedVersionBody
	body                record.ItemBody     // what it says of the item
	embargo             *record.EmbargoBody // nil for that of the item
	members             []deposit.Member    // of a collection; nil for those of the item
	authors             *[]record.AuthorRef // nil for those of the item
	sentDOI             *string             // as the line has it
	doi                 string
	published, modified time.Time
}

// readMoved reads what a line brings along.
func (l *Loader) readMoved(ln *Line, in Bodies) error {
	m := &ln.moved
	if in.Moved != nil {
		m.body = new(record.MovedBody)
		if err := l.read(ln, in.Moved, m.body); err != nil {
			return err
		}
	}
	for i, text := range in.Versions {
		v := &movedVersion{body: ln.kind.Body(), members: text.Members}
		if err := l.read(ln, text.Which, &v.which); err != nil {
			return err
		}
		if err := l.read(ln, text.Item, v.body); err != nil {
			return err
		}
		if text.Embargo != nil {
			v.embargo = new(record.EmbargoBody)
			if err := l.read(ln, text.Embargo, v.embargo); err != nil {
				return err
			}
			if err := v.embargo.Check(); err != nil {
				return err
			}
		}
		said := v.body.Common()
		v.authors, v.sentDOI = said.Authors, said.DOI
		v.body.Set(nil, nil) // as many authors as there were
		if v.authors != nil {
			if err := record.CheckAuthors(*v.authors); err != nil {
				return err
			}
		}
		if v.sentDOI != nil && *v.sentDOI != "" {
			var ok bool
			if v.doi, ok = record.ReadDOI(*v.sentDOI); !ok {
				return record.Wrong(fmt.Sprintf("versions[%d].doi", i), "must be a DOI such as 10.1234/name")
			}
		}
		if err := v.body.Check(); err != nil {
			return err
		}
		m.versions = append(m.versions, v)
	}
	return nil
}

// public reports whether the line says that the item was public elsewhere, so that here
// no reviewer sees it first.
func (m *moved) public() bool { return len(m.versions) > 0 || !m.was.Published.IsZero() }

// bring checks what a draft brings along and writes it there. It stores nothing.
func (l *Loader) bring(c *items.Caller, tx *bucket.Tx, item items.Item, ln *Line) (err error) {
	m, w := &ln.moved, item.Common()
	w.PlainDOI = w.DOI != ""
	if m.body != nil {
		if m.was, err = m.body.Read(tx.Clock()); err != nil {
			return err
		}
	}
	switch {
	case !ln.Publish && (m.public() || m.was.Counts != (record.Counts{})):
		return record.Wrong("publish", "must be true for what was public elsewhere")
	case w.Embargo.Kind == record.ArticleEmbargo && (m.public() || m.was.Counts != (record.Counts{})):
		return record.Wrong("embargo_type", "cannot be article for what was public elsewhere")
	}
	for _, path := range m.was.OldPaths {
		if other, taken := working.ByOldPath(tx, path); taken && other != ln.kind.Item(w.ID) {
			return record.Wrong("old_urls", fmt.Sprintf("holds %q, which leads to another item", path))
		}
	}
	w.OldPaths = m.was.OldPaths
	if !l.tookOver(w.DOI) {
		w.Origin = m.was.Origin
	}
	if !m.was.Created.IsZero() {
		w.Created = m.was.Created
	}
	if !m.was.Modified.IsZero() {
		w.Modified = m.was.Modified
	}
	if err := l.bringVersions(c, tx, item, ln); err != nil || !m.public() || !m.was.Created.IsZero() {
		return err
	}
	if w.Created = m.was.Published; len(m.versions) > 0 {
		w.Created = m.versions[0].published
	}
	return nil
}

// bringVersions checks the versions of a line, each as if it were published.
func (l *Loader) bringVersions(c *items.Caller, tx *bucket.Tx, item items.Item, ln *Line) (err error) {
	k, m, w := ln.kind, &ln.moved, item.Common()
	dois := map[string]bool{}
	for i, v := range m.versions {
		if n := v.which.Number; n != nil && (*n < 1 || *n > maxMovedVersion || *n != m.first()+int64(i)) {
			return record.Wrong("version", "must count the versions up, one by one")
		}
		if v.published, v.modified, err = v.which.Dates(tx.Clock()); err != nil {
			return err
		}
		if i > 0 && v.published.Before(m.versions[i-1].published) {
			return record.Wrong("versions", "must be in the order in which they were published")
		}
		if bare := record.BareDOI(v.doi); bare != "" {
			if dois[bare] {
				return record.Wrong("versions", "must not have a DOI twice")
			}
			dois[bare] = true
			if err := k.Free(c, tx, w.ID, w.Identifiers(), &record.Metadata{DOI: v.doi}); err != nil {
				return err
			}
		}
		draft := k.Empty(*w)
		if err := l.describeVersion(c, tx, draft, ln, v); err != nil {
			return err
		}
		if v.authors != nil {
			if err := c.MayName(tx, *v.authors, w.Authors, k.AuthorUnknown); err != nil {
				return err
			}
			if len(*v.authors) == 0 {
				return k.Authorless
			}
		}
		if err := k.Complete(tx, &draft.Common().Metadata); err != nil {
			return err
		}
	}
	if len(m.versions) > 0 && !m.was.Published.IsZero() {
		return record.Wrong("published_date", "stands in the versions, where there are some")
	}
	return nil
}

// describeVersion writes to a working copy what a version says, but for its authors and files.
func (l *Loader) describeVersion(c *items.Caller, tx *bucket.Tx, item items.Item, ln *Line, v *movedVersion) (err error) {
	if err := l.items.Describe(c, tx, item, v.body); err != nil {
		return err
	}
	if v.embargo != nil {
		w := item.Common()
		if w.Embargo, err = v.embargo.Apply(record.Embargo{}, tx.Clock()); err != nil {
			return err
		}
		if w.Embargo.Kind == record.ArticleEmbargo {
			return record.Wrong("embargo_type", "cannot be article for what was public elsewhere")
		}
		if err := items.NameRanges(tx, &w.Embargo, nil); err != nil {
			return err
		}
	}
	if col, ok := item.(*record.Collection); ok {
		list := v.members
		if list == nil {
			list = ln.members
		}
		col.Articles, err = l.members(c, tx, col, list, true)
	}
	return err
}

// maxMovedVersion bounds the number of a version.
const maxMovedVersion = 100_000

// first is the number of the first version, which others may have been before.
func (m *moved) first() int64 {
	if len(m.versions) == 0 || m.versions[0].which.Number == nil {
		return 1
	}
	return *m.versions[0].which.Number
}

// publishMoved makes the versions that an item brings along, with the files or members of each.
// The working copy is what the last one says.
func (l *Loader) publishMoved(c *items.Caller, tx *bucket.Tx, item items.Item, ln *Line) error {
	m, w := &ln.moved, item.Common()
	versions := m.versions
	if len(versions) == 0 {
		v := &movedVersion{body: ln.kind.Body(), published: m.was.Published, modified: m.was.Published}
		versions = []*movedVersion{v}
	}
	if last := versions[len(versions)-1]; !m.was.Modified.IsZero() {
		last.modified = m.was.Modified
	}
	if err := ln.kind.Unique(tx, w); err != nil {
		return err
	}
	w.Version = int(m.first()) - 1
	return l.publishFrom(c, tx, item, ln, versions, 0, map[*LineFile]int64{})
}

// publishFrom makes the versions of a line from an index on. there has the ids of the files that the working copy has.
func (l *Loader) publishFrom(c *items.Caller, tx *bucket.Tx, item items.Item, ln *Line, versions []*movedVersion, from int, there map[*LineFile]int64) error {
	w := item.Common()
	base, authors := w.Metadata, w.Authors
	for i, v := range versions {
		if i < from {
			continue
		}
		w.Metadata, w.Authors = base, authors
		if err := l.describeVersion(c, tx, item, ln, v); err != nil {
			return err
		}
		if v.authors != nil {
			ids, err := c.Name(tx, *v.authors)
			if err != nil {
				return err
			}
			w.Authors = ids
		}
		if art, ok := item.(*record.Article); ok {
			if err := l.changeFiles(tx, art, ln.Files, i, there); err != nil {
				return err
			}
		}
		if err := l.items.PublishAs(tx, item, items.Edition{DOI: v.doi, Published: v.published, Modified: v.modified}); err != nil {
			return err
		}
		base.DOI = w.DOI // as it was given now, where there was none
	}
	return nil
}

// changeFiles takes the files out of a working copy that the version with an index has not
// any more, and puts in those that it adds.
func (l *Loader) changeFiles(tx *bucket.Tx, art *record.Article, lines []*LineFile, version int, there map[*LineFile]int64) error {
	for _, f := range lines {
		if id, ok := there[f]; ok && f.To == version {
			file, err := files.Files.Get(tx, id)
			if err != nil {
				return err
			}
			if err := items.DetachFile(tx, art, file); err != nil {
				return err
			}
		}
	}
	for _, f := range lines {
		if f.From != version {
			continue
		}
		file, err := f.file()
		if err != nil {
			return err
		}
		if err := l.items.AddFile(tx, art, file, file.Size); err != nil {
			return err
		}
		there[f] = file.ID
	}
	return nil
}

// changes tells what of a line is kept in another form than it was given, and what it gets
// that it does not say.
func (ln *Line) changes(w *record.Working) (list []string) {
	note := func(key string, given *string, is string) {
		if given != nil && *given != "" && *given != is {
			list = append(list, fmt.Sprintf("%s %q becomes %q", key, *given, is))
		}
	}
	said := ln.body.Common()
	note("doi", said.DOI, w.DOI)
	note("handle", said.Handle, w.Handle)
	m := &ln.moved
	form := func(t time.Time) string { return t.Format("2006-01-02T15:04:05Z") }
	if b := m.body; b != nil {
		note("published_date", b.Published, form(m.was.Published))
		note("created_date", b.Created, form(m.was.Created))
		note("modified_date", b.Modified, form(m.was.Modified))
		if b.OldURLs != nil {
			for _, text := range *b.OldURLs {
				path, _ := record.OldPath(text)
				note("old_urls", &text, path)
			}
		}
	}
	for i, v := range m.versions {
		note(fmt.Sprintf("versions[%d].published_date", i), v.which.Published, form(v.published))
		note(fmt.Sprintf("versions[%d].modified_date", i), v.which.Modified, form(v.modified))
		note(fmt.Sprintf("versions[%d].doi", i), v.sentDOI, v.doi)
	}
	licensed := func(v *movedVersion) bool { return v.body.Common().License != nil }
	if ln.Publish && ln.kind.Path == "articles" && said.License == nil && !slices.ContainsFunc(m.versions, licensed) {
		list = append(list, fmt.Sprintf("license is not given and becomes %d", w.License))
	}
	if ln.Publish && w.DOI == "" {
		list = append(list, "doi is not given and becomes one of this repository")
	}
	return list
}

// tookOver reports whether a DOI is under a prefix that this repository has taken over.
func (l *Loader) tookOver(doi string) bool {
	return slices.ContainsFunc(l.taken, func(prefix string) bool { return strings.HasPrefix(record.BareDOI(doi), strings.ToLower(prefix)+"/") })
}
