package fetch

import (
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
	System     System
	Collection bool
	ID         int64  // 0 for a DOI, and on other systems than figshare
	Name       string // id of a record, or persistent id of a dataset
	DOI        string
}

// named reports whether it is known which item of its server it is.
func (r Ref) named() bool { return r.ID != 0 || r.Name != "" }

// String is the address of an item that is known by its server and id: ParseRef reads it as the same item.
func (r Ref) String() string {
	switch r.System {
	case Invenio:
		return r.Base + "/records/" + r.Name
	case Dataverse:
		return r.Base + "/dataset.xhtml?persistentId=" + url.QueryEscape(r.Name)
	}
	return r.Base + "/v2/" + kindName(r.Collection) + "s/" + strconv.FormatInt(r.ID, 10)
}

// MirrorHost is the host that stands for the server in addresses below /mirror. It is "" for one that has another API than
// that of figshare, or has it below a path.
func (r Ref) MirrorHost() string {
	u, err := url.Parse(r.Base)
	if err != nil || r.System != Figshare || u.Path != "" {
		return ""
	}
	return u.Host
}

// figshareHost is a page of the public service, whose API is elsewhere.
var figshareHost = regexp.MustCompile(`^([a-z0-9-]+\.)?figshare\.com$`)

var idForm = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)

var (
	recordForm  = regexp.MustCompile(`^[0-9a-z][0-9a-z-]{0,60}$`)
	datasetForm = regexp.MustCompile(`^(doi|hdl|perma):[!-~]{3,300}$`)
)

// ParseRef reads an id (7, article/7, collection/3), a DOI, an address of the API (https://host/v2/articles/7), or that of
// a page (https://host/articles/dataset/title/7/2); of InvenioRDM https://host/records/7, and of Dataverse
// https://host/dataset.xhtml?persistentId=doi:10.1234/x. Which version an address names makes no difference.
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
	if ref, ok := elsewhere(u, parts); ok {
		return ref, nil
	}
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

// elsewhere reads the address of a record of InvenioRDM, of a dataset of Dataverse, or one that ends with a DOI.
func elsewhere(u *url.URL, parts []string) (Ref, bool) {
	at := func(n int, api bool) string { // the first parts are the address of the server
		if n > 0 && api && parts[n-1] == "api" {
			n--
		}
		return (&url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host), Path: strings.Join(parts[:n], "/")}).String()
	}
	for i, part := range parts {
		rest := parts[i+1:]
		switch {
		case (part == "records" || part == "record") && len(rest) > 0 && recordForm.MatchString(rest[0]):
			return Ref{Base: at(i, true), System: Invenio, Name: rest[0]}, true
		case part == "dataset.xhtml" || part == "citation" || part == "datasets" && len(rest) > 0 && rest[0] == ":persistentId":
			if name := u.Query().Get("persistentId"); datasetForm.MatchString(name) {
				return Ref{Base: at(i, true), System: Dataverse, Name: name}, true
			}
		case part == "doi":
			if doi, ok := record.ReadDOI(strings.Join(rest, "/")); ok {
				return Ref{Base: at(i, false), DOI: doi}, true
			}
		}
	}
	return Ref{}, false
}
