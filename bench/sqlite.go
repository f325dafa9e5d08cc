package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver, without cgo
)

// fts is the corpus in SQLite's full-text search, in this process.
type fts struct{ db *sql.DB }

// openFTS opens the database of a corpus, and makes it first when it is not there. The
// text is in the index alone; stems are cut as Alcove does it, nearly (Porter).
func openFTS(dir string) (*fts, error) {
	path := filepath.Join(dir, "fts.db")
	if _, err := os.Stat(path); err != nil {
		if err := makeFTS(dir, path+".new"); err != nil {
			return nil, fmt.Errorf("cannot fill SQLite: %w", err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			return nil, fmt.Errorf("cannot fill SQLite: %w", err)
		}
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, fmt.Errorf("cannot open SQLite: %w", err)
	}
	db.SetMaxOpenConns(1)
	return &fts{db}, nil
}

func makeFTS(dir, path string) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
		CREATE TABLE items (id INTEGER PRIMARY KEY, published INTEGER, type TEXT);
		CREATE INDEX by_published ON items (published DESC);
		CREATE INDEX by_type ON items (type, published DESC);
		CREATE VIRTUAL TABLE texts USING fts5 (title, description, more, content = '', tokenize = 'porter unicode61')`); err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after the commit
	item, err := tx.Prepare("INSERT INTO items VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	text, err := tx.Prepare("INSERT INTO texts (rowid, title, description, more) VALUES (?, ?, ?, ?)")
	if err != nil {
		return err
	}
	err = each(dir, 0, func(n int, a article) error {
		more := a.Tags[0] + " " + a.Tags[1]
		for _, p := range a.Authors {
			more += " " + p.Name
		}
		if _, err := item.Exec(n+1, n, a.Type); err != nil {
			return err
		}
		_, err := text.Exec(n+1, a.Title, a.Description, more)
		return err
	})
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.Exec("INSERT INTO texts (texts) VALUES ('optimize'); ANALYZE")
	return err
}

// search finds the ten newest.
func (f *fts) search(q query) error {
	match := `"` + q.words[0] + `"`
	for _, w := range q.words[1:] {
		match += ` AND "` + w + `"`
	}
	if q.begins {
		match += "*"
	}
	ask, args := "SELECT id FROM texts JOIN items ON id = texts.rowid WHERE texts MATCH ?", []any{match}
	if q.datasets {
		ask += " AND type = 'dataset'"
	}
	if q.year != "" { // all items are of one; published is their order
		ask += " AND published BETWEEN 0 AND 100000000"
	}
	rows, err := f.db.Query(ask+" ORDER BY published DESC LIMIT 10", args...)
	if err != nil {
		return fmt.Errorf("cannot search in SQLite: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return fmt.Errorf("cannot search in SQLite: %w", err)
		}
	}
	return rows.Err()
}

// inProcess asks what runs in this process, from one goroutine, for a time d.
func inProcess(d time.Duration, next func() query, search func(query) error) (sample, error) {
	if err := search(next()); err != nil {
		return sample{}, err
	}
	before, err := selfTime()
	if err != nil {
		return sample{}, err
	}
	var took []time.Duration
	begin := time.Now()
	for now := begin; now.Sub(begin) < d; {
		if err := search(next()); err != nil {
			return sample{}, err
		}
		after := time.Now()
		took, now = append(took, after.Sub(now)), after
	}
	wall := time.Since(begin)
	after, err := selfTime()
	return newSample(took, wall, after-before), err
}
