package site

import (
	"errors"
	"net/url"
	"strconv"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/record"
	"alcove/site/preview"
)

// view is a file on a page of its own.
type view struct {
	*frame
	Name, Size string
	Item       link
	Download   string // address
	Source     string // address that the browser shows
	Shown      *preview.Preview
	Summary    []columnShown
	None       string // why there is nothing to see, "" where there is
}

// columnShown is a column of a table in words.
type columnShown struct{ Name, Type, Count, Missing, Min, Max, Distinct string }

// View is the page that shows a file, or its beginning, to those who may download it.
func (s *Site) View(c *handlers.Call) (r handlers.Reply, err error) {
	file, err := s.api.OpenFile(c)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	f := s.frame(c)
	v := view{frame: f, Name: file.Name, Size: f.Bytes(file.Size), Download: "/files/" + strconv.FormatInt(file.ID, 10)}
	if link := c.PrivateLink(); link != "" && !file.Public {
		v.Download += "?private_link=" + url.QueryEscape(link)
	}
	v.Shown, err = preview.Of(preview.File{ReaderAt: file, Name: file.Name, MIME: file.MIME, Size: file.Size})
	switch {
	case errors.Is(err, preview.ErrNone):
		v.None = f.PreviewNone
	case errors.Is(err, preview.ErrBroken):
		v.None = f.PreviewBroken
	case err != nil:
		return r, err
	case v.Shown.Media != "":
		v.Source = v.Download
		if v.Shown.Media == "picture" {
			v.Source = inlineURL(v.Download)
		}
	case v.Shown.Table != nil:
		v.Summary = f.columns(v.Shown.Table)
	}
	err = s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		doc, err := s.api.PublicDocument(tx, file.ArticleID)
		if errors.Is(err, record.ErrArticleUnknown) {
			return nil
		}
		v.Item = link{plainTitle(text(doc.Title)), s.local(doc.URLPublicHTML)}
		return err
	})
	if err != nil {
		return r, err
	}
	f.Title, f.Hidden, f.Main = file.Name, true, v
	r, err = s.render(c, "view", f)
	r.Public, r.Modified = file.Public, file.Published
	if !r.Public && err == nil {
		r.Header["X-Robots-Tag"] = []string{"noindex"}
		r.Header["Referrer-Policy"] = []string{"no-referrer"}
		r.Header["Cache-Control"] = []string{"private, no-store"}
	}
	return r, err
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
