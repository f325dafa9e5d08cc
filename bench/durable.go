package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
)

// durable is what storing something over HTTP costs every Go server at least: a handler
// reads the body, decodes its JSON, appends it to a file, waits until the file is synced,
// and answers as Alcove does to a create. All that came while the last sync was under way
// share the next one. It validates nothing, keeps no keys and indexes no words.
type durable struct {
	file   *os.File
	answer *kept
	bodies chan waiting
}

// waiting is a body, and the channel that tells that it is on the disk.
type waiting struct {
	body []byte
	done chan error
}

// newDurable writes to a new file at path, for as long as the process lives.
func newDurable(path string, answer *kept) (*durable, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot keep what is posted: %w", err)
	}
	d := &durable{f, answer, make(chan waiting, 1024)}
	go d.write() // ends with the process
	return d, nil
}

func (d *durable) write() {
	var all []byte
	var told []chan error
	for first := range d.bodies {
		all, told = append(all[:0], first.body...), append(told[:0], first.done)
	more:
		for {
			select {
			case w := <-d.bodies:
				all, told = append(all, w.body...), append(told, w.done)
			default:
				break more
			}
		}
		_, err := d.file.Write(all)
		if err == nil {
			err = syscall.Fdatasync(int(d.file.Fd()))
		}
		for _, c := range told {
			c <- err
		}
	}
}

var answered = sync.Pool{New: func() any { return make(chan error, 1) }}

func (d *durable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	var a article
	if err == nil {
		err = json.Unmarshal(body, &a)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	done := answered.Get().(chan error)
	defer answered.Put(done)
	d.bodies <- waiting{body, done}
	if err := <-done; err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	d.answer.whole(w, r)
}

// drafts make the text of a create from items that were written as JSON once, so that
// the client takes little of the processors which it shares with the servers.
type drafts [][2]string // what stands before and after the beginning of the title

const titleMark = "\x01"

// draftsOf are some items of a corpus.
func draftsOf(corpus string) (drafts, error) {
	var items []article
	err := each(corpus, 1000, func(_ int, a article) error {
		items = append(items, a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return newDrafts(items)
}

// newDrafts are the items without what only an import may say.
func newDrafts(items []article) (drafts, error) {
	var list drafts
	for _, a := range items {
		a.Key, a.Publish, a.Title = "", false, titleMark+a.Title
		text, err := json.Marshal(a)
		if err != nil {
			return nil, fmt.Errorf("cannot write an item: %w", err)
		}
		before, after, ok := strings.Cut(string(text), `\u0001`)
		if !ok || bytes.Contains([]byte(after), []byte(`\u0001`)) {
			return nil, fmt.Errorf("cannot find where the title of %q begins", a.Title)
		}
		list = append(list, [2]string{before, after})
	}
	return list, nil
}

// text is the n-th draft, with a word and its number before its title.
func (d drafts) text(n int64, word string) string {
	t := d[int(n)%len(d)]
	return fmt.Sprintf("%s%s %d %s", t[0], word, n, t[1])
}
