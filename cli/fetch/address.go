package fetch

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"alcove/record"
	"alcove/record/catalogue"
)

// Ref is which item a person means: one of a server by its id, or by its DOI.
type Ref struct {
	Base       string // address of the server, "" for the one that the person names besides
	Collection bool
	ID         int64 // 0 for a DOI
	DOI        string
}

// figshareHost is a page of the public service, whose API is elsewhere.
var figshareHost = regexp.MustCompile(`^([a-z0-9-]+\.)?figshare\.com$`)

var idForm = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)

// ParseRef reads an id (7, article/7, collection/3), a DOI, an address of the API (https://host/v2/articles/7), or that of
// a page (https://host/articles/dataset/title/7/2). Which version an address names makes no difference.
func ParseRef(text string) (Ref, error) {
	text = strings.TrimSpace(text)
	unclear := fmt.Errorf("%q is no id, no DOI and no address of an article or a collection", shorten(text))
	if id, ok := readID(text); ok {
		return Ref{ID: id}, nil
	}
	if doi, ok := record.ReadDOI(text); ok {
		return Ref{DOI: doi}, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return Ref{}, unclear
	}
	if u.Scheme == "" && u.Host == "" {
		kind, number, _ := strings.Cut(text, "/")
		id, ok := readID(number)
		if kind = strings.TrimSuffix(kind, "s"); !ok || kind != "article" && kind != "collection" {
			return Ref{}, unclear
		}
		return Ref{ID: id, Collection: kind == "collection"}, nil
	}
	if err := webAddress(u); err != nil {
		return Ref{}, err
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	at := slices.IndexFunc(parts, func(p string) bool { return p == "articles" || p == "collections" })
	if at < 0 {
		return Ref{}, unclear
	}
	ref := Ref{Collection: parts[at] == "collections"}
	before, behind := parts[:at], parts[at+1:]
	var ok bool
	if at > 0 && parts[at-1] == "v2" {
		before, behind = parts[:at-1], behind[:min(1, len(behind))]
	}
	if ref.ID, ok = idOfPage(behind, ref.Collection); !ok {
		return Ref{}, unclear
	}
	host := strings.ToLower(u.Host)
	if figshareHost.MatchString(host) {
		host, before = "api.figshare.com", nil
	}
	ref.Base = (&url.URL{Scheme: u.Scheme, Host: host, Path: strings.Join(before, "/")}).String()
	return ref, nil
}

// idOfPage is the id in the address of a page: behind type and title of an article, and behind the title of a collection. A
// version may follow it. Older addresses have no type, or no title either.
func idOfPage(parts []string, collection bool) (int64, bool) {
	places := []int{1, 2, 0}
	if len(parts) > 2 && !collection {
		if _, typed := catalogue.ItemTypeByName(strings.ReplaceAll(parts[0], "_", " ")); typed {
			places = []int{2}
		}
	}
	for _, at := range places {
		if at < len(parts) {
			if id, ok := readID(parts[at]); ok {
				return id, true
			}
		}
	}
	return 0, false
}

func readID(text string) (int64, bool) {
	if !idForm.MatchString(text) {
		return 0, false
	}
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil
}

// Resolve finds the item that a DOI names on the server, as its lists do.
func (c *Client) Resolve(ctx context.Context, ref Ref) (Ref, error) {
	if ref.ID != 0 {
		return ref, nil
	}
	c.left = maxReplies
	for _, doi := range []string{ref.DOI, record.ItemDOI(ref.DOI)} {
		for _, collection := range []bool{false, true} {
			var list []struct {
				ID  int64  `json:"id"`
				DOI string `json:"doi"`
			}
			if err := c.json(ctx, "/v2/"+kindName(collection)+"s?doi="+url.QueryEscape(doi), &list); err != nil {
				return ref, err
			}
			for _, found := range list {
				if record.ItemDOI(found.DOI) == record.ItemDOI(doi) && found.ID > 0 {
					return Ref{Base: c.Base, Collection: collection, ID: found.ID}, nil
				}
			}
		}
	}
	return ref, fmt.Errorf("%s has no public item with the DOI %s", c.Base, ref.DOI)
}
