package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// alcove is a server under test, and what was learned of it before the rounds.
type alcove struct {
	*server
	data  string
	more  []string // what serve is told besides the usual
	token string   // of the account that has all items
	ids   []int64  // of public articles, the newest first
	deep  string   // X-Cursor of a page near the end
	tag   string   // ETag of the article ids[0]
	full  int      // bytes of the full JSON of an article, on average
	year  string   // in which ids[0] was published

	answers map[string]answer // "list", the first page of ten; "article", ids[0]; "304", not modified
	readies []float64         // ms from each start to the first good answer
	idle    int64             // bytes of RssAnon a second after the last start
}

// address is that of the repository whenever it is loaded or served: under another one its
// stored answers would be made again.
const address = "https://repository.example.org"

// loadAlcove fills DIR/data from DIR/items.jsonl unless that was done before. It returns
// how long it took, 0 when it was there.
func loadAlcove(ctx context.Context, dir, program string) (time.Duration, error) {
	data, token := filepath.Join(dir, "data"), filepath.Join(dir, "token")
	if _, err := os.Stat(token); err == nil {
		return 0, nil
	}
	if err := os.RemoveAll(data); err != nil {
		return 0, fmt.Errorf("cannot begin the data directory again: %w", err)
	}
	id, secret, err := newRepository(ctx, dir, data, program)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	if _, err := command(ctx, dir, program, "import", "--data", data, "--account", id, "--base-url", address, filepath.Join(dir, "items.jsonl")); err != nil {
		return 0, err
	}
	took := time.Since(begin)
	// The token is the sign that everything is there.
	if err := os.WriteFile(token, []byte(secret), 0o600); err != nil {
		return 0, fmt.Errorf("cannot keep the token: %w", err)
	}
	return took, nil
}

// newRepository makes a data directory with one account, and returns its id and a token.
func newRepository(ctx context.Context, dir, data, program string) (id, token string, err error) {
	_ = os.Remove(data + ".toml") // of one that was removed
	if _, err = command(ctx, dir, program, "init", "--data", data, "--config", data+".toml"); err != nil {
		return "", "", err
	}
	id, err = command(ctx, dir, program, "account", "add", "--data", data, "--email", "bench@example.org", "--first-name", "Bench", "--last-name", "Mark")
	if err != nil {
		return "", "", err
	}
	id = strings.TrimSpace(id)
	token, err = command(ctx, dir, program, "token", "add", "--data", data, "--account", id)
	return id, strings.TrimSpace(token), err
}

