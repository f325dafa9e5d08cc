package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	api "github.com/blevesearch/bleve_index_api"
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// indexAlone makes two Bleve indexes of articles, one after the other, as Alcove has one for
// readers and one for owners: the same fields and options, batches of 500, and a program that
// only splits and stems. It ends when everything is on the disk.
func indexAlone(dir string, texts []article) (wall, cpu time.Duration, err error) {
	before, err := selfTime()
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	for _, name := range []string{"public", "private"} {
		if err := indexOnce(filepath.Join(dir, name), texts); err != nil {
			return 0, 0, fmt.Errorf("cannot index with Bleve: %w", err)
		}
	}
	wall = time.Since(begin)
	after, err := selfTime()
	return wall, after - before, err
}

func indexOnce(dir string, texts []article) (err error) {
	queue := api.NewAnalysisQueue(min(runtime.GOMAXPROCS(0), 4))
	defer queue.Close()
	index, err := scorch.NewScorch(scorch.Name, map[string]any{"path": dir, "unsafe_batch": true}, queue)
	if err != nil {
		return err
	}
	if err := index.Open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	const many = 500
	for from := 0; from < len(texts); from += many {
		batch := api.NewBatch()
		for i, a := range texts[from:min(from+many, len(texts))] {
			batch.Update(a.document(from + i))
		}
		// A batch waits for the disk, so that they do not pile up in memory.
		persisted := make(chan error, 1)
		batch.SetPersistedCallback(func(err error) { persisted <- err })
		if err := index.Batch(batch); err != nil {
			return err
		}
		if err := <-persisted; err != nil {
			return err
		}
	}
	return nil
}

// document is an article with the fields that Alcove gives it.
func (a article) document(n int) *document.Document {
	d := document.NewDocument(string(binary.BigEndian.AppendUint64([]byte{1}, uint64(n))))
	text := func(field string, split analysis.Analyzer, s string) {
		d.AddField(document.NewTextFieldCustom(field, nil, []byte(s), api.IndexField|api.IncludeTermVectors, split))
	}
	exact := func(field, value string) {
		d.AddField(document.NewTextFieldCustom(field, nil, []byte(value), api.IndexField|api.SkipFreqNorm, nil))
	}
	doi := "10.5072/alcove." + strconv.Itoa(n)
	more := append([]string{doi + ".v1", a.Type, "CC BY 4.0", "Applied computing"}, a.Tags...)
	names := ""
	for _, p := range a.Authors {
		names += " " + p.Name
	}
	text("title", splitter{}, a.Title)
	text("description", splitter{}, strings.TrimSuffix(strings.TrimPrefix(a.Description, "<p>"), "</p>"))
	text("author", splitter{whole: true}, names)
	text("category", splitter{}, "Applied computing")
	text("more", splitter{}, strings.Join(more, " ")+names)
	for _, t := range a.Tags {
		exact("tag", t)
	}
	for field, value := range map[string]string{
		"kind": "article", "account": "1", "category_id": strconv.Itoa(category), "item_type": a.Type, "license": "1", "institution": "1", "group": "1",
	} {
		exact(field, value)
	}
	for _, day := range []string{"2026", "2026-11", "2026-11-21"} {
		exact("published", day)
	}
	exact("doi", doi)
	exact("doi", doi+".v1")
	return d
}

// splitter splits text into words, and into their stems unless they stay whole.
type splitter struct{ whole bool }

func (s splitter) Analyze(text []byte) (stream analysis.TokenStream) {
	env := snowballstem.NewEnv("")
	for i, w := range plain.FindAllString(strings.ToLower(string(text)), -1) {
		if !s.whole {
			env.SetCurrent(w)
			english.Stem(env)
			w = env.Current()
		}
		stream = append(stream, &analysis.Token{Term: []byte(w), Position: i + 1})
	}
	return stream
}
