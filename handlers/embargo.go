package handlers

import (
	"errors"
	"iter"
	"net/netip"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/people"
	"alcove/handlers/present"
	"alcove/record"
)

// EmbargoRead is the embargo of an own article's working copy.
func (a *API) EmbargoRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: a.Settings.Embargo(&art.Embargo), Modified: art.Modified}, nil
}

// EmbargoUpdate sets, changes or lifts the embargo of an own article.
func (a *API) EmbargoUpdate(c *endpoint.Call, tx *bucket.Tx, body *record.EmbargoBody) (endpoint.Reply, error) {
	return a.updateEmbargo(c, tx, "embargo", body.Check, func(e record.Embargo) (record.Embargo, error) {
		before := e.Options
		e, err := body.Apply(e, tx.Clock())
		if err == nil {
			err = items.NameRanges(tx, &e, before)
		}
		return e, err
	})
}

// EmbargoDelete lifts the embargo of an own article. Without one it changes nothing.
func (a *API) EmbargoDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	return a.liftEmbargo(c, tx, func(e *record.Embargo) bool { return e.Kind != record.NoEmbargo })
}

// ConfidentialityRead is the deprecated confidentiality of an own article: whether its
// files are under a permanent embargo.
func (a *API) ConfidentialityRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: a.Settings.Confidentiality(&art.Embargo), Modified: art.Modified}, nil
}

// ConfidentialityUpdate puts the files of an own article under a permanent embargo.
func (a *API) ConfidentialityUpdate(c *endpoint.Call, tx *bucket.Tx, body *record.ConfidentialityBody) (endpoint.Reply, error) {
	return a.updateEmbargo(c, tx, "confidentiality", body.Check, body.Apply)
}

// ConfidentialityDelete lifts a permanent embargo on files and leaves any other alone.
func (a *API) ConfidentialityDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	return a.liftEmbargo(c, tx, (*record.Embargo).Permanent)
}

func (a *API) updateEmbargo(c *endpoint.Call, tx *bucket.Tx, what string, check func() error, apply func(record.Embargo) (record.Embargo, error)) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := check(); err != nil {
		return endpoint.Reply{}, err
	}
	e, err := apply(art.Embargo.At(tx.Clock()))
	if err != nil {
		return endpoint.Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d/%s", art.ID, what)
	r := endpoint.Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.Warned), After: a.Jobs.EndEmbargoesSoon}
	return r, a.Items.SetEmbargo(tx, art, e)
}

func (a *API) liftEmbargo(c *endpoint.Call, tx *bucket.Tx, lifts func(*record.Embargo) bool) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil || !lifts(&art.Embargo) {
		return endpoint.Reply{Status: 204}, err
	}
	return endpoint.Reply{Status: 204}, a.Items.SetEmbargo(tx, art, record.Embargo{})
}

// PublicEmbargoRead is the embargo of a public version.
func (a *API) PublicEmbargoRead(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	v, err := publicVersion(c, tx, record.ErrEntityVersion)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: a.Settings.Embargo(&v.Embargo), Modified: v.Modified}, nil
}

// PublicConfidentialityRead is the deprecated confidentiality of a public version.
func (a *API) PublicConfidentialityRead(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	v, err := publicVersion(c, tx, record.ErrNoVersion)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: a.Settings.Confidentiality(&v.Embargo), Modified: v.Modified}, nil
}

// EmbargoOptionList lists the groups of clients that embargoes on files can let in. It is the same
// for all groups.
func (a *API) EmbargoOptionList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	return a.embargoOptions(c, tx, nil)
}

// GroupEmbargoOptionList is EmbargoOptionList of a group that the caller has to do with.
func (a *API) GroupEmbargoOptionList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	group := c.ID("group_id")
	r, err := a.embargoOptions(c, tx, &group)
	if errors.Is(err, record.ErrGroupForeign) {
		err = record.ErrGroupNotFound
	}
	return r, err
}

func (a *API) embargoOptions(c *endpoint.Call, tx *bucket.Tx, group *int64) (endpoint.Reply, error) {
	if _, err := people.WorkedGroup(c, tx, group); err != nil {
		return endpoint.Reply{}, err
	}
	ranges, err := items.AddressRanges(tx)
	return endpoint.Reply{Body: a.Settings.GroupEmbargoOptions(ranges), Modified: c.Changed}, err
}

// letIn reports whether one of the options of the embargo of a public version lets the
// caller see its files: the accounts of the institution or of groups of it, who comes from
// an address range, or the administrators of the item's group.
func letIn(c *endpoint.Call, tx *bucket.Tx, v *record.ArticleVersion) (bool, error) {
	for _, o := range v.Embargo.Options {
		var in bool
		var err error
		switch {
		case o.AddressRange() != 0:
			in, err = comesFrom(c, tx, o.AddressRange())
		case c.Account == nil || v.InstitutionID == 0 || c.Account.InstitutionID != v.InstitutionID:
		case o.ID == record.LoggedInOption && len(o.GroupIDs) == 0:
			in = true
		case o.ID == record.LoggedInOption:
			in, err = items.InGroups(tx, c.Account, o.GroupIDs)
		case o.ID == record.AdministratorOption && c.Account.Admin:
			in = true
		case o.ID == record.AdministratorOption:
			in, err = c.AdministersGroup(tx, v.GroupID)
		}
		if in || err != nil {
			return in, err
		}
	}
	return false, nil
}

func comesFrom(c *endpoint.Call, tx *bucket.Tx, id int64) (bool, error) {
	r, err := users.AddressRanges.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	address, err := netip.ParseAddr(c.Server.Remote(c.Request))
	return err == nil && r.Holds(address), nil
}

