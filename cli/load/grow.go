package load

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/handlers/items"
	"alcove/record"
)

// checkMore makes the draft of the newest version of an item that was loaded before and has changed where it comes from. It
// refuses one that was changed here too, as one of the changes would be lost. It stores nothing.
func (l *Loader) checkMore(c *items.Caller, tx *bucket.Tx, ln *Line, was *record.Load) (items.Item, Loaded, error) {
	item, err := l.loaded(tx, ln, was)
	if err != nil {
		return nil, Loaded{}, err
	}
	w, m := item.Common(), &ln.moved
	has := w.Version - int(m.first()) + 1
	switch {
	case len(m.versions) == 0 || has < 1:
		return nil, Loaded{}, record.Wrong("versions", "must be there, with those that were loaded before")
	case !w.Public():
		return nil, Loaded{}, record.Wrong("versions", "cannot be added, as the item was withdrawn here")
	case has > len(m.versions):
		return nil, Loaded{}, record.Wrong("versions", fmt.Sprintf("end with %d, and here there is a version %d", m.first()+int64(len(m.versions))-1, w.Version))
	}
	if changed, err := l.changedHere(tx, item); err != nil || changed {
		return nil, Loaded{}, cmpErr(err, record.Wrong("versions", "cannot be added, as the item was changed here since it was loaded"))
	}
	w.Embargo = record.Embargo{Options: []record.EmbargoOption{}}
	if err := l.items.Describe(c, tx, item, ln.body); err != nil {
		return nil, Loaded{}, err
	}
	if err := l.describe(c, tx, item, ln); err != nil {
		return nil, Loaded{}, err
	}
	if err := l.bringVersions(c, tx, item, ln); err != nil {
		return nil, Loaded{}, err
	}
	if len(c.Warned) > 0 && !ln.Accept {
		return nil, Loaded{}, &WarnedLineError{c.Warned}
	}
	done := Loaded{Item: w.ID, Has: has, Warnings: c.Warned}
	if art, ok := item.(*record.Article); ok {
		if _, err := l.filesHere(tx, art, ln, has); err != nil {
			return nil, Loaded{}, err
		}
		fresh := slices.DeleteFunc(slices.Clone(ln.Files), func(f *LineFile) bool { return f.From < has })
		err = l.checkFiles(tx, *art, fresh)
	}
	return item, done, err
}

