package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/bucket/published"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
)

// A sitemap names all public items to crawlers (sitemaps.org). One of its pages has the pages that are
// no items, each other one the articles, collections or projects of a run of ids, so that an item
// stays in the page that it is in, and a page costs what is in it.
const (
	sitemapPage  = 50_000 // ids of a page, the most that the format allows
	sitemapDated = 5000   // of the latest changes, by which pages are dated
)

const (
	sitemapSpace = "http://www.sitemaps.org/schemas/sitemap/0.9"
	sitemapPath  = "/sitemap/"
	sitemapEnd   = ".xml.gz"
	xmlType      = "application/xml; charset=utf-8"
)

type sitemapIndex struct {
	XMLName xml.Name     `xml:"sitemapindex"`
	Space   string       `xml:"xmlns,attr"`
	Pages   []sitemapURL `xml:"sitemap"`
}

type sitemapURL struct {
	Address  string `xml:"loc"`
	Modified string `xml:"lastmod,omitempty"`
}

// sitemapKind is a kind of items that the sitemap has.
type sitemapKind struct {
	name     string
	behind   func(bucket.Reader, []byte, int64) iter.Seq[bucket.Hit[int64]]        // by id
	modified func(bucket.Reader, []byte, []byte, bool) iter.Seq[bucket.Hit[int64]] // by their last change
	page     func(s *Site, tx *bucket.PublicTx, key bucket.Pair) (string, error)   // the address of the page of a version, "" for none
}

var sitemapKinds = []sitemapKind{
	{"articles", published.ArticleFacts.Behind, published.ArticlesByModified.Walk, func(s *Site, tx *bucket.PublicTx, key bucket.Pair) (string, error) {
		head, err := published.Articles.Get(tx, key.A)
		if err != nil || head.Foreign {
			return "", err
		}
		doc, err := s.api.Items.ArticleDocs.List(tx, key)
		if err != nil {
			return "", err
		}
		return pageIn(doc.List)
	}},
	{"collections", published.CollectionFacts.Behind, published.CollectionsByModified.Walk, func(s *Site, tx *bucket.PublicTx, key bucket.Pair) (string, error) {
		head, err := published.Collections.Get(tx, key.A)
		if err != nil || head.Foreign {
			return "", err
		}
		doc, err := s.api.Items.CollectionDocs.List(tx, key)
		if err != nil {
			return "", err
		}
		var shown present.Collection
		if err := json.Unmarshal(doc.List, &shown); err != nil {
			return "", err
		}
		return s.api.Settings.CollectionPage(key.A, Text(shown.Title)), nil
	}},
	{"projects", published.ProjectFacts.Behind, published.ProjectsByModified.Walk, func(s *Site, tx *bucket.PublicTx, key bucket.Pair) (string, error) {
		p, err := published.Projects.Get(tx, key.A)
		if err != nil {
			return "", err
		}
		return s.api.Settings.ProjectPage(p.ID, p.Title), nil
	}},
}

// Sitemap is the list of the pages of the sitemap. Those that were changed lately have the date of
// the last change to one of their items.
func (s *Site) Sitemap(*endpoint.Call) (endpoint.Reply, error) {
	index := sitemapIndex{Space: sitemapSpace, Pages: []sitemapURL{{Address: s.sitemapAddress("pages")}}}
	err := s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		for _, k := range sitemapKinds {
			for run, changed := range k.runs(tx) {
				index.Pages = append(index.Pages, sitemapURL{s.sitemapAddress(k.name + "-" + strconv.FormatInt(run+1, 10)), stampOf(changed)})
			}
		}
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	b, err := xml.Marshal(index)
	return endpoint.Reply{Raw: append([]byte(xml.Header), b...), Type: xmlType, Public: true}, err
}