// LetIn opens what a public endpoint tells of the files of a version also to clients that
// the embargo on these files lets in. All others get what the endpoint answers.
func LetIn(public func(*endpoint.Call, *bucket.PublicTx) (endpoint.Reply, error), more func(*endpoint.Call, *bucket.Tx, *record.ArticleVersion) (endpoint.Reply, error)) endpoint.Endpoint {
	return endpoint.Plain(func(c *endpoint.Call) (r endpoint.Reply, err error) {
		in := false
		err = c.Server.DB.View(func(tx *bucket.Tx) error {
			v, err := namedVersion(c, tx)
			if err != nil || v == nil || !v.HidesFiles() {
				return err
			}
			if in, err = letIn(c, tx, v); in && err == nil {
				r, err = more(c, tx, v)
			}
			return err
		})
		if in || err != nil {
			return r, err
		}
		err = c.Server.DB.ViewPublic(func(tx *bucket.PublicTx) error {
			r, err = public(c, tx)
			return err
		})
		r.Public = true
		return r, err
	})
}

// namedVersion is the public version of the path, the latest when it names none, nil when
// there is none.
func namedVersion(c *endpoint.Call, tx *bucket.Tx) (*record.ArticleVersion, error) {
	head, err := published.Articles.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n := int64(head.Latest)
	if named, ok := c.HasID("version"); ok {
		n = named
	}
	v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: head.ID, B: n})
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil
	}
	return v, err
}

// FilesLetIn lists the files of a version that its embargo withholds from others.
func FilesLetIn(c *endpoint.Call, tx *bucket.Tx, v *record.ArticleVersion) (endpoint.Reply, error) {
	q, err := publicFiles(c, v.ArticleID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	ids := func(yield func(int64) bool) {
		for hit := range publishedFiles(tx, v, q.Behind) {
			if files.InVersion(hit.Value, v.Version) && !yield(hit.Key) {
				return
			}
		}
	}
	list, last := []present.PublicFile{}, int64(0)
	for id := range lists.Page(q.Window, ids) {
		f, err := files.Files.Get(tx, id)
		if err != nil {
			return endpoint.Reply{}, err
		}
		list, last = append(list, c.Server.Settings.PublicFile(f.Public(v.Published))), f.ID
	}
	return endpoint.Reply{Body: list, Modified: c.Changed, Cursor: q.Cursor(last)}, nil
}

// publishedFiles are the files of all public versions of an article, in the order of one, from behind a file on.
func publishedFiles(tx *bucket.Tx, v *record.ArticleVersion, behind int64) iter.Seq[bucket.Hit[int64]] {
	return files.Arranged(v.FileOrder, behind, func(behind int64) iter.Seq[bucket.Hit[int64]] {
		return files.Published.Behind(tx, bucket.SortKey(v.ArticleID), behind)
	})
}

// FileLetIn is one file of a version that its embargo withholds from others.
func FileLetIn(c *endpoint.Call, tx *bucket.Tx, v *record.ArticleVersion) (endpoint.Reply, error) {
	id := c.ID("file_id")
	span := files.Published.ValueOf(tx, bucket.SortKey(v.ArticleID), id)
	if span == nil || !files.InVersion(span, v.Version) {
		return endpoint.Reply{}, record.ErrFileNotFound
	}
	f, err := files.Files.Get(tx, id)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: c.Server.Settings.PublicFile(f.Public(v.Published)), Modified: c.Changed}, nil
}

// reachableFile is storedFile, and besides the files that an embargo lets the caller see,
// and those of articles that it has to review.
func reachableFile(c *endpoint.Call, tx *bucket.Tx) (*record.File, error) {
	f, err := storedFile(c, tx)
	if !errors.Is(err, record.ErrFileNotFound) {
		return f, err
	}
	id := c.ID("file_id")
	article := files.Owners.Of(tx, id).In
	reviews, err := reviewsArticle(c, tx, article)
	if err == nil && !reviews && !files.Hidden.Holds(tx, bucket.SortKey(article), id) {
		err = record.ErrFileNotFound // decided on without a look at the file
	}
	if err != nil {
		return nil, err
	}
	f, err = files.Files.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, record.ErrFileNotFound
	}
	if err != nil {
		return nil, err
	}
	in, err := letInFile(c, tx, f)
	in = in || reviews && f.Finished() && submitted(f)
	if err == nil && !in {
		err = record.ErrFileNotFound
	}
	return f, err
}

// letInFile reports whether a public version has the file whose embargo withholds it and
// lets the caller in.
func letInFile(c *endpoint.Call, tx *bucket.Tx, f *record.File) (bool, error) {
	if f.Added == 0 || !f.Hidden {
		return false, nil
	}
	head, err := published.Articles.Get(tx, f.ArticleID)
	if errors.Is(err, bucket.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	refused := map[string]bool{}                                                               // by the value of the index
	for hit := range published.VersionsLettingIn.Descending(tx, bucket.SortKey(f.ArticleID)) { // the newest decides mostly
		n := int(hit.Key.B)
		if !f.In(n) || n > head.Latest || n < head.Oldest || refused[string(hit.Value)] {
			continue
		}
		v, err := published.ArticleVersions.Get(tx, hit.Key)
		if err != nil {
			return false, err
		}
		in, err := letIn(c, tx, v)
		if in && head.DownloadDisabled {
			err = record.ErrDownloadDisabled
		}
		if in || err != nil {
			return in, err
		}
		refused[string(hit.Value)] = true
	}
	return false, nil
}
