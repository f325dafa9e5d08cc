package operate

import (
	"errors"
	"fmt"
	"time"

	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/record"
)

// The audit trail is the change log, read by operators: who did what to which record, and
// when. A request that was refused changes nothing: it is among the requests of access_log.go.

// AuditQuery asks for entries of the change log, the oldest first. The zero value of a
// field asks for all.
type AuditQuery struct {
	Account string    `json:"account"` // e-mail address or id of who acted, or of in whose name
	Since   time.Time `json:"since"`   // not before
	Until   time.Time `json:"until"`   // before
	Kind    string    `json:"kind"`    // a table
	ID      int64     `json:"id"`      // of the record, or of the owner of what has two ids
	After   uint64    `json:"after"`   // sequence: where the page before ended
	End     uint64    `json:"end"`     // the last sequence to look at, 0 for the end of the log
}

// AuditLine is an entry of the change log as operators read it.
type AuditLine struct {
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

// AuditPage is some entries. The next page begins after Next, and there is none when Done.
type AuditPage struct {
	Lines []AuditLine `json:"lines"`
	Next  uint64      `json:"next"`
	End   uint64      `json:"end"`
	Done  bool        `json:"done"`
}

// A page has at most auditLines lines, and comes from at most auditReads entries: one that
// reads for long keeps the store from reusing pages.
const (
	auditLines = 500
	auditReads = 20000
)

// Audit reads a page of the audit trail. Its End is where the log ended at the first page.
func Audit(db *bucket.DB, q AuditQuery) (page AuditPage, err error) {
	if q.Kind != "" && !bucket.HasTable(q.Kind) {
		return page, fmt.Errorf("cannot find the kind %q in the change log", q.Kind)
	}
	if q.ID != 0 && q.Kind == "" {
		return page, errors.New("cannot look for an id without a kind")
	}
	page = AuditPage{Lines: []AuditLine{}, Next: q.After, End: q.End}
	if page.End == 0 {
		page.End = db.Sequence()
	}
	err = db.View(func(tx *bucket.Tx) error {
		r := auditReader{tx: tx, query: q, names: map[int64]string{}}
		return r.read(&page)
	})
	return page, err
}

type auditReader struct {
	tx      *bucket.Tx
	query   AuditQuery
	account int64            // that is asked for, 0 for all
	names   map[int64]string // addresses of accounts
}

func (r *auditReader) read(page *AuditPage) error {
	if r.query.Account != "" {
		acc, err := accounts.Find(r.tx, r.query.Account)
		if err != nil {
			return err
		}
		r.account = acc.ID
	}
	if !r.query.Since.IsZero() {
		before, err := bucket.SequenceBefore(r.tx, r.query.Since)
		if err != nil {
			return err
		}
		page.Next = max(page.Next, before)
	}
	read := 0
	for e, err := range bucket.Entries(r.tx, page.Next) {
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
		if read++; read == auditReads || len(page.Lines) == auditLines {
			return nil
		}
	}
	page.Done = true
	return nil
}

func (r *auditReader) wants(c *bucket.Change) bool {
	q := r.query
	return (r.account == 0 || c.Actor == r.account || c.For == r.account) &&
		(q.Kind == "" || c.Table == q.Kind) && (q.ID == 0 || c.ID() == q.ID)
}

// shownHash is how many bytes of a hash a line shows.
const shownHash = 8

func (r *auditReader) line(e *bucket.Entry) AuditLine {
	l := AuditLine{
		Sequence: e.Sequence, Time: e.Time, Actor: e.Actor, Who: r.who(e.Actor), Way: e.Way.String(), For: e.For,
		Op: e.Op.String(), Kind: e.Table, ID: bucket.KeyText(e.Table, e.Key), Title: r.title(&e.Change),
		Hash: fmt.Sprintf("%x", e.Hash[:shownHash]),
	}
	l.Token = e.Token.String()
	if e.Request != 0 {
		l.Request = fmt.Sprintf("%016x", uint64(e.Request))
		if access, err := bucket.Accesses.Get(r.tx, e.Request); err == nil {
			l.Address = access.Address
		}
	}
	switch {
	case e.Way == bucket.Operator:
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
func (r *auditReader) who(account int64) string {
	name, known := r.names[account]
	if known || account == 0 {
		return name
	}
	if acc, err := bucket.Accounts.Get(r.tx, account); err == nil {
		name = acc.Email
	}
	r.names[account] = name
	return name
}

// title is what people call the record of a change, when it is there. A record that cannot be read
// has none: that is for a check to say.
func (r *auditReader) title(c *bucket.Change) string {
	tx, id := r.tx, c.ID()
	switch c.Table {
	case "articles", "public_articles", "article_versions", "held_versions", "submissions":
		return titleOf(func(a *record.Article) string { return a.Title })(bucket.Articles.Get(tx, id))
	case "collections", "public_collections", "collection_versions":
		return titleOf(func(c *record.Collection) string { return c.Title })(bucket.Collections.Get(tx, id))
	case "projects", "public_projects", "project_members":
		return titleOf(func(p *record.Project) string { return p.Title })(bucket.Projects.Get(tx, id))
	case "files", "public_files":
		return titleOf(func(f *record.File) string { return f.Name })(bucket.Files.Get(tx, id))
	case "accounts":
		return r.who(id)
	case "people":
		return titleOf(func(p *record.Person) string { return p.FullName })(bucket.People.Get(tx, id))
	case "groups":
		return titleOf(func(g *record.Group) string { return g.Name })(bucket.Groups.Get(tx, id))
	case "fields":
		return titleOf(func(f *record.Field) string { return f.Name })(bucket.Fields.Get(tx, id))
	}
	return ""
}

// titleOf gives the title of a record that a Get has found, and none otherwise.
func titleOf[R any](title func(*R) string) func(*R, error) string {
	return func(r *R, err error) string {
		if err != nil {
			return ""
		}
		return title(r)
	}
}

// ChainQuery asks to check the chain of the change log after a place.
type ChainQuery struct {
	At   bucket.Head  `json:"at"`
	Head *bucket.Head `json:"head"` // one that was published, when it is behind At
}

// ChainPage is how far the chain was checked.
type ChainPage struct {
	At   bucket.Head `json:"at"`
	Done bool        `json:"done"`
}

// chainReads is how many entries are checked in one transaction.
const chainReads = 50000

// CheckChain checks the next entries of the change log. It fails with bucket.ErrChain where
// the log was altered, also where the entry of a published head has another hash or is gone.
func CheckChain(db *bucket.DB, q ChainQuery) (page ChainPage, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		most := chainReads
		if q.Head != nil && q.Head.Sequence > q.At.Sequence {
			most = int(min(q.Head.Sequence-q.At.Sequence, chainReads)) // a page ends there
		}
		page.At, page.Done, err = bucket.FollowChain(tx, q.At, most)
		return err
	})
	switch h := q.Head; {
	case err != nil || h == nil:
	case page.At.Sequence == h.Sequence && page.At != *h:
		err = fmt.Errorf("%w: entry %d is not the one that was published", bucket.ErrChain, h.Sequence)
	case page.Done && page.At.Sequence < h.Sequence:
		err = fmt.Errorf("%w: it ends at %d, before the entry %d that was published", bucket.ErrChain, page.At.Sequence, h.Sequence)
	}
	return page, err
}

// AccessQuery asks for stored requests, the oldest first. The zero value of a field asks for all.
type AccessQuery struct {
	Account string    `json:"account"` // e-mail address or id of whose token it was, or as which it acted
	Refused bool      `json:"refused"` // only those that were refused
	Since   time.Time `json:"since"`   // not before
	Until   time.Time `json:"until"`   // before
	After   int64     `json:"after"`   // number: where the page before ended
}

// AccessPage is some requests. The next page begins after Next, and there is none when Done.
type AccessPage struct {
	Lines []record.Access `json:"lines"`
	Next  int64           `json:"next"`
	Done  bool            `json:"done"`
}

// ReadAccesses reads a page of the stored requests: at most auditLines, of at most auditReads.
func ReadAccesses(db *bucket.DB, q AccessQuery) (page AccessPage, err error) {
	page = AccessPage{Lines: []record.Access{}, Next: max(q.After, 0)}
	if !q.Since.IsZero() { // numbers are not less than the time, in nanoseconds
		page.Next = max(page.Next, q.Since.UnixNano()-1)
	}
	err = db.View(func(tx *bucket.Tx) error {
		account := int64(0)
		if q.Account != "" {
			acc, err := accounts.Find(tx, q.Account)
			if err != nil {
				return err
			}
			account = acc.ID
		}
		read := 0
		for row, err := range bucket.AccessesFrom(tx, page.Next+1) {
			if err != nil {
				return err
			}
			e := row.Record
			if !q.Until.IsZero() && !e.At.Before(q.Until) {
				break
			}
			page.Next = row.Key
			if (account == 0 || e.Account == account || e.Actor == account) && (!q.Refused || e.Status >= 400) && !e.At.Before(q.Since) {
				page.Lines = append(page.Lines, *e)
			}
			if read++; read == auditReads || len(page.Lines) == auditLines {
				return nil
			}
		}
		page.Done = true
		return nil
	})
	return page, err
}
