package site

import (
	"encoding/json"
	"regexp"
	"strings"

	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
	"alcove/record"
)

var versionAtEnd = regexp.MustCompile(`(?i)\.v([1-9][0-9]{0,5})$`)

// DOI leads from /doi/{doi} to the page of the public item that has it, or had it; that of a version to the
// page of the version.
func (s *Site) DOI(c *endpoint.Call) (endpoint.Reply, error) {
	doi := strings.Trim(c.Text("doi"), "/")
	to, err := s.identified(c, lists.ArticleSearch{DOI: &doi})
	if err != nil {
		return endpoint.Reply{}, err
	}
	if to == "" {
		if to, err = s.api.WithdrawnPath(doi); err != nil || to == "" {
			return endpoint.Reply{}, orNotFound(err)
		}
	} else if v := versionAtEnd.FindStringSubmatch(doi); v != nil {
		to += "/" + v[1]
	}
	return endpoint.Reply{Status: 302, Location: to, Public: true}, nil
}

func orNotFound(err error) error {
	if err != nil {
		return err
	}
	return record.ErrNotFound
}

// identified is the address of the page of the first item that a search finds, "" for none.
func (s *Site) identified(c *endpoint.Call, body lists.ArticleSearch) (string, error) {
	var found []struct {
		ID    int64   `json:"id"`
		Title *string `json:"title"`
		Page  string  `json:"url_public_html"`
	}
	for _, search := range []func(*endpoint.Call, *lists.ArticleSearch) (endpoint.Reply, error){s.api.PublicArticleSearch, s.api.PublicCollectionSearch} {
		asked := body
		r, err := search(c.Unasked(), &asked)
		if err != nil {
			return "", err
		}
		if err := json.Unmarshal(r.Raw, &found); err != nil {
			return "", err
		}
		if len(found) == 0 {
			continue
		}
		if found[0].Page == "" {
			found[0].Page = s.api.Settings.CollectionPage(found[0].ID, Text(found[0].Title))
		}
		return s.Local(found[0].Page), nil
	}
	return "", nil
}
