package own

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/record"
	"alcove/site"
)

// ArrangeFiles moves files of an own article into a folder, gives a folder another name, or puts files in order.
func (s *Pages) ArrangeFiles(c *endpoint.Call) (endpoint.Reply, error) {
	w := &site.WordsOf(c).Uploads
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(c.Field(name), 10, 64)
		return n
	}
	how := &items.Arrangement{Seen: number("seen")}
	written := map[string]string{"into": strings.TrimSpace(c.Field("into")), "from": c.Field("from"), "name": strings.TrimSpace(c.Field("name"))}
	done, into := "moved", written["into"]
	chosen := c.Fields("file")
	switch up, down := c.Field("up"), c.Field("down"); {
	case up != "":
		how.Step, chosen, done = -1, []string{up}, "ordered"
	case down != "":
		how.Step, chosen, done = 1, []string{down}, "ordered"
	case c.Field("before") != "":
		how.Before, done = cmp.Or(number("before"), -1), "ordered"
	case written["from"] != "":
		how.From, how.Into, chosen, done, into = written["from"], new(string), nil, "renamed", written["name"]
	default:
		how.Into = new(string)
	}
	for _, some := range chosen { // a form with a field for each of 10,000 files is not read
		for one := range strings.FieldsSeq(some) {
			id, _ := strconv.ParseInt(one, 10, 64)
			how.Files = append(how.Files, id)
		}
	}
	if len(how.Files) == 0 && how.From == "" {
		return s.filesPage(c, http.StatusUnprocessableEntity, written, site.Form{Said: w.NoneChosen})
	}
	if how.Into != nil {
		folder, err := record.FolderPath(into)
		if err != nil {
			at := site.Field{Name: "into", Error: w.FolderBad}
			if how.From != "" {
				at.Name = "name"
			}
			return s.filesPage(c, http.StatusUnprocessableEntity, written, site.Form{Fields: []site.Field{at}})
		}
		*how.Into = folder
	}
	err := s.api.ArrangeFiles(c, how)
	var refused *record.Error
	switch {
	case errors.Is(err, record.ErrStale), errors.Is(err, record.ErrFileNotFound):
		return s.filesPage(c, http.StatusPreconditionFailed, written, site.Form{Said: w.MovedElsewhere})
	case errors.As(err, &refused) && refused.Class == record.Invalid:
		said := site.WordsOf(c).Refused(refused)
		if refused.Data["field"] == "folder_path" {
			said = w.FolderBad
		}
		return s.filesPage(c, http.StatusUnprocessableEntity, written, site.Form{Said: said})
	}
	at := s.filesAddress(c) + "?done=" + done
	if page := site.Asked(c, "page"); page != "" {
		at += "&page=" + page
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: at}, err
}
