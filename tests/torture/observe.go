package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// seen is the detail of an item as the server shows it.
type seen struct {
	Title       *string  `json:"title"`
	Description *string  `json:"description"`
	Tags        []string `json:"tags"`
	License     struct {
		Value int64 `json:"value"`
	} `json:"license"`
	Type    int64 `json:"defined_type"`
	Authors []struct {
		Name string `json:"full_name"`
	} `json:"authors"`
	IsEmbargoed bool       `json:"is_embargoed"`
	Type2       *string    `json:"embargo_type"`
	Until       *string    `json:"embargo_date"`
	Reason      *string    `json:"embargo_reason"`
	Version     int        `json:"version"`
	Size        int64      `json:"size"`
	Files       []seenFile `json:"files"`
	Count       int        `json:"articles_count"`
}

type seenFile struct {
	ID       int64   `json:"id"`
	Name     string  `json:"name"`
	Size     int64   `json:"size"`
	Status   string  `json:"status"`
	Supplied *string `json:"supplied_md5"`
	Computed *string `json:"computed_md5"`
	Failure  *string `json:"failure_reason"`
	Upload   *string `json:"upload_url"`
}

func told(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (d *seen) content() content {
	c := content{Title: told(d.Title), Description: told(d.Description), Tags: d.Tags, License: d.License.Value, Type: d.Type}
	for _, a := range d.Authors {
		c.Authors = append(c.Authors, a.Name)
	}
	if d.IsEmbargoed {
		c.Embargo = embargoText(told(d.Type2), told(d.Until), told(d.Reason))
	}
	return c
}

// files are the files of a detail, each with the MD5 that the server has computed once it
// is whole. A size that is not the sum of theirs is an error.
func (d *seen) files(kind string) ([]file, error) {
	var files []file
	sum := int64(0)
	for _, f := range d.Files {
		out := file{Name: f.Name, Size: f.Size, MD5: told(f.Computed), Status: "available", ID: f.ID}
		if f.Status != "" && f.Status != "available" {
			out.Status, out.MD5 = f.Status, told(f.Supplied)
		}
		sum += f.Size
		files = append(files, out)
	}
	if kind == articles && sum != d.Size {
		return files, fmt.Errorf("the size is told as %d, that of the files is %d", d.Size, sum)
	}
	return files, nil
}

// absent reports whether an error is an answer of 404.
func absent(err error) bool {
	status, ok := errors.AsType[*statusError](err)
	return ok && status.status == http.StatusNotFound
}

// checkTime bounds how long the server may take to check what was completed.
const checkTime = 20 * time.Second

// observe reads an item as its owner sees it, once no file of it is being checked.
func (w *writer) observe(it *item) (state, error) {
	for deadline := time.Now().Add(checkTime); ; {
		s, busy, err := w.observeNow(it)
		if err != nil || !busy {
			return s, err
		}
		if time.Now().After(deadline) {
			return s, fmt.Errorf("the files of %s %d are still being checked after %s", it.kind, it.id, checkTime)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (w *writer) observeNow(it *item) (s state, busy bool, err error) {
	var d seen
	if err := w.c.get(it.path(""), &d); absent(err) {
		return state{Gone: true}, false, nil
	} else if err != nil {
		return s, false, err
	}
	s.content, s.Version = d.content(), d.Version
	if s.Files, err = d.files(it.kind); err != nil {
		return s, false, err
	}
	for i := range d.Files {
		switch d.Files[i].Status {
		case "created":
			if told(d.Files[i].Failure) != "" {
				return s, false, fmt.Errorf("file %d is to be sent again: %s", d.Files[i].ID, *d.Files[i].Failure)
			}
			s.Files[i].Upload = told(d.Files[i].Upload)
		case "available":
		case "ic_failed":
			return s, false, fmt.Errorf("file %d has failed: %s", d.Files[i].ID, told(d.Files[i].Failure))
		default:
			busy = true
		}
	}
	var links []struct {
		ID      string `json:"id"`
		Active  bool   `json:"is_active"`
		Expires string `json:"expires_date"`
	}
	if err := w.c.get(it.path("/private_links"), &links); err != nil {
		return s, busy, err
	}
	for _, l := range links {
		s.Links = append(s.Links, link{l.Expires, l.Active, l.ID})
	}
	slices.SortFunc(s.Links, func(a, b link) int { return strings.Compare(a.Expires, b.Expires) }) // as they were made
	if it.kind == collections {
		if s.Members, err = w.c.ids(it.path("/articles?page_size=100")); err == nil && len(s.Members) != d.Count {
			err = fmt.Errorf("%d articles are told, %d are listed", d.Count, len(s.Members))
		}
		return s, busy, err
	}
	return s, busy, w.sameFiles(it, d.Files)
}

// sameFiles is an error when the list of files and the detail do not agree.
func (w *writer) sameFiles(it *item, detail []seenFile) error {
	var list []seenFile
	if err := w.c.get(it.path("/files"), &list); err != nil {
		return err
	}
	same := len(list) == len(detail)
	for i := range list {
		same = same && list[i].ID == detail[i].ID && list[i].Name == detail[i].Name && list[i].Size == detail[i].Size
	}
	if !same {
		return fmt.Errorf("the list of files is %s, the detail has %s", encode(list), encode(detail))
	}
	return nil
}

// ids are the ids in a list.
func (c *client) ids(path string) ([]int64, error) {
	list, err := c.list(path)
	ids := []int64{}
	for _, l := range list {
		ids = append(ids, l.ID)
	}
	return ids, err
}

// listed is an item in a list.
type listed struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
}

// mark is the word in the title that only one item has.
func (l listed) mark() string {
	if words := strings.Fields(l.Title); len(words) > 1 {
		return words[1]
	}
	return ""
}

func (c *client) list(path string) (list []listed, err error) { return list, c.get(path, &list) }

// search are the items that a text finds.
func (c *client) search(path, text string) (list []listed, err error) {
	return list, c.ask("POST", path, encode(map[string]any{"search_for": text, "page_size": 100}), &list)
}

// published reads a version without a token; 0 is the latest.
func (c *client) published(it *item, n int) (version, int, error) {
	path := fmt.Sprintf("/%s/%d", it.kind, it.id)
	if n > 0 {
		path += fmt.Sprintf("/versions/%d", n)
	}
	var d seen
	if err := c.get(path, &d); err != nil {
		return version{}, 0, err
	}
	v := version{content: d.content()}
	var err error
	v.Files, err = d.files(it.kind)
	return v, d.Version, err
}

// upload is the state of an upload, part by part.
type upload struct {
	Parts []struct {
		No     int    `json:"partNo"`
		Start  int64  `json:"startOffset"`
		End    int64  `json:"endOffset"`
		Status string `json:"status"`
	} `json:"parts"`
	Token string `json:"token"`
}

func (c *client) upload(at string) (u upload, err error) {
	a, err := c.call("GET", at, nil)
	if err != nil {
		return u, err
	}
	if a.status != http.StatusOK {
		return u, &statusError{"GET", "the upload", a.status, string(a.body)}
	}
	return u, json.Unmarshal(a.body, &u)
}
