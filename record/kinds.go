package record

// Kinds of public items.
const (
	KindArticle int64 = 1 + iota
	KindCollection
	KindProject
)

// KindAuthor and KindGroup stand beside them where something is counted of all public items of an author, or in a
// group.
const (
	KindAuthor = KindProject + 1 + iota
	KindGroup
)
