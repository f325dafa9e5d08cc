package jobs

import (
	"context"
	"iter"
	"time"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/working"
)

const (
	releaseEvery = time.Minute           // how far a clock may jump unnoticed
	releaseLeast = 20 * time.Millisecond // between two looks at the store
	releaseMost  = 1000                  // embargoes that one look finds
	releaseDoubt = time.Second           // between two looks at a clock that is in doubt
)

// EndEmbargoesSoon looks again for the embargo that ends next, after one was changed.
func (j *Jobs) EndEmbargoesSoon() { wake(j.ending) }

// endEmbargoes ends every embargo when it is due: those that came to their end while no
// server ran at once, the others on time. Each is ended in a transaction that records it,
// so once. It ends with its context.
func (j *Jobs) endEmbargoes(ctx context.Context) {
	for ctx.Err() == nil {
		wait := j.endDue(ctx)
		select {
		case <-time.After(wait):
			continue
		case <-ctx.Done():
			return
		case <-j.ending:
		}
		select { // many changes wake it once
		case <-time.After(releaseLeast):
		case <-ctx.Done():
		}
	}
}

// endDue ends the embargoes that are due now, and tells how long to wait for the next.
func (j *Jobs) endDue(ctx context.Context) time.Duration {
	var articles []int64
	var versions []bucket.Pair
	if j.DB.Clock().Doubt != "" {
		return releaseDoubt
	}
	wait := releaseEvery
	err := j.DB.View(func(tx *bucket.Tx) error {
		articles, wait = due(working.ArticlesByEmbargo.Ascending(tx, nil), tx.Clock(), wait)
		versions, wait = due(published.VersionsByEmbargo.Ascending(tx, nil), tx.Clock(), wait)
		return nil
	})
	if err != nil {
		j.Log.Error("cannot list embargoes", "error", err)
		return releaseEvery
	}
	ended := 0
	for _, id := range articles {
		ctx, _ := j.Items.FilesAhead(ctx, id, files.Held)
		if j.ended(ctx, id, func(tx *bucket.Tx) error { return j.Items.EndEmbargo(tx, id) }) {
			ended++
		}
	}
	for _, key := range versions {
		ctx, _ := j.Items.FilesAhead(ctx, key.A, files.Hidden)
		if j.ended(ctx, key.A, func(tx *bucket.Tx) error { return j.Items.OpenVersion(tx, key) }) {
			ended++
		}
	}
	if ended > 0 { // there may be more
		return releaseLeast
	}
	return max(wait, releaseLeast)
}

// due reads from an index by embargo what has come to its end, and how long the next
// takes if that is less than wait.
func due[K any](sorted iter.Seq[bucket.Hit[K]], now time.Time, wait time.Duration) ([]K, time.Duration) {
	var keys []K
	for hit := range sorted {
		if end := bucket.SortedTime(hit.Sort); end.After(now) {
			return keys, min(wait, end.Sub(now))
		}
		if keys = append(keys, hit.Key); len(keys) == releaseMost {
			break
		}
	}
	return keys, wait
}

func (j *Jobs) ended(ctx context.Context, article int64, end func(*bucket.Tx) error) bool {
	err := j.DB.Update(bucket.Frees(ctx), 0, end) // an embargo ends on its day, also on a full disk
	if err != nil && ctx.Err() == nil {
		j.Log.Error("cannot end an embargo", "article", article, "error", err)
	}
	return err == nil
}
