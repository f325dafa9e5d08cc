package present

import "alcove/record"

// ArticleWithProject is an article in the answer of a search.
type ArticleWithProject struct {
	ProjectID *int64 `json:"project_id"`
	Article
}

// OwnArticleWithProject is a working copy in the answer of a search.
func (s Settings) OwnArticleWithProject(a *record.Article) ArticleWithProject {
	return ArticleWithProject{s.id(a.ProjectID), s.OwnArticle(a)}
}
