package own

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/markup"
	"alcove/site"
)

// reviewPage is one review: what was handed in beside what is public, and what was said of it.
type reviewPage struct {
	*site.Frame
	site.Form
	Heading  template.HTML
	State    string
	Facts    []compared
	Public   string // address of the public version, "" where there is none
	Before   string // heading of what is public, "" where nothing is
	After    string
	Files    []site.Link
	NoFiles  string
	Comments []comment
	Text     site.Control
	Decide   bool   // the reader may decide
	Withdraw string // words of the button with which the owner ends it, "" for none
	Action   string
	Assigned string // who reviews it, "" for none
	Taken    bool   // it is assigned
	Reviewer site.Control
}

// compared is a field of an item as it is public and as it was handed in.
type compared struct {
	Name     string
	Was, Is  string
	Changed  bool
	Answered bool // there is something to compare with
}

type comment struct {
	Who  string
	At   site.Day
	Text string
	Kind string // "" for a mere comment
}

// review is all that the page of one tells.
type review struct {
	present.CurationDetail
	comments []present.CurationComment
	before   *present.ArticleComplete // the latest public version, nil where there is none
	decides  bool
	assigned string
	agreed   *record.Agreement // what its owner had accepted, nil for nothing or where that is not the reader's to know
}

// Review is the page of a review.
func (s *Pages) Review(c *endpoint.Call) (endpoint.Reply, error) {
	return s.reviewPage(c, http.StatusOK, "", "")
}

// ReviewComment comments on a review, or decides it.
func (s *Pages) ReviewComment(c *endpoint.Call) (endpoint.Reply, error) {
	words := &site.WordsOf(c).Review
	said, kind := strings.TrimSpace(c.Field("text")), c.Field("type")
	ahead := handlers.FilesToApprove
	if kind != string(record.ReviewApproved) {
		ahead = nil
	}
	_, err := s.api.Change(c, nil, "", ahead, handlers.With(s.api.CommentAdd, object(map[string]any{"text": said, "type": kind})))
	switch refused := site.Refusal(err); {
	case refused == nil && err != nil:
		return endpoint.Reply{}, err
	case refused == nil:
		return endpoint.Reply{Status: http.StatusSeeOther, Location: c.Address().Path + "?done=" + url.QueryEscape(kind)}, nil
	case refused.Class == record.NotFound:
		return endpoint.Reply{}, record.ErrNotFound
	case said == "":
		return s.reviewPage(c, http.StatusUnprocessableEntity, words.TextMissing, "")
	case errors.Is(err, record.ErrReviewDecided):
		return s.reviewPage(c, http.StatusConflict, "", words.Decided)
	case refused.Class == record.Invalid || refused.Class == record.Unreadable || refused.Class == record.Conflict:
		return s.reviewPage(c, http.StatusUnprocessableEntity, "", site.WordsOf(c).Refused(refused))
	}
	return endpoint.Reply{}, err
}

// AssignReview gives a review to one of those who decide it, or to none.
func (s *Pages) AssignReview(c *endpoint.Call) (endpoint.Reply, error) {
	words := &site.WordsOf(c).Review
	email := strings.TrimSpace(c.Field("reviewer"))
	switch c.Field("do") {
	case "take":
		email = c.Person().Email
	case "release":
		email = ""
	default:
		if email == "" {
			return s.reviewPageWith(c, http.StatusUnprocessableEntity, "", "", words.ReviewerMissing)
		}
	}
	_, err := s.api.Change(c, nil, "", nil, handlers.AssignReview(email))
	switch refused := site.Refusal(err); {
	case err == nil:
		return endpoint.Reply{Status: http.StatusSeeOther, Location: strings.TrimSuffix(c.Address().Path, "/assign") + "?done=assigned"}, nil
	case errors.Is(err, record.ErrNoReviewer):
		return s.reviewPageWith(c, http.StatusUnprocessableEntity, "", "", words.NoReviewer)
	case errors.Is(err, record.ErrReviewDecided):
		return s.reviewPage(c, http.StatusConflict, "", words.Decided)
	case refused != nil && refused.Class == record.NotFound:
		return endpoint.Reply{}, record.ErrNotFound
	}
	return endpoint.Reply{}, err
}

