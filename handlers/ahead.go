package handlers

import (
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/handlers/endpoint"
)

// All who write wait for the transaction that does. One that changes every file of an item, of
// which there may be a hundred thousand, therefore finds them read and decoded (bucket.Ahead). Whatever
// cannot be read ahead is left to the write, which reads it and says what is wrong.

// files.ToPublish reads what the next version of an own article adds and removes, and waits until
// none of it is being checked any more, or patience ends.
func FilesToPublish(c *endpoint.Call) {
	c.Server.Items.AwaitChecks(c.Context, filesAhead(c, ownsArticle, files.ToPublish))
}

// files.Held reads what is held of an own article: an embargo that ends makes it public.
func FilesHeld(c *endpoint.Call) { filesAhead(c, ownsArticle, files.Held) }

// FilesOfDraft reads all files of an own article that is not public.
func FilesOfDraft(c *endpoint.Call) {
	filesAhead(c, ownsArticle, files.ByArticle, files.Withdrawn, files.Held, files.Submitted)
}

// FilesToWithdraw reads the files of the public versions of an article.
func FilesToWithdraw(c *endpoint.Call) {
	filesAhead(c, func(c *endpoint.Call, tx *bucket.Tx) (int64, error) {
		art, err := withdrawable(c, tx)
		if err != nil {
			return 0, err
		}
		return art.ID, nil
	}, files.Published, files.Held, files.Submitted)
}

// FilesToApprove reads what was handed in for the review in the path.
func FilesToApprove(c *endpoint.Call) {
	filesAhead(c, func(c *endpoint.Call, tx *bucket.Tx) (int64, error) {
		r, _, err := review(c, tx)
		if err != nil {
			return 0, err
		}
		return r.ArticleID, nil
	}, files.Submitted)
}

func ownsArticle(c *endpoint.Call, tx *bucket.Tx) (int64, error) {
	_, err := c.OwnArticle(tx)
	return c.ID("id"), err
}

// filesAhead reads what indexes have of an article's files for the writes of the call. which tells
// the article, when the caller may see it. It returns the files that are being checked.
func filesAhead(c *endpoint.Call, which func(*endpoint.Call, *bucket.Tx) (int64, error), in ...*bucket.Index[int64]) (checking []int64) {
	var id int64
	err := c.Server.DB.View(func(tx *bucket.Tx) (err error) {
		id, err = which(c, tx)
		return err
	})
	if err != nil {
		return nil
	}
	c.Context, checking = c.Server.Items.FilesAhead(c.Context, id, in...)
	return checking
}