// runs yields the runs of ids in which there are items, with when the last of those was changed, or
// the zero time.
func (k *sitemapKind) runs(tx *bucket.PublicTx) iter.Seq2[int64, time.Time] {
	return func(yield func(int64, time.Time) bool) {
		changed, n := map[int64]time.Time{}, 0
		for hit := range k.modified(tx, nil, nil, false) {
			if n++; n > sitemapDated {
				break
			}
			if run := (hit.Key - 1) / sitemapPage; changed[run].IsZero() {
				changed[run] = facts.Indexed(hit.Value).Modified
			}
		}
		for last := int64(0); ; {
			run := int64(-1)
			for hit := range k.behind(tx, nil, last) {
				run = (hit.Key - 1) / sitemapPage
				break
			}
			if run < 0 || !yield(run, changed[run]) {
				return
			}
			last = (run + 1) * sitemapPage
		}
	}
}

func (s *Site) sitemapAddress(page string) string {
	return s.api.Settings.SiteURL + sitemapPath + page + sitemapEnd
}

func stampOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// SitemapPage is a page of the sitemap.
func (s *Site) SitemapPage(c *endpoint.Call) (endpoint.Reply, error) {
	name, ours := strings.CutSuffix(c.Text("name"), sitemapEnd)
	if ours && name == "pages" {
		return compressed(sitemapURLs([]sitemapURL{{Address: s.api.Settings.SiteURL + "/"}}))
	}
	kind, number, _ := strings.Cut(name, "-")
	i := slices.IndexFunc(sitemapKinds, func(k sitemapKind) bool { return k.name == kind })
	if !ours || i < 0 || !c.Named("page", number) {
		return endpoint.Reply{}, record.ErrNotFound
	}
	s.sitemaps.Lock() // a page of 50,000 takes a fifth of a second, so one is made at a time
	defer s.sitemaps.Unlock()
	found, some := []sitemapURL{}, false
	err := s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		first := (c.ID("page") - 1) * sitemapPage
		for hit := range sitemapKinds[i].behind(tx, nil, first) {
			if hit.Key > first+sitemapPage {
				break
			}
			some = true
			facts := facts.Indexed(hit.Value)
			address, err := sitemapKinds[i].page(s, tx, bucket.Pair{A: hit.Key, B: facts.Version})
			if err != nil {
				return fmt.Errorf("cannot put %s %d into the sitemap: %w", kind, hit.Key, err)
			}
			if address != "" {
				found = append(found, sitemapURL{address, stampOf(facts.Modified)})
			}
		}
		return nil
	})
	if err == nil && !some {
		err = record.ErrNotFound
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return compressed(sitemapURLs(found))
}

func sitemapURLs(urls []sitemapURL) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<urlset xmlns="` + sitemapSpace + `">`)
	for _, u := range urls {
		b.WriteString("<url><loc>")
		xml.EscapeText(&b, []byte(u.Address))
		b.WriteString("</loc>")
		if u.Modified != "" {
			b.WriteString("<lastmod>" + u.Modified + "</lastmod>")
		}
		b.WriteString("</url>\n")
	}
	b.WriteString("</urlset>")
	return b.Bytes()
}

// pageIn is the address of the page of an item in what the API answers of it, of which nothing else
// is read: there are many.
func pageIn(doc []byte) (address string, err error) {
	_, behind, _ := bytes.Cut(doc, []byte(`"url_public_html": `))
	end := bytes.IndexByte(behind[min(1, len(behind)):], '"') // an address has no quotes
	if end < 0 {
		return "", record.ErrNotFound
	}
	return address, json.Unmarshal(behind[:end+2], &address)
}

// packers are kept, because one has tables of a megabyte.
var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // there is no such level
	}
	return w
}}

// compressed is the reply with a page of the sitemap, which is a file in gzip format: it is the same
// for all clients.
func compressed(page []byte) (endpoint.Reply, error) {
	var b bytes.Buffer
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(&b)
	_, err := w.Write(page)
	if err == nil {
		err = w.Close()
	}
	return endpoint.Reply{Raw: b.Bytes(), Type: "application/gzip", Public: true}, err
}
