package handlers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
	Files    []*LoadFile
	body     *record.ArticleBody
	more     record.AuthorsBody // those that the body could not hold
	warnings []string
}

// LoadFile is a file of an article: a link, or bytes that Keep has put among the blobs.
type LoadFile struct {
	Body record.FileBody
	sums *blobs.Sums
	mime string
}

// Loaded is what became of a line: its article, or why there is none. Err is a
// *record.Error with the message of the API, or a *ChangedLineError.
type Loaded struct {
	Article  int64
	Already  bool     // it was loaded before
	Warnings []string // as the API gives them
	Err      error
}

// ChangedLineError refuses a line that is not what it was when it was loaded.
type ChangedLineError struct{ Article int64 }

func (e *ChangedLineError) Error() string {
	return fmt.Sprintf("another line of that key was loaded as article %d; give it another key to load it, too", e.Article)
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

// Prepare reads the JSON body of an article as the API would, and more authors that come
// behind those of the body, which can hold a few only. It refuses with a *record.Error,
// and looks at nothing but its arguments.
func (l *Loader) Prepare(body []byte, more []json.RawMessage) (*LoadLine, error) {
	if int64(len(body)) > l.api.Limits.MaxBody {
		return nil, record.ErrBodyTooLarge
	}
	ln := &LoadLine{body: new(record.ArticleBody)}
	read, err := record.ReadBody(body, false)
	if err != nil {
		return nil, err
	}
	if ln.warnings, err = read.Bind(ln.body); err != nil {
		return nil, err
	}
	if err := ln.body.Check(); err != nil {
		return nil, err
	}
	if len(more) == 0 {
		return ln, nil
	}
	rest, err := json.Marshal(map[string]any{"authors": more})
	if err != nil {
		return nil, fmt.Errorf("cannot read the authors: %w", err)
	}
	if read, err = record.ReadBody(rest, false); err != nil {
		return nil, err
	}
	if _, err = read.Bind(&ln.more); err != nil {
		return nil, err
	}
	return ln, ln.more.Check()
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
		_, done, err = l.check(c, tx, ln)
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
			for i, ln := range lines {
				before := tx.Writes()
				c.warned = append([]string(nil), ln.warnings...)
				err := refused[i]
				if err == nil {
					done[i], err = l.load(c, tx, ln)
				}
				switch {
				case err == nil:
					continue
				case !refusedLine(err):
					return err
				case tx.Writes() > before:
					late = i
					return err
				}
				if done[i] = (Loaded{Err: err}); strict {
					return nil
				}
			}
			return nil
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
	var answer *record.Error
	return errors.As(err, &changed) || errors.As(err, &answer)
}

// call is what the account would ask the API.
func (l *Loader) call(tx *bucket.Tx) (*Call, error) {
	acc, err := bucket.Accounts.Get(tx, l.account)
	return &Call{API: l.api, Account: acc, actor: l.account}, err
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
	authors := len(art.Authors)
	if ln.body.Authors != nil {
		authors += len(*ln.body.Authors)
	}
	if ln.more.Authors != nil {
		if err := c.mayName(tx, *ln.more.Authors, art.Authors, l.api.Articles.authorUnknown); err != nil {
			return nil, Loaded{}, err
		}
	}
	if ln.Publish {
		m := art.Metadata // complete adds what a working copy does not keep
		if err := creditable(&m, authors); err != nil {
			return nil, Loaded{}, err
		}
		if err := complete(tx, &m); err != nil {
			return nil, Loaded{}, err
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
	if c.appears, err = appearsNow(tx, art, ln.Publish); err != nil {
		return Loaded{}, err
	}
	if err := l.api.number(c, tx, art, ln.body); err != nil {
		return Loaded{}, err
	}
	if ln.more.Authors != nil {
		ids, err := c.name(tx, *ln.more.Authors)
		if err != nil {
			return Loaded{}, err
		}
		art.Authors = unique(append(art.Authors, ids...))
	}
	for _, f := range ln.Files {
		file, err := f.file()
		if err != nil {
			return Loaded{}, err
		}
		if err := l.api.addFile(tx, art, file, file.Size); err != nil {
			return Loaded{}, err
		}
	}
	if ln.Publish {
		err = l.api.publish(tx, art)
	} else {
		err = bucket.Articles.PutLater(tx, art.ID, art)
	}
	if err != nil {
		return Loaded{}, err
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
