package site

import (
	"fmt"

	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/site/preview"
)

// glance is what the page of an item shows of one of its files.
type glance struct {
	*Words
	Name, URL string // of the file and its page
	Picture   string // address of a small picture, "" for none
	Shown     *preview.Glance
	Part      string // how much of the file it is, "" where all of it is there
}

// telling is the file of a listing that shows best what is in an item, nil for none: the first table or
// picture, or the first text. Nothing is read of any file.
func telling(files []*record.PublicFile) (best *record.PublicFile) {
	rank := 0
	for _, f := range files {
		r := preview.Rank(f.Name, f.MIME, f.Size)
		switch {
		case f.Link != "":
			r = 0
		case f.Preview == record.PreviewMade:
			r = 3
		}
		if r > rank {
			best, rank = f, r
		}
	}
	return best
}

// glance looks into the file that stands for an item. A file that cannot be read, or that not everyone
// may download, shows nothing, as the page is there without it.
func (s *Site) glance(c *endpoint.Call, w *Words, f *record.PublicFile) *glance {
	if f == nil {
		return nil
	}
	g := &glance{Words: w, Name: f.Name, URL: Download(f.ID) + "/view"}
	file, err := s.api.OpenPublicFile(c, f.ID)
	if err != nil {
		return nil
	}
	defer file.Close()
	if f.Preview == record.PreviewMade {
		g.Picture = thumb(f.ID)
		return g
	}
	g.Shown, err = preview.GlanceOf(preview.File{ReaderAt: file, Name: f.Name, MIME: f.MIME, Size: f.Size})
	if err != nil {
		return nil
	}
	shown := len(g.Shown.Rows) + len(g.Shown.Lines)
	g.Part = w.part(shown, g.Shown.Total, g.Shown.Rows != nil)
	return g
}

// part says how many rows or lines of how many are shown; 0 for an unknown number of all.
func (w *Words) part(shown, total int, rows bool) string {
	first, of := w.FirstLines, w.LinesOf
	if rows {
		first, of = w.FirstRows, w.RowsOf
	}
	switch {
	case total == 0:
		return fmt.Sprintf(first, shown)
	case total > shown:
		return fmt.Sprintf(of, shown, w.Number(total))
	}
	return ""
}
