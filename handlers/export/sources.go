package export

import (
	"errors"
	"time"

	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/withdrawn"
	"alcove/bucket/working"
	"alcove/record"
)

// each walks over the items of an account, oldest first, and has of say what there is of one.
func each(name string, account int64, index *bucket.Index[int64], of func(*bucket.Tx, int64, func(any) error) error) source {
	var from []byte
	return source{name, func(tx *bucket.Tx, emit func(any) error) (bool, error) {
		seen := 0
		for hit := range index.Walk(tx, bucket.SortKey(account), from, true) {
			from = place(hit)
			if err := of(tx, hit.Key, emit); err != nil {
				return false, err
			}
			if seen++; seen == some {
				return false, nil
			}
		}
		return true, nil
	}}
}

func (p *Person) articles(name string, of func(*bucket.Tx, int64, func(any) error) error) source {
	return each(name, p.options.Account, working.ArticlesByCreated, of)
}

func (p *Person) collections(name string, of func(*bucket.Tx, int64, func(any) error) error) source {
	return each(name, p.options.Account, working.CollectionsByCreated, of)
}

func (p *Person) workingCopy(tx *bucket.Tx, id int64, emit func(any) error) error {
	art, err := working.Articles.Get(tx, id)
	if err != nil {
		return err
	}
	return emit(art)
}

func workingCollection(tx *bucket.Tx, id int64, emit func(any) error) error {
	col, err := working.Collections.Get(tx, id)
	if err != nil {
		return err
	}
	return emit(col)
}

// version is one with what has become of it.
type version struct {
	State   string `json:"state"` // public, withdrawn, or embargoed as a whole
	Version any    `json:"version"`
}

func articleVersions(tx *bucket.Tx, id int64, emit func(any) error) error {
	for row, err := range published.ArticleVersions.All(tx, bucket.Prefix(id)) {
		if err != nil {
			return err
		}
		if err := emit(version{"public", row.Record}); err != nil {
			return err
		}
	}
	for row, err := range withdrawn.Versions.All(tx, bucket.Prefix(id)) {
		if err != nil {
			return err
		}
		if err := emit(version{"withdrawn", row.Record}); err != nil {
			return err
		}
	}
	held, err := working.HeldVersions.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return emit(version{"embargoed", held})
}

func collectionVersions(tx *bucket.Tx, id int64, emit func(any) error) error {
	for row, err := range published.CollectionVersions.All(tx, bucket.Prefix(id)) {
		if err != nil {
			return err
		}
		if err := emit(version{"public", row.Record}); err != nil {
			return err
		}
	}
	for row, err := range withdrawn.Collections.All(tx, bucket.Prefix(id)) {
		if err != nil {
			return err
		}
		if err := emit(version{"withdrawn", row.Record}); err != nil {
			return err
		}
	}
	return nil
}

// files are those of an article, also such as only its public versions have.
func fileRecords(tx *bucket.Tx, id int64, emit func(any) error) error {
	seen := map[int64]bool{}
	for _, index := range []*bucket.Index[int64]{files.ByArticle, files.Published, files.Withdrawn} {
		for hit := range index.Ascending(tx, bucket.SortKey(id)) {
			if seen[hit.Key] {
				continue
			}
			seen[hit.Key] = true
			f, err := files.Files.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			own := *f
			own.Token = "" // with it parts can be sent
			if err := emit(own); err != nil {
				return err
			}
		}
	}
	return nil
}

// links are the private links of an item, without what opens it.
func links(kind string) func(*bucket.Tx, int64, func(any) error) error {
	return func(tx *bucket.Tx, id int64, emit func(any) error) error {
		for hit := range working.LinksByItem.Ascending(tx, bucket.SortKey(kind, id)) {
			l, err := working.PrivateLinks.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			own := *l
			own.Token = ""
			if err := emit(own); err != nil {
				return err
			}
		}
		return nil
	}
}

// review is one of an own article, with what was handed in and what was said of it.
type review struct {
	Review    *record.Review          `json:"review"`
	Submitted *record.ArticleVersion  `json:"submitted"`
	Comments  []*record.ReviewComment `json:"comments"`
}

