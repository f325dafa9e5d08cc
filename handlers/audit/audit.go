// Package audit reads the audit trail: the change log as people read it, who did what to which record, and when. A
// request that was refused changes nothing, and is among the stored requests.
package audit

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/damage"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/accounts"
	"alcove/record"
)

// Query asks for entries of the change log, the oldest first. The zero value of a
// field asks for all.
type Query struct {
	Account string    `json:"account"` // e-mail address or id of who acted, or of in whose name
	Since   time.Time `json:"since"`   // not before
	Until   time.Time `json:"until"`   // before
	Kind    string    `json:"kind"`    // a table
	ID      int64     `json:"id"`      // of the record, or of the owner of what has two ids
	After   uint64    `json:"after"`   // sequence: where the page before ended
	End     uint64    `json:"end"`     // the last sequence to look at, 0 for the end of the log

	// Limited leaves out titles that administrators are not told otherwise: of collections, projects and files, and the
	// names of authors.
	Limited bool `json:"limited"`

	// Newest reads the other way round: the newest first, those before a sequence (0 for all) in place of After.
	Newest bool   `json:"newest"`
	Before uint64 `json:"before"`
	Most   int    `json:"most"` // lines of a page, 0 for Lines
}

// Line is an entry of the change log as operators read it.
type Line struct {
	Sequence uint64    `json:"sequence"`
	Time     time.Time `json:"time"`
	Actor    int64     `json:"actor"`     // account, 0 where none acted
	Who      string    `json:"who"`       // its address, "operator" or "server"
	Way      string    `json:"way"`       // how it came to act; empty for by its own token
	For      int64     `json:"for"`       // account in whose name, 0 for none
	ForWhom  string    `json:"for_whom"`  // its address
	Op       string    `json:"operation"` // create, change or delete
	Kind     string    `json:"kind"`
	ID       string    `json:"id"`
	Title    string    `json:"title"`   // of what there is now under that id
	Hash     string    `json:"hash"`    // the beginning of the entry's hash
	Token    string    `json:"token"`   // id of the token that was used, empty for none
	Address  string    `json:"address"` // of the client, as long as it is kept
	Request  string    `json:"request"` // as the log of requests names it, empty for none
}

// Page is some entries. The next page begins after Next, and there is none when Done.
type Page struct {
	Lines []Line `json:"lines"`
	Next  uint64 `json:"next"`
	End   uint64 `json:"end"`
	Done  bool   `json:"done"`
}

// A page has at most Lines lines, and comes from at most Reads entries: one that
// reads for long keeps the store from reusing pages.
const (
	Lines = 500
	Reads = 20000
)

// Follows reports whether the change log has what happens to the records of a kind.
func Follows(kind string) bool {
	return slices.ContainsFunc(bucket.Tables(), func(t *bucket.AnyTable) bool { return t.Name() == kind && t.Logged() })
}

// Read reads a page of the audit trail. Its End is where the log ended at the first page.
func Read(db *bucket.DB, q Query) (page Page, err error) {
	if q.Kind != "" && !Follows(q.Kind) {
		return page, fmt.Errorf("cannot find the kind %q in the change log", q.Kind)
	}
	if q.ID != 0 && q.Kind == "" {
		return page, errors.New("cannot look for an id without a kind")
	}
	page = Page{Lines: []Line{}, Next: q.After, End: q.End}
	if page.End == 0 {
		page.End = db.Sequence()
	}
	err = db.View(func(tx *bucket.Tx) error {
		r := reader{tx: tx, query: q, names: map[int64]string{}}
		return r.read(&page)
	})
	return page, err
}

type reader struct {
	tx      *bucket.Tx
	query   Query
	account int64            // that is asked for, 0 for all
	names   map[int64]string // addresses of accounts
}

func (r *reader) read(page *Page) error {
	if r.query.Account != "" {
		acc, err := accounts.Find(r.tx, r.query.Account)
		if err != nil {
			return err
		}
		r.account = acc.ID
	}
	if !r.query.Since.IsZero() && !r.query.Newest {
		before, err := r.tx.SequenceBefore(r.query.Since)
		if err != nil {
			return err
		}
		page.Next = max(page.Next, before)
	}
	if r.query.Newest {
		return r.readNewest(page)
	}
	read := 0
	for e, err := range r.tx.Entries(page.Next) {
		if err != nil {
			return err
		}
		if e.Sequence > page.End || !r.query.Until.IsZero() && !e.Time.Before(r.query.Until) {
			break
		}
		page.Next = e.Sequence
		if r.wants(&e.Change) {
			page.Lines = append(page.Lines, r.line(&e))
		}
		if read++; read == Reads || len(page.Lines) == Lines {
			return nil
		}
	}
	page.Done = true
	return nil
}

