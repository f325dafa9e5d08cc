package site

import (
	"net/http"
	"strings"

	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/handlers/present"
)

type failure struct {
	*Frame
	Status  int
	Heading string
	Text    string
	Said    string // by the server, in its own words; "" where they add nothing
	Request string // id of the request, "" where it is of no use
	Again   bool   // the same request may succeed later
	Query   string // what to search for instead
}

// Error is the page of a refusal: what happened, and where to go from there.
func (s *Site) Error(c *endpoint.Call, status int, refused present.Error) ([]byte, http.Header) {
	f := s.Frame(c)
	v := failure{
		Frame: f, Status: status, Heading: f.ErrorTitle(status), Text: f.ErrorText(status),
		Again: status == http.StatusTooManyRequests || status >= 500,
	}
	switch status {
	case http.StatusNotFound:
		if path := "/" + strings.TrimLeft(c.Address().Path, "/"); !strings.HasPrefix(path, "/s/") && !strings.HasPrefix(path, people.OneTimePath) { // that is a secret
			v.Query = wordsOf(path)
		}
	case http.StatusInternalServerError:
		v.Request = c.RequestID
	default:
		v.Said = refused.Message
	}
	if path := c.Address().Path; f.Person == "" && !strings.HasPrefix(path, "/articles/") && !strings.HasPrefix(path, "/collections/") && !strings.HasPrefix(path, "/projects/") && !strings.HasPrefix(path, "/files/") {
		f.SignIn = endpoint.SignInPath
	}
	f.OwnBox, f.Title, f.Hidden, f.Main = !v.Again, v.Heading, true, v
	page, err := templates.execute("error", f)
	if err != nil {
		return nil, nil // the refusal goes out as JSON
	}
	h := s.header(c)
	h["Content-Type"], h["X-Robots-Tag"] = []string{htmlType}, []string{"noindex"}
	return page, h
}

// wordsOf are the words of an address that a search may find: its last part that is no number.
func wordsOf(path string) string {
	parts := strings.Split(path, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		words := strings.Join(strings.FieldsFunc(parts[i], func(r rune) bool { return strings.ContainsRune("_-+. \t", r) }), " ")
		if strings.Trim(words, "0123456789 ") != "" {
			return Short(words, 100)
		}
	}
	return ""
}
