package lists

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/record"
)

// ProjectSearch is what a list or search of own projects asks for: the query string of a list, the
// body of a search.
type ProjectSearch struct {
	Asked
	Storage *string `json:"storage"`
	Roles   *string `json:"roles"`
	Status  *int64  `json:"status"`
}

// ProjectFilter is a checked ProjectSearch.
type ProjectFilter struct {
	ProjectSearch
	order                         string // created_date, published_date, modified_date or views
	ascending                     bool
	roles                         []record.ProjectRole // empty for all
	publishedSince, modifiedSince time.Time
}

// NewProjectFilter merges what a query says into a body and checks it. Orders are those of dates,
// and more that are named.
func NewProjectFilter(q Query, body ProjectSearch, more ...string) (*ProjectFilter, error) {
	f := &ProjectFilter{ProjectSearch: body, order: "created_date"}
	f.texts(q)
	q.Text("storage", &f.Storage)
	q.Text("roles", &f.Roles)
	for _, n := range [...]struct {
		name string
		to   **int64
	}{{"status", &f.Status}, {"institution", &f.Institution}, {"group", &f.Group}} {
		if err := q.Number(n.name, n.to); err != nil {
			return nil, err
		}
	}
	if f.Order != nil {
		if f.order = *f.Order; !slices.Contains(append(more, "created_date", "published_date", "modified_date"), f.order) {
			return nil, record.ErrBadOrder
		}
	}
	return f, f.check()
}

func (f *ProjectFilter) check() (err error) {
	if f.ascending, err = direction(f.OrderDirection); err != nil {
		return err
	}
	if f.Storage != nil && *f.Storage != "group" && *f.Storage != "individual" {
		return record.Wrong("storage", "must be group or individual")
	}
	if f.Status != nil && *f.Status != 0 && *f.Status != 1 {
		return record.Wrong("status", "must be 1 for public or 0 for private")
	}
	if f.Roles != nil {
		for _, name := range strings.Split(*f.Roles, ",") {
			role, ok := record.ProjectRoleByName(name)
			if !ok {
				return record.Wrong("roles", "must be a list of owner, collaborator and viewer with commas between")
			}
			f.roles = append(f.roles, role)
		}
	}
	return f.dates(&f.publishedSince, &f.modifiedSince)
}

// ByCount reports whether the order is that of something counted.
func (f *ProjectFilter) ByCount() bool { return f.order == "views" }

// Membership is a project with the role of an account in it.
type Membership struct {
	*record.Project
	Role record.ProjectRole
}

// Projects yields the projects of an account that pass and, when matches is not nil, are among them.
func (f *ProjectFilter) Projects(tx *bucket.Tx, account int64, matches IDSet) iter.Seq2[Membership, error] {
	scan := working.MembersByAccount.Descending // ids ascend with creation
	if f.ascending {
		scan = working.MembersByAccount.Ascending
	}
	inRole := func(yield func(bucket.Hit[bucket.Pair]) bool) {
		for hit := range scan(tx, bucket.SortKey(account)) {
			role := record.ProjectRole(hit.Value[0])
			if (len(f.roles) == 0 || slices.Contains(f.roles, role)) && (matches == nil || matches.Contains(hit.Key.A)) && !yield(hit) {
				return
			}
		}
	}
	projects := Load(inRole, func(hit bucket.Hit[bucket.Pair]) (Membership, error) {
		p, err := working.Projects.Get(tx, hit.Key.A)
		return Membership{p, record.ProjectRole(hit.Value[0])}, err
	})
	return sorted(f, Keep(projects, f.passes), func(m Membership) (publication *time.Time, modified time.Time, views int64) {
		if f.ByCount() && m.Published != nil {
			public, _ := published.ProjectFacts.Facts(tx, m.ID)
			views = public.Counts.Views
		}
		return m.Published, m.Modified, views
	})
}

func (f *ProjectFilter) passes(p Membership) bool {
	return (f.Storage == nil || p.Storage() == *f.Storage) && (f.Status == nil || (p.Published != nil) == (*f.Status == 1)) &&
		Is(f.Institution, p.InstitutionID) && Is(f.Group, p.GroupID) && f.since(p.Published, p.Modified)
}

// since reports whether dates are not before those of the filter.
func (f *ProjectFilter) since(published *time.Time, modified time.Time) bool {
	return !value(published, time.Time{}).Before(f.publishedSince) && !modified.Before(f.modifiedSince)
}

// Articles yields the working copies in a project that pass, of one item type unless that is nil.
func (f *ProjectFilter) Articles(tx *bucket.Tx, project int64, itemType *int64) iter.Seq2[*record.Article, error] {
	scan := working.ArticlesByProject.Descending
	if f.ascending {
		scan = working.ArticlesByProject.Ascending
	}
	itemType = currentType(itemType)
	articles := Load(scan(tx, bucket.SortKey(project)), func(hit bucket.Hit[int64]) (*record.Article, error) { return working.Articles.Get(tx, hit.Key) })
	passing := Keep(articles, func(art *record.Article) bool { return Is(itemType, art.Type) && f.since(art.Published, art.Modified) })
	return sorted(f, passing, func(art *record.Article) (*time.Time, time.Time, int64) { return art.Published, art.Modified, 0 })
}

// sorted yields a list by creation as it is. For another order it reads all that one account, or
// one project, has; items of the same rank stay in the order of creation.
func sorted[T any](f *ProjectFilter, list iter.Seq2[T, error], facts func(T) (published *time.Time, modified time.Time, views int64)) iter.Seq2[T, error] {
	if f.order == "created_date" {
		return list
	}
	type ranked struct {
		item T
		rank int64 // Unix seconds, or views
	}
	return func(yield func(T, error) bool) {
		var all []ranked
		for item, err := range list {
			if err != nil {
				yield(item, err)
				return
			}
			published, modified, rank := facts(item)
			switch f.order {
			case "published_date":
				rank = value(published, time.Time{}).Unix()
			case "modified_date":
				rank = modified.Unix()
			}
			all = append(all, ranked{item, rank})
		}
		slices.SortStableFunc(all, func(a, b ranked) int {
			if !f.ascending {
				a, b = b, a
			}
			return cmp.Compare(a.rank, b.rank)
		})
		for _, one := range all {
			if !yield(one.item, nil) {
				return
			}
		}
	}
}
