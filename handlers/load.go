package handlers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/record"
	"alcove/uploads"
)

// Loader makes articles of an account from lines that an operator brings, many in one
// commit, with the rules and the records of the API. Nobody else may use the store
// meanwhile. The change log has what it writes as the operator's, for the account.
type Loader struct {
	api     *API
	account int64
}

// LoadLine is one article to load. Prepare makes it.
type LoadLine struct {
	ID       string // which line it is: of two lines with one ID only one is loaded
	Hash     string // of what the line says: an ID with another hash is refused
	Publish  bool
	Accept   bool // publish it also with warnings
	Files    []*LoadFile
	body     *record.ArticleBody
	more     record.AuthorsBody // those that the body could not hold
	besides  loadBesides
	moved    loadMoved
	warnings []string
}

// LoadFile is a file of an article: a link, or bytes that Keep has put among the blobs.
type LoadFile struct {
	Body record.FileBody
	// Of a line with versions: the index of the first that has it, and of the first behind
	// that has not.
	From, To int
	sums     *blobs.Sums
	mime     string
}

// Loaded is what became of a line: its article, or why there is none. Err is a
// *record.Error with the message of the API, or a *ChangedLineError.
type Loaded struct {
	Article  int64
	Already  bool     // it was loaded before
	Warnings []string // as the API gives them
	Links    []string // tokens of the private links that it got
	Waits    Waiting  // of what was published
	Changes  []string // what is kept otherwise than the line says, told by Check alone
	Err      error
}

// ChangedLineError refuses a line that is not what it was when it was loaded.
type ChangedLineError struct{ Article int64 }

func (e *ChangedLineError) Error() string {
	return fmt.Sprintf("another line of that key was loaded as article %d; give it another key to load it, too", e.Article)
}

// WarnedLineError refuses to publish what the API warns of.
type WarnedLineError struct{ Warnings []string }

func (e *WarnedLineError) Error() string {
	return "not loaded, as it would be published with warnings: " + strings.Join(e.Warnings, "; ") + "; --accept-warnings loads it nevertheless"
}

// ErrFileChanged says that a file had another size when its bytes were read.
var ErrFileChanged = errors.New("the file changed while it was read")

// Loader is for the account with an e-mail address or id.
func (a *API) Loader(account string) (*Loader, error) {
	l := &Loader{api: a}
	err := a.DB.View(func(tx *bucket.Tx) error {
		acc, err := findAccount(tx, account)
		if err == nil {
			l.account = acc.ID
		}
		return err
	})
	return l, err
}

// LoadBodies are what a line says, as JSON bodies of the API. Those that are nil are not
// sent.
type LoadBodies struct {
	Article      []byte
	Authors      []json.RawMessage // behind those of the article, whose body can hold a few only
	Embargo      []byte
	Confidential []byte
	Resource     []byte
	Links        []json.RawMessage
	Project      int64   // to make the article in, 0 for none
	Collections  []int64 // to put it into
	Moved        []byte  // what it brings along from another repository
	Versions     [][]byte
}

