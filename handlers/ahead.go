package handlers

import (
	"context"
	"errors"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// All who write wait for the transaction that does. One that changes every file of an item, of
// which there may be a hundred thousand, therefore finds them read and decoded (bucket.Ahead). Whatever
// cannot be read ahead is left to the write, which reads it and says what is wrong.

// readAtOnce bounds how many files one transaction reads ahead: a long one would hold up a writer that
// makes the database larger.
const readAtOnce = 1000

// checkPatience bounds how long a publication waits for integrity checks under way.
const checkPatience = 30 * time.Second

// Ahead makes an endpoint run something before its transaction.
func (e Endpoint) Ahead(read func(*API, *Call)) Endpoint {
	run := e.run
	e.run = func(a *API, c *Call) (Reply, error) {
		read(a, c)
		return run(a, c)
	}
	return e
}

// FilesToPublish reads what the next version of an own article adds and removes, and waits until
// none of it is being checked any more, or patience ends.
func FilesToPublish(a *API, c *Call) {
	a.awaitChecks(c.Context, c.filesAhead(c.ownsArticle, bucket.FilesToPublish))
}

// FilesHeld reads what is held of an own article: an embargo that ends makes it public.
func FilesHeld(a *API, c *Call) { c.filesAhead(c.ownsArticle, bucket.FilesHeld) }

// FilesOfDraft reads all files of an own article that is not public.
func FilesOfDraft(a *API, c *Call) {
	c.filesAhead(c.ownsArticle, bucket.FilesByArticle, bucket.FilesWithdrawn, bucket.FilesHeld, bucket.FilesSubmitted)
}

// FilesToWithdraw reads the files of the public versions of an article.
func FilesToWithdraw(a *API, c *Call) {
	c.filesAhead(func(tx *bucket.Tx) (int64, error) {
		art, err := c.withdrawable(tx)
		if err != nil {
			return 0, err
		}
		return art.ID, nil
	}, bucket.FilesPublished, bucket.FilesHeld, bucket.FilesSubmitted)
}

// FilesToApprove reads what was handed in for the review in the path.
func FilesToApprove(a *API, c *Call) {
	c.filesAhead(func(tx *bucket.Tx) (int64, error) {
		r, _, err := c.review(tx)
		if err != nil {
			return 0, err
		}
		return r.ArticleID, nil
	}, bucket.FilesSubmitted)
}

func (c *Call) ownsArticle(tx *bucket.Tx) (int64, error) {
	_, err := c.ownArticle(tx)
	return c.ID("id"), err
}

// filesAhead reads what indexes have of an article's files for the writes of the call. which tells
// the article, when the caller may see it. It returns the files that are being checked.
func (c *Call) filesAhead(which func(*bucket.Tx) (int64, error), in ...*bucket.Index[int64, record.File]) (checking []int64) {
	var id int64
	err := c.API.DB.View(func(tx *bucket.Tx) (err error) {
		id, err = which(tx)
		return err
	})
	if err != nil {
		return nil
	}
	c.Context, checking = c.API.filesAhead(c.Context, id, in...)
	return checking
}

// filesAhead reads what indexes have of an article's files for the writes of a context.
func (a *API) filesAhead(ctx context.Context, article int64, in ...*bucket.Index[int64, record.File]) (_ context.Context, checking []int64) {
	var ids []int64
	err := a.DB.View(func(tx *bucket.Tx) error {
		for _, ix := range in {
			ids = append(ids, bucket.Keys(ix.Ascending(tx, bucket.SortKey(article)))...)
		}
		return nil
	})
	ahead := &bucket.Ahead{}
	for some := range slices.Chunk(ids, readAtOnce) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			break
		}
		err = a.DB.View(func(tx *bucket.Tx) error {
			for _, id := range some {
				f, err := bucket.Files.ReadAhead(tx, ahead, id)
				if err != nil {
					continue
				}
				if f.BeingChecked() {
					checking = append(checking, id)
				}
				if f.Added > 0 {
					bucket.PublicFiles.ReadAhead(tx, ahead, id)
				}
			}
			return nil
		})
	}
	if len(ids) == 0 || err != nil {
		return ctx, checking
	}
	return ahead.With(ctx), checking
}

// awaitChecks waits until none of some files is being checked any more, or patience ends:
// publish names the file then.
func (a *API) awaitChecks(ctx context.Context, checking []int64) {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	for len(checking) > 0 {
		changed := a.DB.Changed()
		err := a.DB.View(func(tx *bucket.Tx) error {
			for len(checking) > 0 {
				if f, err := bucket.Files.Get(tx, checking[0]); err == nil && f.BeingChecked() {
					break
				}
				checking = checking[1:]
			}
			return nil
		})
		if err != nil || len(checking) == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
