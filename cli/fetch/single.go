package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Which is one state of an item.
type Which struct {
	Ref
	Version int64 // 0 for the newest public one, and where there is none for the working copy
	Draft   bool  // the working copy
}

// One reads one state of an item with its files.
func (c *Client) One(ctx context.Context, w Which) (*Version, error) {
	ref, err := c.Resolve(ctx, w.Ref)
	if err != nil {
		return nil, err
	}
	c.left = maxReplies
	it := &Item{Collection: ref.Collection}
	of := it.Kind() + "s/" + strconv.FormatInt(ref.ID, 10)
	switch {
	case w.Draft:
		return c.versionAt(ctx, it, ref.ID, "/v2/account/"+of, 0)
	case w.Version > 0:
		return c.version(ctx, it, ref.ID, "/v2/"+of, w.Version)
	}
	v, err := c.versionAt(ctx, it, ref.ID, "/v2/"+of, 0)
	if Gone(err) && c.token != "" {
		v, err = c.versionAt(ctx, it, ref.ID, "/v2/account/"+of, 0)
	}
	if err == nil {
		var said struct {
			Version int64 `json:"version"`
		}
		if json.Unmarshal(v.Document, &said) == nil && said.Version > 0 {
			v.Number = said.Version
		}
	}
	return v, err
}

// About is what a citation needs of a version.
type About struct {
	Title, Type, DOI, Page, Published, Citation, Status string
	Authors                                             []Author
}

// Author is a person, or has one name only.
type Author struct {
	Full, First, Last, ORCID string
	Particle, Suffix         string
	Organisation             bool
}

// About reads it.
func (v *Version) About() (About, error) {
	var said struct {
		Citation string `json:"citation"`
		Status   string `json:"status"`
	}
	if err := json.Unmarshal(v.Document, &said); err != nil {
		return About{}, fmt.Errorf("the item is not the JSON that was expected: %w", err)
	}
	a := About{Title: v.Title, Type: v.Type, DOI: v.DOI, Page: v.Page, Published: v.Published, Citation: said.Citation, Status: said.Status}
	for _, p := range v.Authors {
		a.Authors = append(a.Authors, Author{p.Full, p.First, p.Last, p.ORCID, p.Particle, p.Suffix, p.organisation()})
	}
	return a, nil
}

// From reads the bytes of a file from an offset on. The server may begin at the first byte instead: at tells where. The
// caller compares the sum.
func (c *Client) From(ctx context.Context, f File, offset int64) (body io.ReadCloser, at int64, err error) {
	headers := http.Header{"Accept": {"*/*"}}
	if offset > 0 {
		headers.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	reply, err := c.get(ctx, f.URL, headers)
	if err != nil {
		return nil, 0, err
	}
	if reply.StatusCode == http.StatusPartialContent {
		if !strings.HasPrefix(reply.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", offset)) {
			reply.Body.Close()
			return nil, 0, fmt.Errorf("%s answers with other bytes than were asked for", shorten(f.URL))
		}
		return reply.Body, offset, nil
	}
	return reply.Body, 0, nil
}

// Passing reports whether the same request may succeed later.
func Passing(err error) bool {
	_, again := passing(err)
	return again
}
