package site

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"alcove/handlers/endpoint"
	"alcove/record"
)

// Field is one of a form: its label, a line of help, what was written, and what is wrong with it.
type Field struct {
	Name, Label, Help, Value, Error string
	Type                            string // of the input
	Complete                        string // what a browser may fill in
	Most                            int    // characters
	Fixed                           bool   // shown, and not to be changed
	Optional                        bool
}

// Form is what pages with a form show: mistakes stand above it and at each field. Everything written
// stays, but for passwords.
type Form struct {
	Fields []Field
	Said   string // what is wrong with none of the fields, "" for nothing
	Done   string // what has been done, "" for nothing
}

// Wrong are the fields of a form that are.
func (f Form) Wrong() (list []Field) {
	for _, one := range f.Fields {
		if one.Error != "" {
			list = append(list, one)
		}
	}
	return list
}

// Control is a part of a large form. Key and As tell the script which key of the API it is, and in what form.
type Control struct {
	Name, Kind, Label, Help, Value, Error string
	Theirs, TheirsKey, Take               string // what was saved meanwhile, where both changed it; the key, and what takes it
	Key, As                               string
	Input                                 string // type of an input
	Most, Rows                            int
	Options                               []Option
	Several                               bool // of a select
	Chosen                                bool // of a check
}

type Option struct {
	Value, Words, Help string
	Chosen             bool
}

// Refusal is an error that is an answer to the caller, nil for any other.
func Refusal(err error) *record.Error {
	var refused *record.Error
	if errors.As(err, &refused) {
		return refused
	}
	return nil
}

// StaleStatus is that of a page which comes again as the item is not as it was. A form that does not say of which
// state it is was not made by a page.
func StaleStatus(c *endpoint.Call) int {
	if c.Field("tag") == "" {
		return http.StatusUnprocessableEntity
	}
	return http.StatusPreconditionFailed
}

// Sum is a short sum of what a form was made of, which tells it from what it would be made of later.
func Sum(value any) string {
	h := fnv.New64a()
	if err := json.NewEncoder(h).Encode(value); err != nil {
		panic(err) // there are texts, numbers and lists of them
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// Waiting is for how many seconds a refusal asks to wait, 0 for another error.
func Waiting(err error) int {
	var e *record.Error
	if !errors.As(err, &e) || e.Class != record.TooMany {
		return 0
	}
	wait, _ := e.Data["retry_after"].(int)
	return max(wait, 1)
}

func Minutes(seconds int) int { return (seconds + 59) / 60 }

const MostEmail = 254

// NameOf is what a person is called on pages.
func NameOf(a *record.Account) string {
	if name := strings.TrimSpace(a.FirstName + " " + a.LastName); name != "" {
		return name
	}
	return a.Email
}

// Moment is a day with its time.
func (w *Words) Moment(t time.Time) Day {
	t = t.UTC()
	return Day{w.Day(t) + ", " + t.Format("15:04") + " UTC", t.Format(time.RFC3339)}
}

// Unprintable is what a line of text may not have.
func Unprintable(r rune) bool { return Unshown(r) || strings.ContainsRune("\n\r\t\u2028\u2029", r) }

// Page is the reply with a page that may have a form: no cache keeps it, and no search engine finds it. Its browser
// sends the origin with the form, which without a word of Fetch Metadata is all that tells it from one of another site.
func (s *Site) Page(c *endpoint.Call, views Views, view string, status int, f *Frame) (endpoint.Reply, error) {
	f.Hidden = true
	page, err := views.execute(view, f)
	if err != nil {
		return endpoint.Reply{}, err
	}
	r := endpoint.Reply{Status: status, Raw: page, Type: htmlType, Header: s.header(c)}
	r.Header.Set("Cache-Control", "private, no-store")
	r.Header.Set("Referrer-Policy", "same-origin")
	return r, nil
}
