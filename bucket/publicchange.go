package bucket

import (
	"time"

	"alcove/bucket/kv"
)

// publicKinds are the tables whose changes readers see.
var publicKinds = map[string]bool{}

func init() {
	for _, t := range []stored{
		&PublicArticles.Table, &ArticleVersions.Table, &PublicFiles.Table,
		&PublicCollections.Table, &CollectionVersions.Table, &PublicProjects.Table,
	} {
		publicKinds[t.bucketName()[len("r:"):]] = true
	}
}

// LastPublicChange is the time of the last committed change of what is public, zero when there was
// none. Private changes do not move it, so that lists tell nothing of them. After a start it may be
// later than that change, when very many private ones followed it.
func (db *DB) LastPublicChange() time.Time {
	if n := db.public.Load(); n != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}

// publicLooked is how many entries of the log a start looks at for the last public change.
const publicLooked = 100_000

// readPublicChange looks for the last public change from the end of the log. An entry that is damaged
// is passed over: a check names it, and the store is opened all the same.
func (db *DB) readPublicChange(b kv.Tx) {
	n := 0
	for k, v := range b.Bucket(logBucket).Descend(nil) {
		n++
		if change, err := decodeChange(k, v); err == nil && (publicKinds[change.Table] || n >= publicLooked) {
			db.public.Store(change.Time.UnixNano())
			return
		}
	}
}
