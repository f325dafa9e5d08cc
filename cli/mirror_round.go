package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/cli/backup"
	"alcove/cli/fetch"
	"alcove/cli/load"
	"alcove/cli/operate"
	"alcove/cli/sentence"
	"alcove/handlers/items"
	"alcove/record"
)

// mirrorRound is what the mirrors of a round share.
type mirrorRound struct {
	job     *mirrorJob
	notes   *fetch.Notes
	whole   bool // nothing needs the notes any more
	servers map[mirrorTrust]*servers
}

// mirrorTrust is what clients of servers differ by besides their addresses.
type mirrorTrust struct {
	cacert string
	led    bool
}

func (m *mirrorRound) close() {
	m.notes.Close(m.whole)
	for _, s := range m.servers {
		s.close()
	}
}

// read reads a mirror, loads what is new, and notes what is shown of it. It returns why the mirror is not fresh, "" for one
// that is. The error is about the store.
func (m *mirrorRound) read(ctx context.Context, mirror record.Mirror) (failure string, err error) {
	look := operate.Look{Brought: map[string]bool{}}
	var said bytes.Buffer
	look.Gone, look.Failed = m.try(ctx, mirror, look.Brought, &said)
	var store *storeError
	if ctx.Err() != nil || errors.As(look.Failed, &store) {
		return "", look.Failed
	}
	if look.Failed != nil {
		if look.Gone {
			look.Failed = fmt.Errorf("it is not public there any more, and not shown below /mirror; the item here stays: %w", look.Failed)
		}
		look.Failed = errors.New(briefly(said.String() + sentence.Of(look.Failed)))
		failure = look.Failed.Error()
	}
	if err := operate.NoteLook(ctx, m.job.s.db, mirror.Address, look); err != nil {
		return "", err
	}
	return failure, nil
}

// briefly is text of several lines, which may be another server's, in one line of at most 2,000 bytes.
func briefly(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
	if len(text) > 2000 {
		text = strings.ToValidUTF8(text[:2000], "") + "…"
	}
	return text
}

// try takes the item of a mirror, with the articles of a collection.
func (m *mirrorRound) try(ctx context.Context, mirror record.Mirror, brought map[string]bool, said *bytes.Buffer) (gone bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot go on with it: panic: %v", p)
			m.job.s.log.Error("panic in the background", "work", "mirrors", "address", mirror.Address, "panic", p)
		}
	}()
	s := m.job.s
	loader, err := load.NewLoader(s.api, strconv.FormatInt(mirror.Account, 10), s.Config.DOI.TakenOver...)
	if err != nil {
		return false, err
	}
	ref, err := fetch.ParseRef(mirror.Address)
	if err != nil {
		return false, err
	}
	client, err := m.client(ctx, mirror, ref)
	if err != nil {
		return false, err
	}
	p := &puller{
		Options: load.Options{Loader: loader, Grows: true, AcceptWarnings: mirror.AcceptWarnings, Out: said},
		files:   fetch.Files{Blobs: s.blobs, Notes: m.notes, Room: s.roomToLoad},
		done:    map[string]error{},
	}
	p.loaded = func(ctx context.Context, client *fetch.Client, it *fetch.Item) error {
		now, shown, err := s.mirrored(loader, ref, it)
		if err == nil && shown {
			brought[now.Key()] = true
			err = operate.StoreMirrored(ctx, s.db, mirror.Address, now)
		}
		if err != nil {
			return &storeError{err}
		}
		return nil
	}
	before := client.Fetched()
	defer func() {
		m.job.note(func(r *mirrorReport) {
			r.Loaded, r.Already, r.Bytes = r.Loaded+p.sum.Loaded, r.Already+p.sum.Already, r.Bytes+client.Fetched()-before
		})
		if p.sum.Loaded > 0 {
			s.api.Jobs.EndEmbargoesSoon() // an item may have brought one along
		}
	}()
	it, err := client.Read(ctx, ref)
	if err != nil {
		return fetch.Unknown(err), err
	}
	if err = p.take(ctx, client, ref, it); err == nil && p.sum.Refused > 0 {
		err = errors.New("it was refused")
	}
	return false, err
}