func (s *Pages) readReview(c *endpoint.Call, f *site.Frame) (r review, err error) {
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		r = review{}
		answer, err := s.api.ReviewRead(c.Unasked(), tx)
		if err != nil {
			return err
		}
		r.CurationDetail, _ = answer.Body.(present.CurationDetail)
		if answer, err = s.api.CommentList(c.Asking(fmt.Sprintf("page_size=%d", record.MaxReviewComments)), tx); err != nil {
			return err
		}
		r.comments, _ = answer.Body.([]present.CurationComment)
		if r.decides, err = s.api.Decides(c, tx); err != nil {
			return err
		}
		if r.decides {
			handed, err := working.Submissions.Get(tx, r.ID)
			if err != nil {
				return err
			}
			r.agreed = handed.Agreement
		}
		r.assigned, err = reviewerOf(f, c, tx, &r.Curation)
		return err
	})
	if err != nil || r.Version < 2 {
		return r, site.Unknown(err)
	}
	err = s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		head, err := published.Articles.Get(tx, r.ArticleID)
		if errors.Is(err, bucket.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		doc, err := s.api.PublicVersionDocument(tx, r.ArticleID, min(head.Latest, r.Version-1))
		r.before = &doc
		return err
	})
	return r, err
}

func (s *Pages) reviewPage(c *endpoint.Call, status int, wrong, said string) (endpoint.Reply, error) {
	return s.reviewPageWith(c, status, wrong, said, "")
}

// reviewPageWith is the page with what is wrong with the comment, the decision and the reviewer.
func (s *Pages) reviewPageWith(c *endpoint.Call, status int, wrong, said, reviewer string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	r, err := s.readReview(c, f)
	if err != nil {
		return endpoint.Reply{}, err
	}
	w := &f.Review
	v := reviewPage{Frame: f, Heading: markup.Title(site.Text(r.Item.Title)).HTML(), State: w.States[record.ReviewStatus(r.Status)], Action: fmt.Sprintf("%s/%d", reviewsPath, r.ID), After: w.HandedIn}
	f.Title = w.Review + ": " + markup.Title(site.Text(r.Item.Title)).String()
	v.Facts = comparison(f, r.before, &r.Item)
	if g := r.agreed; g != nil {
		v.Facts = append(v.Facts, compared{Name: f.Edit.Agreed, Is: f.Day(g.Accepted.UTC()) + ", SHA-256 " + g.SHA256})
	} else if r.decides && s.api.Agreement(site.LanguageOf(c)) != "" {
		v.Facts = append(v.Facts, compared{Name: f.Edit.Agreed, Is: f.No})
	}
	if r.before != nil {
		v.Before, v.Public = strings.Replace(w.PublicVersion, "%d", fmt.Sprint(r.before.Version), 1), s.site.Local(r.before.URLPublicHTML)
	}
	pending := r.Status == string(record.ReviewPending)
	doc := &r.Item
	for _, file := range doc.Files {
		at := ""
		if pending { // afterwards a reviewer reads what is public
			at = fmt.Sprintf("/files/%d", file.ID)
		}
		v.Files = append(v.Files, site.Link{Text: site.Joined(strings.Trim(doc.FolderStructure[fmt.Sprint(file.ID)], "/"), file.Name) + ", " + f.Bytes(file.Size), URL: at})
	}
	if v.NoFiles = f.Edit.NoFiles; !pending {
		v.NoFiles = w.FilesThen
	}
	for _, one := range r.comments {
		v.Comments = append(v.Comments, commentOf(f, c, &r, &one))
	}
	v.Text = site.Control{Name: "text", Kind: "area", Rows: 4, Label: w.Text, Help: w.TextHelp, Value: c.Field("text"), Error: wrong}
	v.Decide, v.Assigned, v.Taken = pending && r.decides, r.assigned, r.AssignedTo != nil
	v.Reviewer = site.Control{Name: "reviewer", Kind: "line", Input: "email", Label: w.ReviewerEmail, Help: w.ReviewerHelp, Most: 254, Error: reviewer}
	if reviewer != "" {
		v.Reviewer.Value = c.Field("reviewer")
	}
	if pending && r.AccountID == c.Person().ID && !r.decides {
		v.Withdraw = w.Withdraw
	}
	v.Said = said
	for _, one := range []site.Field{{Name: "text", Error: wrong}, {Name: "reviewer", Error: reviewer}} {
		if one.Error != "" {
			v.Fields = append(v.Fields, one)
		}
	}
	if done := site.Asked(c, "done"); done != "" && status == http.StatusOK {
		v.Done = w.Done[done]
	}
	f.Main = v
	return s.formPage(c, "review", status, f)
}

