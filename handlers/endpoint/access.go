package endpoint

import (
	"cmp"
	"errors"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/items"
	"alcove/record"
)

// Loading is authorising: a private record is reached only through these functions and those like
// them beside what they serve (for bytes storedFile, linkedArticle and, under an embargo,
// reachableFile; review; Administered; withdrawable), and one that the caller may not see is not found.

// OwnArticle is the article of the path when it is the caller's, or, where the endpoint is
// Linked, when a private link opens it to the caller.
func (c *Call) OwnArticle(tx *bucket.Tx) (*record.Article, error) {
	id := c.ID("id")
	var by *record.PrivateLink
	if !c.Is(working.ArticleOwners.Of(tx, id)) {
		l, err := c.opens(tx, id)
		if err != nil || l == nil {
			return nil, cmp.Or(err, error(record.ErrArticleNotOwn))
		}
		by = l
	}
	a, err := working.Articles.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrArticleNotOwn
	}
	if err == nil {
		err = c.withhold(tx, by, &a.Working)
	}
	return a, err
}

// ReadArticle is the article of the path when it is the caller's, or when it reads it in a
// project.
func (c *Call) ReadArticle(tx *bucket.Tx) (*record.Article, error) {
	owner := working.ArticleOwners.Of(tx, c.ID("id"))
	if !c.Is(owner) {
		if shared, err := c.Shares(tx, owner.In); err != nil || !shared {
			return nil, cmp.Or(err, error(record.ErrArticleNotOwn))
		}
	}
	art, err := working.Articles.Get(tx, c.ID("id"))
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrArticleNotOwn
	}
	return art, err
}

// OwnCollection is the collection of the path when it is the caller's, or, where the
// endpoint is Linked, when a private link opens it to the caller.
func (c *Call) OwnCollection(tx *bucket.Tx) (*record.Collection, error) {
	id := c.ID("id")
	var by *record.PrivateLink
	if !c.Is(working.CollectionOwners.Of(tx, id)) {
		l, err := c.opens(tx, id)
		if err != nil || l == nil {
			return nil, cmp.Or(err, error(record.ErrCollectionNotFound))
		}
		by = l
	}
	col, err := working.Collections.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		err = record.ErrCollectionNotFound
	}
	if err == nil {
		err = c.withhold(tx, by, &col.Working)
	}
	if err == nil && c.Anonymous {
		col.Articles = nil // their authors are known
	}
	return col, err
}

// OwnFile is the file of the path in the working copy of the caller's article.
func (c *Call) OwnFile(tx *bucket.Tx) (*record.Article, *record.File, error) {
	a, err := c.OwnArticle(tx)
	if err != nil {
		return nil, nil, err
	}
	f, err := workingFile(tx, a.ID, c.ID("file_id"))
	return a, f, err
}

// workingFile is a file in the working copy of an article.
func workingFile(tx *bucket.Tx, article, id int64) (*record.File, error) {
	if files.Owners.Of(tx, id).In != article {
		return nil, record.ErrFileNotFound
	}
	f, err := files.Files.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && f.Dropped {
		return nil, record.ErrFileNotFound
	}
	return f, err
}

// OwnVersion is the public version of the caller's article that the path names.
func (c *Call) OwnVersion(tx *bucket.Tx) (*record.ArticleVersion, error) {
	a, err := c.OwnArticle(tx)
	if err != nil {
		return nil, err
	}
	if _, err := PublicHead(tx, a.ID, record.ErrEntityVersion); err != nil {
		return nil, err
	}
	v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: a.ID, B: c.ID("version_id")})
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, record.ErrEntityVersion
	}
	return v, err
}

// opens is the private link of a request when it opens an item, otherwise nil.
func (c *Call) opens(tx *bucket.Tx, item int64) (*record.PrivateLink, error) {
	l, err := c.openingLink(tx)
	if l != nil && l.ItemID != item {
		l = nil
	}
	return l, err
}

// withhold takes out of an item what the link that opened it, nil for none, does not show. Nothing
// behind the loading of the item can then tell it.
func (c *Call) withhold(tx *bucket.Tx, by *record.PrivateLink, w *record.Working) error {
	if c.Anonymous = by != nil && by.Anonymous; !c.Anonymous {
		return nil
	}
	return items.Withhold(tx, w)
}

// VisiblePerson is a person that the caller may name by id.
func (c *Call) VisiblePerson(tx *bucket.Tx, id int64, unknown *record.Error) (*record.Person, error) {
	if !users.SeenPerson(tx, id, c.Account.ID).Named {
		return nil, unknown
	}
	return users.People.Get(tx, id)
}