// client is the client of the server of a mirror, which the others of the round use too.
func (m *mirrorRound) client(ctx context.Context, mirror record.Mirror, ref fetch.Ref) (*fetch.Client, error) {
	trust := mirrorTrust{mirror.CACert, mirror.Led}
	s := m.servers[trust]
	if s == nil {
		s = &servers{clients: map[string]*fetch.Client{}}
		s.CACert, s.Led = trust.cacert, trust.led
		m.servers[trust] = s
	}
	return s.client(ctx, ref.Base)
}

// roomToLoad is how many bytes the disk may still take.
func (s *Server) roomToLoad() (int64, error) {
	if s.uploads == nil { // no server runs
		free, err := backup.FreeBytes(s.Config.Data)
		return free - s.Config.DiskReserve, err
	}
	free, err := s.uploads.Free()
	return free - s.api.DiskReserve(), err
}

// mirrored is what another repository shows of an item that is here now. It is not shown of one whose server has another API
// than that of figshare.
func (s *Server) mirrored(l *load.Loader, ref fetch.Ref, it *fetch.Item) (now operate.MirroredNow, shown bool, err error) {
	host, id := ref.MirrorHost(), int64(0)
	if host == "" {
		return now, false, nil
	}
	if id, err = strconv.ParseInt(it.Name, 10, 64); err != nil {
		return now, false, err
	}
	latest := it.Latest()
	now = operate.MirroredNow{Editions: map[int64]record.MirroredVersion{}, Files: map[int64]record.MirroredFile{}}
	now.Mirrored = record.Mirrored{Host: host, Kind: it.Kind() + "s", ID: id, Latest: latest.Number, Versions: it.Listed, Published: publishedAt(latest)}
	for _, m := range it.Members {
		now.Members = append(now.Members, m.ID)
	}
	err = s.db.View(func(tx *bucket.Tx) error {
		became, err := l.Became(tx, it.Origin)
		if err != nil {
			return err
		}
		now.Item = became.ArticleID + became.CollectionID
		for i := range it.Versions {
			v := &it.Versions[i]
			shown := record.MirroredVersion{Document: v.Document}
			if !it.Collection {
				if shown.Files, err = filesHere(tx, became.ArticleID, v, now.Files); err != nil {
					return err
				}
			}
			now.Editions[v.Number] = shown
		}
		return nil
	})
	return now, err == nil, err
}

// publishedAt is when a version was published, by which lists are sorted.
func publishedAt(v *fetch.Version) time.Time {
	var said struct {
		Published string `json:"published_date"`
	}
	if json.Unmarshal(v.Document, &said) != nil {
		return time.Time{}
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(form, said.Published); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// filesHere finds the files of a version among those that it has here, and puts them into files by their ids there. It returns
// these, in the order of the repository.
func filesHere(tx *bucket.Tx, article int64, v *fetch.Version, files map[int64]record.MirroredFile) (list []int64, err error) {
	type place struct {
		folder, name, link, md5 string
		size                    int64
	}
	here, err := published.ArticleVersions.Get(tx, bucket.Pair{A: article, B: v.Number})
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil // it was withdrawn here
	}
	if err != nil {
		return nil, err
	}
	ids := map[place][]int64{}
	for f, err := range items.FilesOf(tx, here) {
		if err != nil {
			return nil, err
		}
		at := place{f.Folder, f.Name, "", f.MD5, f.Size}
		if f.Link != "" {
			at = place{folder: f.Folder, link: f.Link}
		}
		ids[at] = append(ids[at], f.ID)
	}
	for _, f := range v.Files {
		at := place{f.Folder, f.Name, "", f.Sum, f.Size}
		if f.Link != "" {
			at = place{folder: f.Folder, link: f.Link}
		}
		there, err := strconv.ParseInt(f.ID, 10, 64)
		if err != nil || len(ids[at]) == 0 {
			continue
		}
		files[there] = record.MirroredFile{Here: ids[at][0], Document: f.Document}
		list, ids[at] = append(list, there), ids[at][1:]
	}
	return list, nil
}