// comparison has the fields of what was handed in beside those of what is public, nil where nothing is.
func comparison(f *site.Frame, before, is *present.ArticleComplete) (list []compared) {
	was := map[string]string{}
	if before != nil {
		for _, one := range describing(f, before) {
			was[one.Name] = one.Is
		}
	}
	for _, one := range describing(f, is) {
		one.Answered = before != nil
		one.Was = was[one.Name]
		if one.Changed = before != nil && one.Was != one.Is; one.Was != "" || one.Is != "" {
			list = append(list, one)
		}
	}
	return list
}

// describing is what an item says of itself, as plain text, a line for each entry of a list.
func describing(f *site.Frame, doc *present.ArticleComplete) (list []compared) {
	w := f.Words
	lines := func(n int, line func(int) string) string {
		var all []string
		for i := range n {
			all = append(all, line(i))
		}
		return strings.Join(all, "\n")
	}
	add := func(name, is string) { list = append(list, compared{Name: name, Is: strings.TrimSpace(is)}) }
	add(w.FieldTitle, markup.Title(site.Text(doc.Title)).String())
	add(w.Authors, lines(len(doc.Authors), func(i int) string {
		return strings.TrimSpace(doc.Authors[i].FullName + " " + site.Text(doc.Authors[i].ORCID))
	}))
	add(w.Type, w.Types[doc.DefinedType])
	add(w.AboutItem, markup.Description(site.Text(doc.Description)).String())
	add(w.License, doc.License.Name)
	add(w.Categories, lines(len(doc.Categories), func(i int) string { return doc.Categories[i].Title }))
	add(w.Keywords, strings.Join(doc.Tags, "\n"))
	add(w.Funding, lines(len(doc.FundingList), func(i int) string { return markup.Title(doc.FundingList[i].Title).String() }))
	add(w.References, strings.Join(doc.References, "\n"))
	add(w.Related, lines(len(doc.RelatedMaterials), func(i int) string {
		m := doc.RelatedMaterials[i]
		return strings.TrimSpace(markup.Title(site.Text(m.Title)).String() + " " + m.Identifier)
	}))
	for _, field := range doc.CustomFields {
		values := site.FieldValues(field.Value, w)
		add(field.Name, lines(len(values), func(i int) string { return values[i].Text }))
	}
	until := ""
	if doc.IsEmbargoed {
		until = w.ReadDay(site.Text(doc.EmbargoDate)).Words + " " + markup.Description(site.Text(doc.EmbargoReason)).String()
	}
	add(w.Review.Embargo, until)
	return list
}

// comment names the one who wrote as the owner or as a reviewer: readers of a review know accounts by ids only.
func commentOf(f *site.Frame, c *endpoint.Call, r *review, one *present.CurationComment) comment {
	w := &f.Review
	v := comment{Who: w.Reviewer, At: f.ReadDay(site.Text(one.CreatedDate)), Text: one.Text}
	switch one.AccountID {
	case c.Person().ID:
		v.Who = w.You
	case r.AccountID:
		v.Who = w.Owner
	}
	if one.Type != record.PlainComment {
		v.Kind = w.States[record.ReviewStatus(one.Type)]
	}
	return v
}