// startAlcove serves a copy of a loaded corpus, so that writing leaves the corpus as it is.
// With inPlace it serves the corpus itself. It starts once until the index is complete, and
// then, so that nothing is left to do, some times more to see how soon it is ready; between
// them, the data directory is shown. The access log goes to a file.
func startAlcove(ctx context.Context, name, run, corpus, program string, cert *certificate, inPlace bool, show func(*alcove) error, more ...string) (*alcove, error) {
	a := &alcove{more: more, data: filepath.Join(run, name)}
	if inPlace {
		a.data = filepath.Join(corpus, "data")
	} else if _, err := command(ctx, run, "cp", "-a", "--reflink=auto", filepath.Join(corpus, "data"), a.data); err != nil {
		return nil, err
	}
	token, err := os.ReadFile(filepath.Join(corpus, "token"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the token: %w", err)
	}
	a.token = string(token)
	if err := a.serve(ctx, name, run, program, cert); err != nil {
		return nil, err
	}
	if err = a.waitIndexed(ctx); err == nil {
		err = a.done(ctx) // documents of another version are rendered again
	}
	a.stop()
	if err == nil {
		err = show(a)
	}
	if err != nil {
		return nil, err
	}
	for range starts {
		a.stop()
		if err := a.serve(ctx, name, run, program, cert); err != nil {
			return nil, err
		}
		a.readies = append(a.readies, a.ready.Seconds()*1000)
	}
	time.Sleep(time.Second)
	if a.idle, err = rssAnon(a.pid()); err == nil {
		err = a.done(ctx)
	}
	return a, err
}

// done waits until all is done that a start leaves to do: ten seconds after it documents are looked for that were
// rendered by another version.
func (a *alcove) done(ctx context.Context) error {
	time.Sleep(renders)
	return idle(ctx, a.server, time.Hour)
}

const (
	starts  = 5
	renders = 12 * time.Second // after a start: when a server has begun to look for documents to render
)

func (a *alcove) serve(ctx context.Context, name, run, program string, cert *certificate) error {
	listen, err := freeAddress()
	if err != nil {
		return err
	}
	args := []string{"serve", "--data", a.data, "--listen", listen, "--base-url", address, "--log-format", "json", "--account-quota", "0",
		"--check-every", "0"} // once a month all that is stored is read, and the first time a minute after a start
	args = append(args, a.more...)
	if cert == nil {
		args = append(args, "--tls", "off")
	} else {
		args = append(args, "--tls", "files", "--tls-cert", cert.cert, "--tls-key", cert.key)
	}
	a.server, err = startServer(ctx, run, name, listen, "/readyz", cert != nil, program, args...)
	return err
}

// waitIndexed waits until searches see everything. A search waits for the index itself, but
// not for as long as a new one takes.
func (a *alcove) waitIndexed(ctx context.Context) error {
	ask := post("/v2/articles/search", "", `{"search_for": "settled", "page_size": 1}`)
	for deadline := time.Now().Add(time.Hour); ; {
		got, err := a.ask(ask)
		if err != nil {
			return err
		}
		if got.status == 200 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s does not answer a search after an hour: %s", a.name, got.body)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// get is the answer to a GET that must succeed.
func (a *alcove) get(target, header string) (answer, error) {
	got, err := a.ask(get(target, header))
	if err == nil && got.status != 200 {
		err = fmt.Errorf("%s answered %d to %s: %s", a.name, got.status, target, got.body)
	}
	return got, err
}

const pageTarget = "/v2/articles?page_size=10"

// explore walks the public list by cursor until a few pages before its end, noting ids, and
// takes the answers that the bare server will give.
func (a *alcove) explore(items int) error {
	size := min(1000, items/20)
	for cursor := ""; len(a.ids) < items-2*size; cursor = "X-Cursor: " + a.deep + "\r\n" {
		page, err := a.get(fmt.Sprintf("/v2/articles?page_size=%d", size), cursor)
		if err != nil {
			return err
		}
		var list []struct{ ID int64 }
		if err := json.Unmarshal(page.body, &list); err != nil {
			return fmt.Errorf("cannot read a page: %w", err)
		}
		if len(list) == 0 {
			return fmt.Errorf("%s has only %d public articles, not %d", a.name, len(a.ids), items)
		}
		for _, item := range list {
			a.ids = append(a.ids, item.ID)
		}
		a.deep = page.header.Get("X-Cursor")
	}
	const several = 50
	for i := range several {
		one, err := a.get(fmt.Sprintf("/v2/articles/%d", a.ids[i*(len(a.ids)-1)/several]), "")
		if err != nil {
			return err
		}
		a.full += len(one.body)
	}
	a.full /= several
	return a.capture()
}

// capture takes the answers that the bare server will give.
func (a *alcove) capture() error {
	list, err := a.get(pageTarget, "")
	if err != nil {
		return err
	}
	target := fmt.Sprintf("/v2/articles/%d", a.ids[0])
	one, err := a.get(target, "")
	if err != nil {
		return err
	}
	var dated struct {
		Date string `json:"published_date"`
	}
	if err := json.Unmarshal(one.body, &dated); err != nil || len(dated.Date) < 4 {
		return fmt.Errorf("cannot tell when an article was published (%w): %s", err, one.body)
	}
	a.tag, a.year = one.header.Get("Etag"), dated.Date[:4]
	same, err := a.ask(get(target, a.known()))
	if err == nil && same.status != 304 {
		err = fmt.Errorf("%s answered %d to what it has sent before", a.name, same.status)
	}
	a.answers = map[string]answer{"list": list, "article": one, "304": same}
	return err
}

// captureCreate makes a draft, for the answer to it.
func (a *alcove) captureCreate(texts drafts) error {
	made, err := a.ask(post("/v2/account/articles", a.signed(), texts.text(serial.Add(1), "")))
	if err == nil && made.status != 201 {
		err = fmt.Errorf("%s answered %d to a new article: %s", a.name, made.status, made.body)
	}
	a.answers["created"] = made
	return err
}

// known is the header of who has the article ids[0] already.
func (a *alcove) known() string { return "If-None-Match: " + a.tag + "\r\n" }

func (a *alcove) signed() string { return "Authorization: token " + a.token + "\r\n" }