// readNewest is read for a query that asks for the newest first.
func (r *reader) readNewest(page *Page) error {
	page.Next = page.End + 1
	if r.query.Before != 0 {
		page.Next = min(page.Next, r.query.Before)
	}
	if !r.query.Until.IsZero() {
		last, err := r.tx.SequenceBefore(r.query.Until)
		if err != nil {
			return err
		}
		page.Next = min(page.Next, last+1)
	}
	most := Lines
	if r.query.Most > 0 {
		most = min(most, r.query.Most)
	}
	read := 0
	for e, err := range r.tx.EntriesBefore(page.Next) {
		if err != nil {
			return err
		}
		if e.Time.Before(r.query.Since) {
			break
		}
		if len(page.Lines) == most || read == Reads {
			return nil
		}
		page.Next = e.Sequence
		if read++; r.wants(&e.Change) {
			page.Lines = append(page.Lines, r.line(&e))
		}
	}
	page.Done = true
	return nil
}

func (r *reader) wants(c *changelog.Change) bool {
	q := r.query
	return (r.account == 0 || c.Actor == r.account || c.For == r.account) &&
		(q.Kind == "" || c.Table == q.Kind) && (q.ID == 0 || c.ID() == q.ID)
}

// shownHash is how many bytes of a hash a line shows.
const shownHash = 8

func (r *reader) line(e *changelog.Entry) Line {
	l := Line{
		Sequence: e.Sequence, Time: e.Time, Actor: e.Actor, Who: r.who(e.Actor), Way: e.Way.String(), For: e.For,
		Op: e.Op.String(), Kind: e.Table, ID: damage.KeyText(e.Table, e.Key), Title: r.title(&e.Change),
		Hash: fmt.Sprintf("%x", e.Hash[:shownHash]),
	}
	l.Token = e.Token.String()
	if e.Request != 0 {
		l.Request = fmt.Sprintf("%016x", uint64(e.Request))
		if access, err := users.Accesses.Get(r.tx, e.Request); err == nil {
			l.Address = access.Address
		}
	}
	switch {
	case e.Way == changelog.Operator:
		l.Who = l.Way
	case e.Actor == 0:
		l.Who = "server"
	}
	if e.For != 0 {
		l.ForWhom = r.who(e.For)
	}
	return l
}

// who is the address of an account. Accounts are never deleted; one that cannot be read
// has its number only.
func (r *reader) who(account int64) string {
	name, known := r.names[account]
	if known || account == 0 {
		return name
	}
	if acc, err := users.Accounts.Get(r.tx, account); err == nil {
		name = acc.Email
	}
	r.names[account] = name
	return name
}

// title is what people call the record of a change, when it is there. A record that cannot be read
// has none: that is for a check to say.
func (r *reader) title(c *changelog.Change) string {
	tx, id := r.tx, c.ID()
	if r.query.Limited && !slices.Contains(open, c.Table) {
		return ""
	}
	switch c.Table {
	case "articles", "public_articles", "article_versions", "held_versions", "submissions":
		return titleOf(func(a *record.Article) string { return a.Title })(working.Articles.Get(tx, id))
	case "collections", "public_collections", "collection_versions":
		return titleOf(func(c *record.Collection) string { return c.Title })(working.Collections.Get(tx, id))
	case "projects", "public_projects", "project_members":
		return titleOf(func(p *record.Project) string { return p.Title })(working.Projects.Get(tx, id))
	case "files", "public_files":
		return titleOf(func(f *record.File) string { return f.Name })(files.Files.Get(tx, id))
	case "accounts":
		return r.who(id)
	case "people":
		return titleOf(func(p *record.Person) string { return p.FullName })(users.People.Get(tx, id))
	case "groups":
		return titleOf(func(g *record.Group) string { return g.Name })(users.Groups.Get(tx, id))
	case "fields":
		return titleOf(func(f *record.Field) string { return f.Name })(users.Fields.Get(tx, id))
	}
	return ""
}

// open are the kinds of records whose titles administrators of the institution know.
var open = []string{"accounts", "articles", "public_articles", "article_versions", "held_versions", "submissions", "groups", "fields"}

// titleOf gives the title of a record that a Get has found, and none otherwise.
func titleOf[R any](title func(*R) string) func(*R, error) string {
	return func(r *R, err error) string {
		if err != nil {
			return ""
		}
		return title(r)
	}
}