// UploadFile is the file that an upload token names, as long as a working copy has it and its
// owner may act.
func UploadFile(tx *bucket.Tx, token string) (*record.File, error) {
	id, ok := files.ByToken.First(tx, bucket.SortKey(token))
	if !ok {
		return nil, record.ErrUploadUnknown
	}
	f, err := files.Files.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && f.Dropped {
		return nil, record.ErrUploadUnknown
	}
	if err != nil {
		return nil, err
	}
	acts, err := active(tx, f.AccountID)
	if err == nil && !acts {
		err = record.ErrUploadUnknown
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// OpenProject is the project of the path, with the caller's place in it, which has at least
// a role.
func (c *Call) OpenProject(tx *bucket.Tx, least record.ProjectRole) (*record.Project, *record.ProjectMember, error) {
	return c.MemberProject(tx, c.ID("id"), least)
}

// ShowUp makes an invited account a member by name, once it does what the others of the project
// see with its name.
func (c *Call) ShowUp(tx *bucket.Tx, p *record.Project, m *record.ProjectMember) error {
	if !m.Pending {
		return nil
	}
	if err := working.ProjectMembers.Delete(tx, items.MemberKey(m)); err != nil {
		return err
	}
	m.UserID, m.Pending = c.Account.PersonID, false
	if err := working.ProjectMembers.Put(tx, items.MemberKey(m), m); err != nil {
		return err
	}
	return items.PutProject(tx, p)
}

// DeletableProject is the project of the path when the caller owns it or, if it is a
// group's, administers the group.
func (c *Call) DeletableProject(tx *bucket.Tx) (*record.Project, error) {
	p, _, refused := c.OpenProject(tx, record.ProjectOwner)
	if refused == nil {
		return p, nil
	}
	mine, err := c.AdministersGroup(tx, working.ProjectOwners.Of(tx, c.ID("id")).Group)
	if err == nil && !mine {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return working.Projects.Get(tx, c.ID("id"))
}

// ProjectArticle is the article of the path when it is in the project of the path, of
// which the caller is a member.
func (c *Call) ProjectArticle(tx *bucket.Tx) (*record.Article, *record.ProjectMember, error) {
	p, m, err := c.OpenProject(tx, record.ProjectViewer)
	if err != nil {
		return nil, nil, err
	}
	if working.ArticleOwners.Of(tx, c.ID("article_id")).In != p.ID {
		return nil, nil, record.ErrArticleNotOwn
	}
	art, err := working.Articles.Get(tx, c.ID("article_id"))
	return art, m, err
}

// Shares reports whether the caller reads what is in a project, 0 for none: a member that reads it there
// gets the bytes of its files too.
func (c *Call) Shares(tx *bucket.Tx, project int64) (bool, error) {
	if c.Account == nil || c.Account.ID == 0 {
		return false, nil
	}
	_, err := c.Membership(tx, project) // also of none, which costs the same
	if errors.Is(err, record.ErrProjectNotFound) {
		return false, nil
	}
	return err == nil, err
}

// ChangeableArticle is ProjectArticle when the caller may remove it: what is its own as
// a collaborator, everything as the owner of the project.
func (c *Call) ChangeableArticle(tx *bucket.Tx) (*record.Article, error) {
	art, m, err := c.ProjectArticle(tx)
	if err != nil {
		return nil, err
	}
	return art, m.May(art.AccountID)
}

// ProjectFile is the file of the path in the article and project of the path.
func (c *Call) ProjectFile(tx *bucket.Tx) (*record.Article, *record.File, error) {
	art, _, err := c.ProjectArticle(tx)
	if err != nil {
		return nil, nil, err
	}
	f, err := workingFile(tx, art.ID, c.ID("file_id"))
	return art, f, err
}

// OwnNote is the note of the path in the project of the path, of which the caller is a
// member.
func (c *Call) OwnNote(tx *bucket.Tx) (*record.ProjectNote, *record.ProjectMember, error) {
	p, m, err := c.OpenProject(tx, record.ProjectViewer)
	if err != nil {
		return nil, nil, err
	}
	if working.NoteOwners.Of(tx, c.ID("note_id")).In != p.ID {
		return nil, nil, record.ErrNoteNotFound
	}
	n, err := working.ProjectNotes.Get(tx, c.ID("note_id"))
	return n, m, err
}

// ChangeableNote is OwnNote when the caller may change it: its own as a collaborator, every
// one as the owner of the project.
func (c *Call) ChangeableNote(tx *bucket.Tx) (*record.ProjectNote, error) {
	n, m, err := c.OwnNote(tx)
	if err != nil {
		return nil, err
	}
	return n, m.May(n.AccountID)
}

// PublicHead says which version readers get; absent is the answer where there is none.
func PublicHead(tx bucket.Reader, id int64, absent *record.Error) (*record.PublicArticle, error) {
	head, err := published.Articles.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, absent
	}
	return head, err
}
