package handlers

import (
	"alcove/bucket"
	"alcove/record"
)

// All who write wait for the transaction that does. One that changes every file of an item, of
// which there may be a hundred thousand, therefore finds them read and decoded (bucket.Ahead). Whatever
// cannot be read ahead is left to the write, which reads it and says what is wrong.

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
	a.Items.AwaitChecks(c.Context, c.filesAhead(c.ownsArticle, bucket.FilesToPublish))
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
	c.Context, checking = c.API.Items.FilesAhead(c.Context, id, in...)
	return checking
}
