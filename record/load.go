package record

// Load notes that a line of a bulk load has become an article or a collection; the other id
// is 0.
type Load struct {
	ArticleID    int64  `json:"article_id"`
	CollectionID int64  `json:"collection_id,omitempty"`
	Hash         string `json:"hash"` // SHA-256 of the line, hex
}
