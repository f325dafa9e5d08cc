package bucket

import "alcove/record"

// What groups ask of items: definitions of custom fields, and reviews before articles
// are published.
var (
	Fields = &Table[int64, record.Field]{name: "fields", codec: intKeys}
	// AddressRanges are the networks that embargoes can let in.
	AddressRanges = &Table[int64, record.AddressRange]{name: "address_ranges", codec: intKeys}

	Reviews = &Table[int64, record.Review]{name: "reviews", codec: intKeys}
	// ReviewComments is keyed by review id and comment id.
	ReviewComments = &Table[Pair, record.ReviewComment]{name: "review_comments", codec: pairKeys}
	// Submissions has what was handed in, as it was frozen; the key is the id of the
	// review.
	Submissions = &Table[int64, record.ArticleVersion]{name: "submissions", codec: intKeys}

	// FieldsByGroup has the fields that a group defines, in their order.
	FieldsByGroup = addIndex(Fields, "group", 1, func(f *record.Field) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(f.GroupID, f.Order)}}
	})
	// ReviewsByInstitution sorts an institution's reviews by id.
	ReviewsByInstitution = addIndex(Reviews, "institution", 1, func(r *record.Review) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(r.InstitutionID)}}
	})
	// ReviewsByArticle sorts the reviews of an article by id.
	ReviewsByArticle = addIndex(Reviews, "article", 1, func(r *record.Review) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(r.ArticleID)}}
	})
	// ReviewsPending finds the review that an article waits for; there is at most one.
	ReviewsPending = addIndex(Reviews, "pending", 1, func(r *record.Review) []IndexEntry {
		if r.Status != record.ReviewPending {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(r.ArticleID)}}
	})
)
