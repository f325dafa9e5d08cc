package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/cli/deposit"
	"alcove/handlers"
	"alcove/handlers/accounts"
	"alcove/handlers/items"
	"alcove/record"
	"alcove/uploads"
)

// Loader makes articles and collections of an account from lines that an operator brings, many
// in one commit, with the rules and the records of the API. A server may run meanwhile: what a line asks of the store is
// asked again in the commit. The change log has what it writes as the operator's, for the account.
type Loader struct {
	db       *bucket.DB
	blobs    blobs.Store
	items    *items.Service
	maxBody  int64    // bytes of a body
	taken    []string // prefixes of DOIs that this repository has taken over
	account  int64
	expected map[string]bool // the lines and identifiers of Expect: whether the article would be public
}

// Line is one item to load. Prepare makes it.
type Line struct {
	ID       string // which line it is: of two lines with one ID only one is loaded
	Hash     string // of what the line says: an ID with another hash is refused
	Publish  bool
	Accept   bool // publish it also with warnings
	Grows    bool // of an item that was loaded before, take the versions that it has more now, and what became of the others
	Files    []*LineFile
	kind     *items.Kind
	body     record.ItemBody
	members  []deposit.Member   // of a collection
	appears  bool               // it would be public, as Check has seen
	more     record.AuthorsBody // those that the body could not hold
	besides  besides
	moved    moved
	warnings []string
}

// LineFile is a file of an article: a link, or bytes that Keep has put among the blobs.
type LineFile struct {
	Body record.FileBody
	// Of a line with versions: the index of the first that has it, and of the first behind
	// that has not.
	From, To int
	sums     *blobs.Sums
	mime     string
}

// Loaded is what became of a line: its item, or why there is none. Err is a
// *record.Error with the message of the API, or a *ChangedLineError.
type Loaded struct {
	Item     int64         // id of the article or collection
	Already  bool          // it was loaded before
	Has      int           // how many of the versions of the line were loaded before, of one that grows
	Warnings []string      // as the API gives them
	Links    []string      // tokens of the private links that it got
	Waits    items.Waiting // of what was published
	Changes  []string      // what is kept otherwise than the line says, told by Check alone
	Err      error
}

// ChangedLineError refuses a line that is not what it was when it was loaded, or whose item is not there any more.
type ChangedLineError struct {
	was  *record.Load
	from bool // it comes from another repository, by whose address it is known
	gone bool // the item was deleted, or is another account's now
}

func (e *ChangedLineError) Error() string {
	what := fmt.Sprintf("article %d", e.was.ArticleID)
	if e.was.CollectionID != 0 {
		what = fmt.Sprintf("collection %d", e.was.CollectionID)
	}
	switch {
	case e.gone:
		return "it was loaded before as " + what + ", which was deleted or has another owner now"
	case e.from:
		return "it was loaded before as " + what + ", from another package or not in this state; alcove pull takes what is new at its server"
	}
	return "another line of that key was loaded as " + what + "; give it another key to load it, too"
}

// WarnedLineError refuses to publish what the API warns of.
type WarnedLineError struct{ Warnings []string }

func (e *WarnedLineError) Error() string {
	return "not loaded, as it would be published with warnings: " + strings.Join(e.Warnings, "; ") + "; --accept-warnings loads it nevertheless"
}

// ErrFileChanged says that a file had another size when its bytes were read.
var ErrFileChanged = errors.New("the file changed while it was read")

// NewLoader is for the account with an e-mail address or id. An item with a DOI under one of the prefixes that were taken
// over becomes one of this repository, wherever it comes from.
func NewLoader(a *handlers.API, account string, taken ...string) (*Loader, error) {
	l := &Loader{db: a.DB, blobs: a.Blobs, items: a.Items, maxBody: a.Limits.MaxBody, taken: taken, expected: map[string]bool{}}
	err := a.DB.View(func(tx *bucket.Tx) error {
		acc, err := accounts.Find(tx, account)
		if err == nil {
			l.account = acc.ID
		}
		return err
	})
	return l, err
}

// Bodies are what a line says, as JSON bodies of the API. Those that are nil are not
// sent.
type Bodies struct {
	Item         []byte
	Collection   bool              // it is one, not an article
	Members      []deposit.Member  // of the collection
	Authors      []json.RawMessage // behind those of the item, whose body can hold a few only
	Embargo      []byte
	Confidential []byte
	Resource     []byte
	Links        []json.RawMessage
	Project      int64   // to make the article in, 0 for none
	Collections  []int64 // to put it into
	Moved        []byte  // what it brings along from another repository
	Versions     []Version
}

// Version is a public version that a line brings along.
type Version struct {
	Which   []byte           // its number and dates
	Item    []byte           // what differs from the item
	Embargo []byte           // body of its embargo, nil for that of the item
	Members []deposit.Member // of a collection; nil for those of the item
}

