package site

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/record/markup"
	"alcove/site/preview"
)

// view is a file on a page of its own.
type view struct {
	*Frame
	Name, Size string
	Item       Link
	Download   string // address
	Source     string // address that the browser shows
	Member     string // address of a member, but for its number
	Shown      shown
	Summary    []columnShown
	Map        *mapShown // nil for none
}

// columnShown is a column of a table in words.
type columnShown struct{ Name, Type, Count, Missing, Min, Max, Distinct string }

// View is the page that shows a file, or its beginning, to those who may download it.
func (s *Site) View(c *endpoint.Call) (r endpoint.Reply, err error) {
	file, err := s.api.OpenFile(c)
	if err != nil {
		return r, err
	}
	if number := Asked(c, "member"); number != "" {
		return s.member(file, number)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	f := s.Frame(c)
	v := view{Frame: f, Name: file.Name, Size: f.Bytes(file.Size), Download: Download(file.ID)}
	if link := c.PrivateLink(); link != "" && !file.Public {
		v.Download += "?private_link=" + url.QueryEscape(link)
	}
	v.Member = strings.Replace(v.Download, Download(file.ID), Download(file.ID)+"/view", 1) + "?member="
	if strings.Contains(v.Download, "?") {
		v.Member = strings.Replace(v.Member, "?member=", "&member=", 1)
	}
	if v.Shown, err = s.shownOf(c, f.Words, file); err != nil {
		return r, err
	}
	switch p := v.Shown.Preview; {
	case p == nil && file.Preview == record.PreviewMade: // a picture that browsers cannot show
		v.Shown, v.Source = shown{Preview: &preview.Preview{Media: "picture"}}, thumb(file.ID)+strings.TrimPrefix(v.Download, Download(file.ID))
	case p == nil:
	case p.Media != "":
		v.Source = v.Download
		if p.Media == "picture" || p.Media == "document" {
			v.Source = inlineURL(v.Download)
		}
	case p.Map != nil:
		v.Map = f.drawn(p.Map)
	case p.Table != nil:
		v.Summary = f.columns(p.Table)
	}
	err = s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		doc, err := s.api.PublicDocument(tx, file.ArticleID)
		if errors.Is(err, record.ErrArticleUnknown) {
			return nil
		}
		v.Item = Link{markup.Title(Text(doc.Title)).String(), s.Local(doc.URLPublicHTML)}
		return err
	})
	if err != nil {
		return r, err
	}
	f.Title, f.Hidden, f.Main = file.Name, true, v
	r, err = s.render(c, "view", f)
	if r.Public = file.Public; !v.Shown.Passing {
		r.Modified = file.Published
	}
	if p := v.Shown.Preview; err == nil && p != nil && p.Media == "document" {
		r.Header["Content-Security-Policy"] = []string{Policy + "; frame-src 'self'"}
	}
	if !r.Public && err == nil {
		r.Header["X-Robots-Tag"] = []string{"noindex"}
		r.Header["Referrer-Policy"] = []string{"no-referrer"}
		r.Header["Cache-Control"] = []string{"private, no-store"}
	}
	return r, err
}

// member is the download of a member of an archive, which closes the archive.
func (s *Site) member(file *handlers.Opened, number string) (endpoint.Reply, error) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return endpoint.Reply{}, errors.Join(file.Close(), record.ErrFileNotFound)
	}
	m, err := preview.Extract(preview.File{ReaderAt: file, Name: file.Name, MIME: file.MIME, Size: file.Size}, n)
	if errors.Is(err, preview.ErrNone) || errors.Is(err, preview.ErrBroken) {
		err = record.ErrFileNotFound
	}
	if err != nil {
		return endpoint.Reply{}, errors.Join(err, file.Close())
	}
	return endpoint.Reply{File: file.Part(m, strconv.Itoa(n), m.Name, m.Size)}, nil
}

// Download is the address of a file, and thumb that of a small picture of one.
func Download(id int64) string { return "/files/" + strconv.FormatInt(id, 10) }
func thumb(id int64) string {
	return Download(id) + "/preview/" + strconv.FormatInt(id, 10) + "/thumb.png"
}

// inlineURL is the address at which a browser shows a file instead of storing it.
func inlineURL(download string) string {
	u, err := url.Parse(download)
	if err != nil {
		return download
	}
	q := u.Query()
	q.Set("inline", "true")
	u.RawQuery = q.Encode()
	return u.String()
}

// columns are the summaries of the columns of a table.
func (w *Words) columns(t *preview.Table) (list []columnShown) {
	for i, c := range t.Columns {
		types := map[string]string{"number": w.TypeNumber, "date": w.TypeDate, "text": w.TypeText}
		list = append(list, columnShown{t.Header[i], types[c.Type], w.Number(c.Count), w.Number(c.Missing), c.Min, c.Max, w.Number(c.Distinct)})
	}
	return list
}
