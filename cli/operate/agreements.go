package operate

import (
	"fmt"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/withdrawn"
	"alcove/record"
)

// VersionAgreement is what the owner of a version had accepted when it was published, nil for nothing.
type VersionAgreement struct {
	Version   int               `json:"version"`
	Withdrawn bool              `json:"withdrawn"`
	Agreement *record.Agreement `json:"agreement"`
}

// ListAgreements lists the versions of an article with what was accepted for each.
func ListAgreements(db *bucket.DB, article int64) (list []VersionAgreement, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		for row, err := range published.ArticleVersions.All(tx, bucket.Prefix(article)) {
			if err != nil {
				return err
			}
			list = append(list, VersionAgreement{row.Record.Version, false, row.Record.Agreement})
		}
		for row, err := range withdrawn.Versions.All(tx, bucket.Prefix(article)) {
			if err != nil {
				return err
			}
			list = append(list, VersionAgreement{row.Record.Version, true, row.Record.Agreement})
		}
		if len(list) == 0 {
			return fmt.Errorf("cannot find a published version of an article %d", article)
		}
		return nil
	})
	return list, err
}