// Prepare reads what a line says as the API would. It refuses with a *record.Error, and
// looks at nothing but its arguments.
func (l *Loader) Prepare(in Bodies) (*Line, error) {
	ln := &Line{kind: l.items.Articles, members: in.Members}
	if in.Collection {
		ln.kind = l.items.Collections
	}
	ln.body = ln.kind.Body()
	ln.besides.project, ln.besides.collections = in.Project, in.Collections
	if err := l.read(ln, in.Item, ln.body); err != nil {
		return nil, err
	}
	if err := ln.body.Check(); err != nil {
		return nil, err
	}
	if err := l.readBesides(ln, in); err != nil {
		return nil, err
	}
	if err := l.readMoved(ln, in); err != nil {
		return nil, err
	}
	if len(in.Authors) == 0 {
		return ln, nil
	}
	rest, err := json.Marshal(map[string]any{"authors": in.Authors})
	if err != nil {
		return nil, fmt.Errorf("cannot read the authors: %w", err)
	}
	if err := l.read(ln, rest, &ln.more); err != nil {
		return nil, err
	}
	return ln, ln.more.Check()
}

// read fills a body from JSON, and keeps the warnings.
func (l *Loader) read(ln *Line, text []byte, to any) error {
	if int64(len(text)) > l.maxBody {
		return record.ErrBodyTooLarge
	}
	read, err := record.ReadBody(text, false)
	if err != nil {
		return err
	}
	warnings, err := read.Bind(to)
	ln.warnings = append(ln.warnings, warnings...)
	return err
}

// Keep puts the bytes of a file among the blobs, durably, and notes their sums. A line
// with files should be known to be loadable before (Check): what Keep has stored for a
// line that is refused stays. More bytes or fewer than the body of the file says are
// ErrFileChanged.
func (l *Loader) Keep(ctx context.Context, f *LineFile, r io.Reader) error {
	var head []byte
	sums, err := l.blobs.Copy(ctx, r, *f.Body.Size, func(piece []byte) {
		head = append(head, piece[:min(len(piece), uploads.HeadSize-len(head))]...)
	})
	if errors.Is(err, blobs.ErrTooLarge) || err == nil && sums.Size != *f.Body.Size {
		return ErrFileChanged
	}
	if err != nil {
		return err
	}
	f.sums, f.mime = &sums, uploads.DetectType(head, *f.Body.Name)
	return nil
}

// Check tells what Load would make of a line by itself, and stores nothing.
func (l *Loader) Check(ln *Line) (done Loaded, err error) {
	err = l.db.View(func(tx *bucket.Tx) error {
		c, err := l.call(tx)
		if err != nil {
			return err
		}
		c.Warned = append(c.Warned, ln.warnings...)
		item, checked, err := l.check(c, tx, ln)
		if done = checked; err != nil || item == nil {
			return err
		}
		done.Changes = ln.changes(item.Common())
		ln.appears, err = appearsNow(tx, item, ln.Publish)
		ln.appears = ln.appears || ln.moved.public()
		return err
	})
	if refusedLine(err) {
		return Loaded{Err: err}, nil
	}
	return done, err
}

// Load loads lines, their files kept before, in one commit, and tells of each what became
// of it. With strict it ends with the first that is refused; those behind it have neither
// an item nor an error. On an error nothing was loaded.
func (l *Loader) Load(ctx context.Context, lines []*Line, strict bool) ([]Loaded, error) {
	refused := map[int]error{} // after it had written something
	for {
		done := make([]Loaded, len(lines))
		late := -1
		err := l.db.UpdateBy(ctx, changelog.By{Way: changelog.Operator, For: l.account}, func(tx *bucket.Tx) error {
			c, err := l.call(tx)
			if err != nil {
				return err
			}
			collected := map[int64][]int64{} // articles by collection
			for i, ln := range lines {
				before := tx.Writes()
				c.Warned = append([]string(nil), ln.warnings...)
				err := refused[i]
				if err == nil {
					done[i], err = l.load(c, tx, ln)
				}
				switch {
				case err == nil:
					if !done[i].Already {
						for _, id := range ln.besides.collections {
							collected[id] = append(collected[id], done[i].Item)
						}
					}
					continue
				case !refusedLine(err):
					return err
				case tx.Writes() > before:
					late = i
					return err
				}
				if done[i] = (Loaded{Err: err}); strict {
					break
				}
			}
			return l.collect(tx, collected)
		})
		if late < 0 || !refusedLine(err) {
			return done, err
		}
		refused[late] = err // the others are loaded again, without it
	}
}

// refusedLine reports whether an error is about a line and not about the store.
func refusedLine(err error) bool {
	var changed *ChangedLineError
	var warned *WarnedLineError
	var answer *record.Error
	return errors.As(err, &changed) || errors.As(err, &warned) || errors.As(err, &answer)
}

// call is what the account would ask the API.
func (l *Loader) call(tx *bucket.Tx) (*items.Caller, error) {
	acc, err := users.Accounts.Get(tx, l.account)
	return &items.Caller{Account: acc, Actor: l.account, Loads: true}, err
}
