package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/collector"
	"github.com/blevesearch/bleve/v2/search/searcher"
	api "github.com/blevesearch/bleve_index_api"
)

// raw is Bleve alone on a copy of Alcove's index, in this process: it finds the matches and
// sorts them by the day of publication itself.
type raw struct {
	index  *scorch.Scorch
	reader api.IndexReader
}

// openRaw opens the newest public index of a data directory that no server uses.
func openRaw(data, copied string) (*raw, error) {
	found, err := filepath.Glob(filepath.Join(data, "index", "public-*"))
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("cannot find the public index in %s", data)
	}
	if err := linkIndex(found[len(found)-1], copied); err != nil {
		return nil, fmt.Errorf("cannot copy the index: %w", err)
	}
	queue := api.NewAnalysisQueue(1)
	opened, err := scorch.NewScorch(scorch.Name, map[string]any{"path": copied, "read_only": true, "bolt_timeout": "1s"}, queue)
	if err != nil {
		return nil, fmt.Errorf("cannot open the index: %w", err)
	}
	r := &raw{index: opened.(*scorch.Scorch)}
	if err := r.index.Open(); err != nil {
		return nil, fmt.Errorf("cannot open the index: %w", err)
	}
	if r.reader, err = r.index.Reader(); err != nil {
		return nil, fmt.Errorf("cannot read the index: %w", err)
	}
	return r, nil
}

// linkIndex makes a copy of an index that takes hardly any room: segments never change, so
// a second name is enough for them.
func linkIndex(from, to string) error {
	files, err := os.ReadDir(from)
	if err == nil {
		err = os.Mkdir(to, 0o700)
	}
	for i := 0; i < len(files) && err == nil; i++ {
		a, b := filepath.Join(from, files[i].Name()), filepath.Join(to, files[i].Name())
		if filepath.Ext(a) == ".zap" {
			err = os.Link(a, b)
			continue
		}
		var text []byte
		if text, err = os.ReadFile(a); err == nil {
			err = os.WriteFile(b, text, 0o600)
		}
	}
	return err
}

func (r *raw) close() {
	r.reader.Close()
	r.index.Close()
}

// search finds the ten newest, as Alcove does in title, description and everything else.
func (r *raw) search(q query) error {
	ctx := context.Background()
	options := search.SearcherOptions{Score: "none"}
	anywhere := func(make func(field string) (search.Searcher, error)) (search.Searcher, error) {
		var parts []search.Searcher
		for _, field := range []string{"title", "description", "more"} {
			s, err := make(field)
			if err != nil {
				return nil, err
			}
			parts = append(parts, s)
		}
		return searcher.NewDisjunctionSearcher(ctx, r.reader, parts, 1, options)
	}
	var all []search.Searcher
	for _, w := range q.words {
		terms := strings.Fields(w)
		s, err := anywhere(func(field string) (search.Searcher, error) {
			if len(terms) > 1 {
				return searcher.NewPhraseSearcher(ctx, r.reader, terms, 0, false, field, 1, search.SearcherOptions{Score: "none", IncludeTermVectors: true})
			}
			if q.begins {
				return searcher.NewTermPrefixSearcher(ctx, r.reader, w, field, 1, options)
			}
			return searcher.NewTermSearcher(ctx, r.reader, w, field, 1, options)
		})
		if err != nil {
			return fmt.Errorf("cannot search in Bleve: %w", err)
		}
		all = append(all, s)
	}
	for field, term := range map[string]string{"item_type": q.itemType(), "published": q.year} {
		if term == "" {
			continue
		}
		s, err := searcher.NewTermSearcher(ctx, r.reader, term, field, 1, options)
		if err != nil {
			return fmt.Errorf("cannot search in Bleve: %w", err)
		}
		all = append(all, s)
	}
	s, err := searcher.NewConjunctionSearcher(ctx, r.reader, all, options)
	if err != nil {
		return fmt.Errorf("cannot search in Bleve: %w", err)
	}
	defer s.Close()
	top := collector.NewTopNCollector(10, 0, search.SortOrder{&search.SortField{Field: "published", Desc: true, Type: search.SortFieldAsString, Mode: search.SortFieldMax}})
	if err := top.Collect(ctx, s, r.reader); err != nil {
		return fmt.Errorf("cannot search in Bleve: %w", err)
	}
	if top.Total() == 0 {
		return fmt.Errorf("Bleve finds nothing for %v", q.words)
	}
	return nil
}
