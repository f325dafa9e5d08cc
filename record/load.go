package record

// Load notes that a line of a bulk load has become an article.
type Load struct {
	ArticleID int64  `json:"article_id"`
	Hash      string `json:"hash"` // SHA-256 of the line, hex
}
