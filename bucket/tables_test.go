package bucket

import (
	"time"

	"alcove/record"
)

// The tests of the store use the tables of the repository. Those stand on the store, so that schema_of_test.go hands
// them in.
var (
	Accounts      *Table[int64, record.Account]
	AddressRanges *Table[int64, record.AddressRange]
	Articles      *Table[int64, record.Article]
	Collections   *Table[int64, record.Collection]
	Files         *Table[int64, record.File]
	Groups        *Table[int64, record.Group]
	Parts         *Table[Pair, record.Part]
	People        *Table[int64, record.Person]
	PrivateLinks  *Table[string, record.PrivateLink]
	Projects      *Table[int64, record.Project]
	Reviews       *Table[int64, record.Review]
	Tokens        *Table[string, record.Token]

	AccountsByEmail   *Index[int64]
	ArticlesByCreated *Index[int64]
	ArticlesNumber    Total
	FilesByArticle    *Index[int64]
	FilesByBlob       *Index[int64]
	FilesByToken      *Index[int64]
	FilesChecking     *Index[int64]
	FilesOpen         *Index[int64]
	FilesToPublish    *Index[int64]
	BytesAnnounced    Total
	BytesArrived      Total

	PublicArticles         *PublicTable[int64, record.PublicArticle]
	PublicCollections      *PublicTable[int64, record.PublicCollection]
	PublicFiles            *PublicTable[int64, record.PublicFile]
	ArticleVersions        *PublicTable[Pair, record.ArticleVersion]
	CollectionVersions     *PublicTable[Pair, record.CollectionVersion]
	PublicByCites          PublicIndex[int64]
	PublicByPublished      PublicIndex[int64]
	PublicByViews          PublicIndex[int64]
	PublicWithoutDownloads PublicIndex[int64]
	ArticleDocs            *Docs

	Citations      *Table[Pair, record.Citation]
	CitationsByDOI PublicIndex[Pair]
	Counts         *PublicTable[Pair, record.Counts]
	AuthorSums     *Table[int64, record.Sum]
	GroupSums      *Table[int64, record.Sum]

	// ArticleFacts and CollectionFacts are what indexes say of a public item, IndexedFacts what one entry says.
	ArticleFacts, CollectionFacts func(tx Reader, id int64) (Known, bool)
	IndexedFacts                  func(value []byte) Known

	AddCounts func(tx *Tx, item Pair, more record.Counts) error
	AddUse    func(tx *Tx, item Pair, at time.Time, country string, more record.Used) error
	Cite      func(tx *Tx, item Pair, doi string, now record.Citation) error
	Counted   func(tx Reader, of Pair) (record.Counts, error)
)

// Known is what the tests ask of facts.
type Known struct {
	Published     time.Time
	Type, Version int64
	Counts        record.Counts
}
