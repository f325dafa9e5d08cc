package items

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/accounts"
	"alcove/record"
	"alcove/record/markup"
)

// A notice tells a person by mail that something has happened. It is written into the outbox in the transaction in
// which that happens, so there is one for each event, and none for what was not done. It has ids only: what is said, and
// whether its receiver may know it still, is found out when it is sent.

const (
	noticesMost = 5000 // mails that wait, above which notices are dropped: those that people wait for need the rest
	noticesEach = 50   // receivers of one event
)

// Notify has a notice sent once the transaction is durable, unless no mail is configured.
func (s *Service) Notify(tx *bucket.Tx, m record.Mail) error {
	if !s.Mails {
		return nil
	}
	if exchange.MailsWaiting.Sum(tx) >= noticesMost {
		s.unsaid.Add(1)
		return nil
	}
	id, err := exchange.Outbox.NextID(tx)
	if err != nil {
		return err
	}
	m.Created, m.Due = tx.Now(), tx.Now()
	return exchange.Outbox.Put(tx, id, &m)
}

// Unsaid is how many notices were dropped since the start because too many mails waited. A transaction that ran twice counts
// twice.
func (s *Service) Unsaid() int64 { return s.unsaid.Load() }

// notifyReviewers tells those who decide a review that something was handed in.
func (s *Service) notifyReviewers(tx *bucket.Tx, r *record.Review) error {
	if !s.Mails {
		return nil
	}
	ids, err := reviewers(tx, r.InstitutionID, r.GroupID)
	for _, id := range ids {
		if err == nil && id != r.AccountID {
			err = s.Notify(tx, record.Mail{Kind: record.NoticeHandedIn, AccountID: id, ItemID: r.ID})
		}
	}
	return err
}

// reviewers are accounts that decide reviews of a group: those with a role in it or above it, or where there are none
// the administrators of the institution.
func reviewers(tx *bucket.Tx, institution, group int64) (ids []int64, err error) {
	line, err := lineage(tx, group)
	if err != nil {
		return nil, err
	}
	for _, g := range line {
		for hit := range users.GrantsByGroup.Ascending(tx, bucket.SortKey(g.ID)) {
			grant, err := users.Grants.Get(tx, hit.Key)
			if err != nil {
				return nil, err
			}
			if len(ids) < noticesEach && !slices.Contains(ids, grant.AccountID) && (slices.Contains(grant.Roles, record.RoleReviewer) || slices.Contains(grant.Roles, record.RoleAdministrator)) {
				ids = append(ids, grant.AccountID)
			}
		}
	}
	if len(ids) > 0 {
		return ids, nil
	}
	for hit := range users.Administrators.Ascending(tx, bucket.SortKey(institution)) {
		if ids = append(ids, hit.Key); len(ids) == noticesEach {
			break
		}
	}
	return ids, nil
}

// Notice is what a notice says.
type Notice struct {
	To    *record.Account
	Title string // of what it is about, in one line
	Path  string // of the page
	Said  string // what became of it, "" where there is only one thing
}

// NoticeOf is what a notice that waits says now. It is nil where there is nothing to say any more, or its receiver may
// not know it, or does not want it.
func (s *Service) NoticeOf(tx *bucket.Tx, m *record.Mail) (*Notice, error) {
	acc, err := users.Accounts.Get(tx, m.AccountID)
	if err == nil && (!acc.Active(tx.Latest()) || !acc.Wants(m.Kind)) {
		return nil, nil
	}
	n := &Notice{To: acc, Said: m.Said}
	if err == nil {
		err = n.read(tx, m)
	}
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n.Title = strings.Join(strings.Fields(n.Title), " ")
	return n, nil
}

// read fails with ErrNotFound where the receiver may not know what it is about.
func (n *Notice) read(tx *bucket.Tx, m *record.Mail) error {
	switch m.Kind {
	case record.NoticeHandedIn, record.NoticeDecided:
		r, err := working.Reviews.Get(tx, m.ItemID)
		if err != nil {
			return err
		}
		v, err := working.Submissions.Get(tx, r.ID)
		if err != nil {
			return err
		}
		n.Title, n.Path = markup.Title(v.Title).String(), fmt.Sprintf("/account/reviews/%d", r.ID)
		if m.Kind == record.NoticeDecided {
			return onlyIf(r.AccountID == n.To.ID)
		}
		may, err := decides(tx, n.To, r)
		if err != nil {
			return err
		}
		return onlyIf(may && r.Status == record.ReviewPending)
	case record.NoticeEmbargo:
		art, err := working.Articles.Get(tx, m.ItemID)
		if err != nil {
			return err
		}
		n.Title, n.Path = markup.Title(art.Title).String(), fmt.Sprintf("/account/articles/%d/edit", art.ID)
		return onlyIf(art.AccountID == n.To.ID)
	case record.NoticeFile:
		f, err := files.Files.Get(tx, m.ItemID)
		if err != nil {
			return err
		}
		n.Title, n.Path = f.Name, fmt.Sprintf("/account/articles/%d/files", f.ArticleID)
		return onlyIf(f.AccountID == n.To.ID && f.Status == record.FileFailed)
	}
	return nil
}

func onlyIf(may bool) error {
	if !may {
		return bucket.ErrNotFound
	}
	return nil
}

// decides reports whether an account decides a review.
func decides(tx *bucket.Tx, acc *record.Account, r *record.Review) (bool, error) {
	if acc.InstitutionID != r.InstitutionID {
		return false, nil
	}
	for _, role := range []int64{record.RoleReviewer, record.RoleAdministrator} {
		groups, err := accounts.GroupsWith(tx, acc, role)
		if err != nil || acc.Admin {
			return err == nil, err
		}
		if slices.ContainsFunc(groups, func(g *record.Group) bool { return g.ID == r.GroupID }) {
			return true, nil
		}
	}
	return false, nil
}

// notifyEmbargo tells the owner of an article that its embargo has ended.
func (s *Service) notifyEmbargo(tx *bucket.Tx, article, owner int64) error {
	return s.Notify(tx, record.Mail{Kind: record.NoticeEmbargo, AccountID: owner, ItemID: article})
}

// latestDue reports whether the embargo of the latest public version of an article is due, too.
func latestDue(tx *bucket.Tx, article int64) (bool, error) {
	head, err := published.Articles.Get(tx, article)
	if errors.Is(err, bucket.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: article, B: int64(head.Latest)})
	return err == nil && v.Embargo.Due(tx.Clock()), err
}
