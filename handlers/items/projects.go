package items

import (
	"cmp"
	"errors"
	"slices"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/record"
)

// PutProject stores a project that was changed now, and what readers know of it when it
// is public.
func PutProject(tx *bucket.Tx, p *record.Project) error {
	p.Modified = tx.Now()
	if err := working.Projects.Put(tx, p.ID, p); err != nil || p.Published == nil {
		return err
	}
	shown, err := ShownMembers(tx, p.ID)
	if err != nil {
		return err
	}
	public := p.Public(shown)
	return errors.Join(published.Projects.Put(tx, p.ID, public), counting.Cite(tx, bucket.Pair{A: record.KindProject, B: p.ID}, "", public.Citation()))
}

// leaveProject moves a working copy, and what of it waits to become public, out of its project to
// its owner's own data.
func leaveProject(tx *bucket.Tx, art *record.Article) error {
	art.ProjectID = 0
	if err := PutArticle(tx, art); err != nil {
		return err
	}
	held, err := working.HeldVersions.Get(tx, art.ID)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	held.ProjectID = 0
	return working.HeldVersions.Put(tx, art.ID, held)
}

// DeleteProject removes a project that is neither public nor has public articles. Those of an
// individual project go to their owners; those of a group's are removed, and the files whose staged
// bytes are of no use any more are told. A project that was published once and withdrawn leaves a trace that
// stays, so it goes to its owner from a group's project too.
func (s *Service) DeleteProject(tx *bucket.Tx, p *record.Project) (gone []*record.File, err error) {
	if p.Published != nil {
		return nil, record.ErrProjectPublic
	}
	for range published.ArticlesByProject.Ascending(tx, bucket.SortKey(p.ID)) {
		return nil, record.ErrProjectPublic
	}
	for _, id := range bucket.Keys(working.ArticlesByProject.Ascending(tx, bucket.SortKey(p.ID))) {
		art, err := working.Articles.Get(tx, id)
		if err != nil {
			return nil, err
		}
		var files []*record.File
		if p.GroupID != 0 && art.Version == 0 {
			files, err = s.DeleteArticle(tx, art)
		} else {
			err = leaveProject(tx, art)
		}
		if err != nil {
			return nil, err
		}
		gone = append(gone, files...)
	}
	all, err := Members(tx, p.ID)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if err := working.ProjectMembers.Delete(tx, MemberKey(m)); err != nil {
			return nil, err
		}
	}
	for _, n := range bucket.Keys(working.NotesByProject.Ascending(tx, bucket.SortKey(p.ID))) {
		if err := working.ProjectNotes.Delete(tx, n); err != nil {
			return nil, err
		}
	}
	return gone, working.Projects.Delete(tx, p.ID)
}

// MemberKey is where a member of a project stands.
func MemberKey(m *record.ProjectMember) bucket.Pair {
	return bucket.Pair{A: m.ProjectID, B: m.UserID}
}

// Members are the members of a project, then the invitations, each the owner first and
// then as they came.
func Members(tx *bucket.Tx, project int64) ([]*record.ProjectMember, error) {
	var all []*record.ProjectMember
	for row, err := range working.ProjectMembers.All(tx, bucket.Prefix(project)) {
		if err != nil {
			return nil, err
		}
		all = append(all, row.Record)
	}
	rank := func(m *record.ProjectMember) int {
		switch {
		case m.Invited():
			return 2
		case m.Role == record.ProjectOwner:
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(x, y *record.ProjectMember) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), x.Created.Compare(y.Created))
	})
	return all, nil
}

// ShownMembers are the members of a project by name, without invitations.
func ShownMembers(tx *bucket.Tx, project int64) ([]record.PublicMember, error) {
	all, err := Members(tx, project)
	if err != nil {
		return nil, err
	}
	shown := []record.PublicMember{}
	for _, m := range all {
		if m.Invited() {
			break // they come last
		}
		p, err := users.People.Get(tx, m.UserID)
		if err != nil {
			return nil, err
		}
		shown = append(shown, record.PublicMember{UserID: m.UserID, Name: p.FullName, Role: m.Role})
	}
	return shown, nil
}

// DropMember takes a member out of a project. Its items that are not public go with it to its own
// data, where the others of the project neither read nor delete it; what is public stays.
func DropMember(tx *bucket.Tx, p *record.Project, m *record.ProjectMember) error {
	if m.Role == record.ProjectOwner {
		return record.ErrProjectOwner
	}
	for _, id := range bucket.Keys(working.ArticlesByProject.Ascending(tx, bucket.SortKey(p.ID))) {
		art, err := working.Articles.Get(tx, id)
		if err != nil {
			return err
		}
		if art.AccountID != m.AccountID || published.Articles.Has(tx, art.ID) {
			continue
		}
		if err := leaveProject(tx, art); err != nil {
			return err
		}
	}
	if err := working.ProjectMembers.Delete(tx, MemberKey(m)); err != nil {
		return err
	}
	return PutProject(tx, p)
}
