package world

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/record"
)

func (s *Server) Alter(fn func(tx *bucket.Tx) error) {
	s.T.Helper()
	if err := s.DB().Update(context.Background(), 0, fn); err != nil {
		s.T.Fatal(err)
	}
}

func AlterPublic(tx *bucket.Tx, id int64, change func(*record.PublicArticle, *record.ArticleVersion)) error {
	h, err := published.Articles.Get(tx, id)
	if err != nil {
		return err
	}
	key := bucket.Pair{A: id, B: int64(h.Latest)}
	v, err := published.ArticleVersions.Get(tx, key)
	if err != nil {
		return err
	}
	change(h, v)
	if err := published.Articles.Put(tx, id, h); err != nil {
		return err
	}
	return published.ArticleVersions.Put(tx, key, v)
}

// Day is a time on one of the first days of 2020.
func Day(n, hour int) time.Time { return time.Date(2020, 1, n, hour, 0, 0, 0, time.UTC) }

// RecordLines are all records of a table, a line each, as JSON.
func RecordLines[K, R any](s *Server, table *bucket.Table[K, R], keep func(*R)) string {
	s.T.Helper()
	var text strings.Builder
	err := s.DB().View(func(tx *bucket.Tx) error {
		for row, err := range table.All(tx, nil) {
			if err != nil {
				return err
			}
			if keep != nil {
				keep(row.Record)
			}
			b, err := json.Marshal(row.Record)
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "%v %s\n", row.Key, b)
		}
		return nil
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return text.String()
}