// Prepare reads what a line says as the API would. It refuses with a *record.Error, and
// looks at nothing but its arguments.
func (l *Loader) Prepare(in LoadBodies) (*LoadLine, error) {
	ln := &LoadLine{body: new(record.ArticleBody)}
	ln.besides.project, ln.besides.collections = in.Project, in.Collections
	if err := l.read(ln, in.Article, ln.body); err != nil {
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
func (l *Loader) read(ln *LoadLine, text []byte, to any) error {
	if int64(len(text)) > l.api.Limits.MaxBody {
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
func (l *Loader) Keep(ctx context.Context, f *LoadFile, r io.Reader) error {
	var head []byte
	sums, err := l.api.Blobs.Copy(ctx, r, *f.Body.Size, func(piece []byte) {
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
func (l *Loader) Check(ln *LoadLine) (done Loaded, err error) {
	err = l.api.DB.View(func(tx *bucket.Tx) error {
		c, err := l.call(tx)
		if err != nil {
			return err
		}
		c.warned = append(c.warned, ln.warnings...)
		art, checked, err := l.check(c, tx, ln)
		if done = checked; err == nil && art != nil {
			done.Changes = ln.changes(art)
		}
		return err
	})
	if refusedLine(err) {
		return Loaded{Err: err}, nil
	}
	return done, err
}

// Load loads lines, their files kept before, in one commit, and tells of each what became
// of it. With strict it ends with the first that is refused; those behind it have neither
// an article nor an error. On an error nothing was loaded.
func (l *Loader) Load(ctx context.Context, lines []*LoadLine, strict bool) ([]Loaded, error) {
	refused := map[int]error{} // after it had written something
	for {
		done := make([]Loaded, len(lines))
		late := -1
		err := l.api.DB.UpdateBy(ctx, bucket.By{Way: bucket.Operator, For: l.account}, func(tx *bucket.Tx) error {
			c, err := l.call(tx)
			if err != nil {
				return err
			}
			collected := map[int64][]int64{} // articles by collection
			for i, ln := range lines {
				before := tx.Writes()
				c.warned = append([]string(nil), ln.warnings...)
				err := refused[i]
				if err == nil {
					done[i], err = l.load(c, tx, ln)
				}
				switch {
				case err == nil:
					if !done[i].Already {
						for _, id := range ln.besides.collections {
							collected[id] = append(collected[id], done[i].Article)
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
func (l *Loader) call(tx *bucket.Tx) (*Call, error) {
	acc, err := bucket.Accounts.Get(tx, l.account)
	return &Call{API: l.api, Account: acc, actor: l.account, loads: true}, err
}

// check makes the draft of a line that can be loaded, or tells that it was. It stores
// nothing.
func (l *Loader) check(c *Call, tx *bucket.Tx, ln *LoadLine) (*record.Article, Loaded, error) {
	was, err := bucket.Loads.Get(tx, l.key(ln))
	switch {
	case err == nil && was.Hash != ln.Hash:
		return nil, Loaded{}, &ChangedLineError{was.ArticleID}
	case err == nil:
		return nil, Loaded{Article: was.ArticleID, Already: true}, nil
	case !errors.Is(err, bucket.ErrNotFound):
		return nil, Loaded{}, err
	}
	art, err := l.api.draft(c, tx, ln.body)
	if err != nil {
		return nil, Loaded{}, err
	}
	if err := l.describe(c, tx, art, &ln.besides); err != nil {
		return nil, Loaded{}, err
	}
	if err := l.bring(c, tx, art, ln); err != nil {
		return nil, Loaded{}, err
	}
	authors := len(art.Authors)
	if ln.body.Authors != nil {
		authors += len(*ln.body.Authors)
	}
	if ln.more.Authors != nil {
		authors += len(*ln.more.Authors)
		if err := c.mayName(tx, *ln.more.Authors, art.Authors, l.api.Articles.authorUnknown); err != nil {
			return nil, Loaded{}, err
		}
	}
	if err := record.Bounded("authors", authors, 0, l.api.Limits.Lists.Authors); err != nil {
		return nil, Loaded{}, err
	}
	if ln.Publish {
		m := art.Metadata // complete adds what a working copy does not keep
		if err := creditable(&m, authors); err != nil {
			return nil, Loaded{}, err
		}
		if err := complete(tx, &m); err != nil {
			return nil, Loaded{}, err
		}
		if len(c.warned) > 0 && !ln.Accept {
			return nil, Loaded{}, &WarnedLineError{c.warned}
		}
	}
	return art, Loaded{Warnings: c.warned}, l.checkFiles(tx, *art, ln.Files)
}

// checkFiles refuses files that could not be added one after another.
func (l *Loader) checkFiles(tx *bucket.Tx, art record.Article, files []*LoadFile) error {
	if len(files) == 0 {
		return nil
	}
	account, err := bucket.Accounts.Get(tx, l.account)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := f.Body.Check(); err != nil {
			return err
		}
		file := &record.File{}
		f.Body.Apply(file)
		if err := l.api.admits(account, &art, file); err != nil {
			return err
		}
		countFile(account, &art, file)
	}
	return nil
}

// load makes the article of a line, unless there is one.
func (l *Loader) load(c *Call, tx *bucket.Tx, ln *LoadLine) (Loaded, error) {
	art, done, err := l.check(c, tx, ln)
	if err != nil || done.Already {
		return done, err
	}
	moved := ln.moved.public()
	if c.appears, err = appearsNow(tx, art, ln.Publish); err != nil {
		return Loaded{}, err
	}
	c.appears = c.appears || moved
	if err := l.api.number(c, tx, art, ln.body); err != nil {
		return Loaded{}, err
	}
	if slices.ContainsFunc(art.Identifiers(), func(name string) bool { return l.api.Articles.numbers(name, art.ID) }) {
		if err := bucket.Articles.Put(tx, art.ID, art); err != nil { // see bucket.GivenElsewhere
			return Loaded{}, err
		}
	}
	if ln.more.Authors != nil {
		ids, err := c.name(tx, *ln.more.Authors)
		if err != nil {
			return Loaded{}, err
		}
		art.Authors = unique(append(art.Authors, ids...))
	}
	if n := ln.moved.was.Counts; n != (record.Counts{}) { // before the orders by them
		if err := bucket.Counts.Put(tx, bucket.Pair{A: bucket.KindArticle, B: art.ID}, &n); err != nil {
			return Loaded{}, err
		}
	}
	if !moved {
		if err := l.changeFiles(tx, art, ln.Files, 0, map[*LoadFile]int64{}); err != nil {
			return Loaded{}, err
		}
	}
	switch {
	case moved:
		err = l.publishMoved(c, tx, art, ln)
	case ln.Publish:
		done.Waits, err = l.api.publish(tx, art)
	default:
		err = bucket.Articles.PutLater(tx, art.ID, art)
	}
	if err != nil {
		return Loaded{}, err
	}
	for _, body := range ln.besides.links {
		link, err := l.api.Articles.newLink(tx, art.ID, body)
		if err != nil {
			return Loaded{}, err
		}
		done.Links = append(done.Links, link.Token)
	}
	done.Article = art.ID
	return done, bucket.Loads.PutLater(tx, l.key(ln), &record.Load{ArticleID: art.ID, Hash: ln.Hash})
}

// appearsNow reports whether an article is public once it is published, rather than handed
// in for review or held by an embargo.
func appearsNow(tx *bucket.Tx, art *record.Article, published bool) (bool, error) {
	if !published || art.Embargo.Kind == record.ArticleEmbargo {
		return false, nil
	}
	reviewed, err := asksForReview(tx, art.GroupID)
	return !reviewed, err
}

// file is the record of a file whose bytes are there.
func (f *LoadFile) file() (*record.File, error) {
	file := &record.File{}
	if f.Body.Apply(file); file.Linked() {
		return file, nil
	}
	if f.sums == nil {
		return nil, fmt.Errorf("cannot load the file %q: its bytes were not kept", file.Name)
	}
	file.Status, file.MIME = record.FileAvailable, f.mime
	file.MD5, file.SHA256, file.CRC32 = f.sums.MD5.String(), f.sums.SHA256.String(), f.sums.CRC32
	file.SuppliedMD5 = file.MD5
	return file, nil
}

// longID is how many bytes of an ID stand in the store as they are.
const longID = 200

// key is where the store keeps that a line was loaded, for this account.
func (l *Loader) key(ln *LoadLine) string {
	id := ln.ID
	if len(id) > longID {
		sum := sha256.Sum256([]byte(id))
		id = "sha256:" + hex.EncodeToString(sum[:])
	}
	return fmt.Sprintf("%d/%s", l.account, id)
}
