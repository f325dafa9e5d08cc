package own

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/markup"
	"alcove/site"
)

// reviewList is what was handed in: what waits, or what was decided in one way.
type reviewList struct {
	*site.Frame
	site.Form
	Heading        string
	Tabs           []site.Choice
	Rows           []reviewRow
	Page           int
	Previous, Next string
}

type reviewRow struct {
	Title    template.HTML
	URL      string
	Authors  string
	About    string // version, and how often it was handed in
	Yours    bool   // the reader has handed it in
	Assigned string // who reviews it, "" for none
	HandedIn site.Day
	Reviewed site.Day
}

const reviewsPath, reviewsEach = "/account/reviews", 50

// Reviews lists the reviews that the person may read, in one state.
func (s *Pages) Reviews(c *endpoint.Call) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	w := &f.Review
	page, err := pageOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	status := record.ReviewStatus(site.Asked(c, "status"))
	if status == "" {
		status = record.ReviewPending
	}
	if !slices.Contains(record.ReviewStatuses, status) {
		return endpoint.Reply{}, record.ErrNotFound
	}
	v := reviewList{Frame: f, Heading: w.Reviews, Page: page}
	for _, one := range record.ReviewStatuses {
		v.Tabs = append(v.Tabs, site.Choice{Words: w.States[one], URL: reviewsAt(one, 1), Chosen: one == status})
	}
	f.Title = w.Reviews
	more := false
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		v.Rows = nil
		r, err := s.api.ReviewList(c.Asking(fmt.Sprintf("status=%s&page=%d&page_size=%d", status, page, reviewsEach)), tx)
		if err != nil {
			return err
		}
		list, _ := r.Body.([]present.Curation)
		more = len(list) == reviewsEach
		for _, one := range list {
			handed, err := working.Submissions.Get(tx, one.ID)
			if err != nil {
				return err
			}
			row := rowOf(f, c, &one, handed)
			if row.Assigned, err = reviewerOf(f, c, tx, &one); err != nil {
				return err
			}
			v.Rows = append(v.Rows, row)
		}
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	if page > 1 {
		v.Previous = reviewsAt(status, page-1)
	}
	if more && page < maxMine {
		v.Next = reviewsAt(status, page+1)
	}
	f.Main = v
	return s.formPage(c, "reviews", http.StatusOK, f)
}

// reviewsAt is the address of a page of the list.
func reviewsAt(status record.ReviewStatus, page int) string {
	q := url.Values{}
	if status != record.ReviewPending {
		q.Set("status", string(status))
	}
	if page > 1 {
		q.Set("page", fmt.Sprint(page))
	}
	if len(q) == 0 {
		return reviewsPath
	}
	return reviewsPath + "?" + q.Encode()
}

func rowOf(f *site.Frame, c *endpoint.Call, r *present.Curation, handed *record.ArticleVersion) reviewRow {
	w := &f.Review
	row := reviewRow{
		Title: markup.Title(handed.Title).HTML(), URL: fmt.Sprintf("%s/%d", reviewsPath, r.ID), Yours: r.AccountID == c.Person().ID,
		About: strings.Replace(w.Version, "%d", fmt.Sprint(r.Version), 1), HandedIn: f.ReadDay(site.Text(r.CreatedDate)), Reviewed: f.ReadDay(site.Text(r.ReviewDate)),
	}
	if r.RequestNumber > 1 {
		row.About += " · " + strings.Replace(w.Again, "%d", fmt.Sprint(r.RequestNumber), 1)
	}
	var people []string
	for _, a := range handed.Authors[:min(len(handed.Authors), 3)] {
		people = append(people, a.FullName)
	}
	if len(handed.Authors) > 3 {
		people = append(people, "…")
	}
	row.Authors = strings.Join(people, ", ")
	return row
}

// reviewerOf says who reviews what was handed in, by name to all but its owner; "" for none.
func reviewerOf(f *site.Frame, c *endpoint.Call, tx *bucket.Tx, r *present.Curation) (string, error) {
	w := &f.Review
	switch {
	case r.AssignedTo == nil:
		return "", nil
	case *r.AssignedTo == c.Person().ID:
		return w.AssignedYou, nil
	case r.AccountID == c.Person().ID:
		return w.AssignedOther, nil
	}
	acc, err := users.Accounts.Get(tx, *r.AssignedTo)
	if errors.Is(err, bucket.ErrNotFound) {
		return w.AssignedOther, nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(w.AssignedNamed, site.NameOf(acc)), nil
}