func (p *Person) reviews(tx *bucket.Tx, id int64, emit func(any) error) error {
	for hit := range working.ReviewsByArticle.Ascending(tx, bucket.SortKey(id)) {
		r, err := working.Reviews.Get(tx, hit.Key)
		if err != nil {
			return err
		}
		v, err := working.Submissions.Get(tx, r.ID)
		if err != nil && !errors.Is(err, bucket.ErrNotFound) {
			return err
		}
		whole := review{r, v, []*record.ReviewComment{}}
		for row, err := range working.ReviewComments.All(tx, bucket.Prefix(r.ID)) {
			if err != nil {
				return err
			}
			whole.Comments = append(whole.Comments, row.Record)
		}
		if err := emit(whole); err != nil {
			return err
		}
	}
	return nil
}

// member is a project with the part that the person has in it. Of the other members there is nothing.
type member struct {
	Role    string          `json:"role"`
	Since   time.Time       `json:"since"`
	Project *record.Project `json:"project"`
}

func (p *Person) projects() source {
	return source{"projects", func(tx *bucket.Tx, emit func(any) error) (bool, error) {
		for hit := range working.MembersByAccount.Ascending(tx, bucket.SortKey(p.options.Account)) {
			m, err := working.ProjectMembers.Get(tx, hit.Key)
			if err != nil {
				return false, err
			}
			project, err := working.Projects.Get(tx, m.ProjectID)
			if err != nil {
				return false, err
			}
			if err := emit(member{m.Role.String(), m.Created, project}); err != nil {
				return false, err
			}
		}
		return true, nil
	}}
}

// notes are those that the person has written, also in projects that it has left.
func (p *Person) notes() source {
	return source{"project_notes", func(tx *bucket.Tx, emit func(any) error) (bool, error) {
		for row, err := range working.ProjectNotes.All(tx, nil) {
			if err == nil && row.Record.AccountID == p.options.Account {
				err = emit(row.Record)
			}
			if err != nil {
				return false, err
			}
		}
		return true, nil
	}}
}

// comments are those that the person has written on reviews of others.
func (p *Person) comments() source {
	return source{"review_comments", func(tx *bucket.Tx, emit func(any) error) (bool, error) {
		for row, err := range working.ReviewComments.All(tx, nil) {
			if err == nil && row.Record.AccountID == p.options.Account {
				err = emit(row.Record)
			}
			if err != nil {
				return false, err
			}
		}
		return true, nil
	}}
}

// change is something that the person has done, or that was done in its name.
type change struct {
	Sequence  uint64    `json:"sequence"`
	Time      time.Time `json:"time"`
	Operation string    `json:"operation"`
	Kind      string    `json:"kind"`
	ID        string    `json:"id"`
	Way       string    `json:"way"`     // how it was done, "" for by the person itself
	Address   string    `json:"address"` // of the client, as long as it is kept
}

func (p *Person) changes() source {
	from, end := uint64(0), uint64(0)
	return source{"changes", func(tx *bucket.Tx, emit func(any) error) (bool, error) {
		if end == 0 {
			end = p.options.DB.Sequence()
		}
		seen := 0
		for c, err := range tx.Changes(from) {
			if err != nil {
				return false, err
			}
			if c.Sequence > end {
				break
			}
			from = c.Sequence
			if c.Actor == p.options.Account || c.For == p.options.Account {
				one := change{Sequence: c.Sequence, Time: c.Time, Operation: c.Op.String(), Kind: c.Table, ID: damage.KeyText(c.Table, c.Key), Way: c.Way.String()}
				if c.Request != 0 && c.Actor == p.options.Account {
					if a, err := users.Accesses.Get(tx, c.Request); err == nil {
						one.Address = a.Address
					}
				}
				if err := emit(one); err != nil {
					return false, err
				}
			}
			if seen++; seen == looked {
				return false, nil
			}
		}
		return true, nil
	}}
}