func cmpErr(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// loaded is the item that a line became.
func (l *Loader) loaded(tx *bucket.Tx, ln *Line, was *record.Load) (item items.Item, err error) {
	if ln.kind == l.items.Articles {
		var art *record.Article
		art, err = working.Articles.Get(tx, was.ArticleID)
		item = art
	} else {
		var col *record.Collection
		col, err = working.Collections.Get(tx, was.CollectionID)
		item = col
	}
	if errors.Is(err, bucket.ErrNotFound) || err == nil && item.Common().AccountID != l.account {
		return nil, &ChangedLineError{was: was, gone: true}
	}
	return item, err
}

// changedHere reports whether a working copy is another than its newest version.
func (l *Loader) changedHere(tx *bucket.Tx, item items.Item) (bool, error) {
	w := item.Common()
	key := bucket.Pair{A: w.ID, B: int64(w.Version)}
	if art, ok := item.(*record.Article); ok {
		v, err := published.ArticleVersions.Get(tx, key)
		if err != nil {
			return false, err
		}
		return art.Files != v.Files || art.Size != v.Size || !sameMetadata(w.Metadata, v.Metadata), nil
	}
	v, err := published.CollectionVersions.Get(tx, key)
	if err != nil {
		return false, err
	}
	return !sameMetadata(w.Metadata, v.Metadata), nil
}

// sameMetadata compares what is said of an item, without what a version has of its own.
func sameMetadata(a, b record.Metadata) bool {
	for _, m := range []*record.Metadata{&a, &b} {
		m.VersionDOI, m.Defined, m.ProjectID = "", nil, 0
		m.DOI, m.PlainDOI, m.Origin = "", false, ""
		if len(m.Embargo.Options) == 0 {
			m.Embargo.Options = nil
		}
	}
	one, err1 := json.Marshal(a)
	other, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(one) == string(other)
}

// place is a file as readers see it.
type place struct {
	folder, name, link string
	size               int64
}

func placeOf(f *record.File) place { return place{f.Folder, f.Name, f.Link, f.Size} }

// filesHere are the ids of the files of a line that the working copy has, which is the version before an index. A line with
// other files than that has is refused: what was published never changes.
func (l *Loader) filesHere(tx *bucket.Tx, art *record.Article, ln *Line, has int) (map[*LineFile]int64, error) {
	files, err := items.Arranged(tx, art)
	if err != nil {
		return nil, err
	}
	here := map[place][]int64{}
	for _, f := range files {
		here[placeOf(f)] = append(here[placeOf(f)], f.ID)
	}
	there := map[*LineFile]int64{}
	for _, f := range ln.Files {
		if f.From >= has || f.To < has {
			continue
		}
		file := &record.File{}
		f.Body.Apply(file)
		ids := here[placeOf(file)]
		if len(ids) == 0 {
			return nil, record.Wrong("versions", fmt.Sprintf("have the file %q in version %d, which is not in it here", file.Name, art.Version))
		}
		there[f], here[placeOf(file)] = ids[0], ids[1:]
	}
	if len(there) != len(files) {
		return nil, record.Wrong("versions", fmt.Sprintf("lack files that version %d has here", art.Version))
	}
	return there, nil
}

// loadMore stores what an item has more than when it was loaded: what older versions say now, and new versions.
func (l *Loader) loadMore(c *items.Caller, tx *bucket.Tx, item items.Item, ln *Line, done Loaded) (Loaded, error) {
	w := item.Common()
	c.Appears = true
	refs := []record.AuthorRef{}
	for _, list := range []*[]record.AuthorRef{ln.body.Common().Authors, ln.more.Authors} {
		if list != nil {
			refs = append(refs, *list...)
		}
	}
	var err error
	if w.Authors, err = l.people(c, tx, refs, w.Authors); err != nil {
		return Loaded{}, err
	}
	art, isArticle := item.(*record.Article)
	there := map[*LineFile]int64{}
	if isArticle {
		if there, err = l.filesHere(tx, art, ln, done.Has); err != nil {
			return Loaded{}, err
		}
		for i := range done.Has {
			if err := l.correct(c, tx, art, ln, i); err != nil {
				return Loaded{}, err
			}
		}
	}
	if done.Has < len(ln.moved.versions) {
		if err := l.publishFrom(c, tx, item, ln, ln.moved.versions, done.Has, there); err != nil {
			return Loaded{}, err
		}
	} else if err := ln.kind.Store(tx, item); err != nil {
		return Loaded{}, err
	}
	note := &record.Load{ArticleID: w.ID, Hash: ln.Hash}
	if !isArticle {
		note.ArticleID, note.CollectionID = 0, w.ID
	}
	return done, working.Loads.PutDeferred(tx, l.key(ln.ID), note)
}

// people are the authors that references name. Those who were there before under the same name stay the same people.
func (l *Loader) people(c *items.Caller, tx *bucket.Tx, refs []record.AuthorRef, before []int64) ([]int64, error) {
	known, err := items.People(tx, before)
	if err != nil {
		return nil, err
	}
	ids, here := []int64{}, map[string]int64{}
	for _, p := range slices.Backward(known) { // of two with one description the first
		here[p.Described()] = p.ID
	}
	for _, r := range refs {
		p := r.NewPerson(0)
		if id, ok := here[p.Described()]; ok {
			ids = append(ids, id)
			continue
		}
		some, err := c.Name(tx, []record.AuthorRef{r})
		if err != nil {
			return nil, err
		}
		ids = append(ids, some...)
	}
	return items.Unique(ids), nil
}

// correct stores what a version that is here says now, where that is other than what it said. Its files stay as they are.
func (l *Loader) correct(c *items.Caller, tx *bucket.Tx, art *record.Article, ln *Line, i int) error {
	m := ln.moved.versions[i]
	v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: art.ID, B: ln.moved.first() + int64(i)})
	if err != nil {
		return err
	}
	draft := &record.Article{Working: art.Working}
	if err := l.describeVersion(c, tx, draft, ln, m); err != nil {
		return err
	}
	ids := art.Authors
	was := []int64{}
	for _, p := range v.Authors {
		was = append(was, p.ID)
	}
	if m.authors != nil {
		if ids, err = l.people(c, tx, *m.authors, was); err != nil {
			return err
		}
	}
	if sameMetadata(draft.Metadata, v.Metadata) && slices.Equal(ids, was) {
		return nil
	}
	if draft.Embargo.Kind != v.Embargo.Kind {
		return record.Wrong("versions", fmt.Sprintf("have another embargo in version %d than when it was loaded, and its files cannot be added", v.Version))
	}
	kept, weight, before := v.Metadata, v.Weight(len(v.Authors)), v.Authors
	v.Metadata = draft.Metadata
	v.VersionDOI, v.DOI, v.PlainDOI, v.Origin, v.Defined = kept.VersionDOI, kept.DOI, kept.PlainDOI, kept.Origin, kept.Defined
	if v.Authors, err = items.People(tx, ids); err != nil {
		return err
	}
	return l.items.PutCorrected(tx, art, v, weight, before)
}
