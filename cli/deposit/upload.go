package deposit

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sort"
	"strings"
	"time"
)

// upload is one file of a line on its way.
type upload struct {
	line    string // id of the line
	article int64
	n       int // index in "files"
	local   localFile
	size    int64
	md5     string // lower-case hex
}

func (u *upload) path() string { return fmt.Sprintf("/account/articles/%d/files", u.article) }

// serverFile is what the server says of a file.
type serverFile struct {
	ID        int64       `json:"id"`
	Name      string      `json:"name"`
	Size      int64       `json:"size"`
	Status    string      `json:"status"`
	UploadURL string      `json:"upload_url"`
	Supplied  string      `json:"supplied_md5"`
	Computed  string      `json:"computed_md5"`
	Folder    shownFolder `json:"folder_path"`
	Link      bool        `json:"is_link_only"`
	reason    string      // why it failed, in the server's words
}

// shownFolder is the folder of a file, of which not every server tells.
type shownFolder struct {
	known bool
	path  string
}

// UnmarshalJSON takes null for no folder.
func (f *shownFolder) UnmarshalJSON(text []byte) error {
	f.known = true
	return json.Unmarshal(text, &f.path)
}

// is tells whether the file may be in a folder.
func (f shownFolder) is(folder string) bool {
	return !f.known || strings.Trim(f.path, "/") == strings.Trim(folder, "/")
}

// The states of a file on its way (facts of the public service; the failed
// states have no published names).
const (
	fileCreated   = "created"
	fileChecking  = "ic_checking"
	fileMoving    = "moving_to_final"
	fileAvailable = "available"
)

// file brings a file to the state "available" with an equal md5. Steps that the state file calls
// done are not checked again. An upload that was begun and not finished goes on; if the local
// file changed meanwhile, it is begun again.
func (d *depositor) file(ctx context.Context, u *upload) error {
	if d.state.entry(u.line).files[u.n].done {
		return nil
	}
	if u.md5 == "" {
		var err error
		if u.size, u.md5, err = digest(ctx, d.input.dir, u.local.path, nil); err != nil {
			return err
		}
	}
	for range 3 {
		if err := d.initiate(ctx, u); err != nil {
			return err
		}
		known := d.state.entry(u.line).files[u.n]
		if known.md5 != u.md5 || known.size != u.size {
			if err := d.drop(ctx, u, known.id); err != nil {
				return err
			}
			continue
		}
		f, err := d.api.file(ctx, u.path(), known.id)
		if notFound(err) {
			if err := d.state.append(record{Op: opFileGone, Line: u.line, N: u.n}); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		return d.transfer(ctx, u, f)
	}
	return errors.New("the server loses the file again and again")
}

// digest reads a file once for its size and md5.
func digest(ctx context.Context, in *Folder, path string, p *progress) (int64, string, error) {
	f, err := in.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := md5.New()
	size, err := io.Copy(h, stoppable{ctx, f, p})
	if err != nil {
		return 0, "", fmt.Errorf("cannot read it: %w", err)
	}
	return size, hex.EncodeToString(h.Sum(nil)), nil
}

// stoppable is a reader that ends when its context does.
type stoppable struct {
	ctx context.Context
	r   io.Reader
	p   *progress // nil where bytes are not shown
}

func (s stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(p)
	s.p.add(int64(n))
	return n, err
}

// initiate makes the file record on the server, unless there is one.
func (d *depositor) initiate(ctx context.Context, u *upload) error {
	return d.once(ctx, step{
		where: func() (bool, bool) {
			f := d.state.entry(u.line).files[u.n]
			return f.creating, f.id != 0
		},
		announce: func() record {
			return record{Op: opFile, Line: u.line, N: u.n, At: d.clock.now().UTC(), Name: u.local.name(), Size: u.size, MD5: u.md5, Folder: u.local.folder}
		},
		do: func(ctx context.Context) (record, error) {
			rec := record{Op: opFileCreated, Line: u.line, N: u.n}
			body, err := json.Marshal(struct {
				Name   string `json:"name"`
				Size   int64  `json:"size"`
				MD5    string `json:"md5"`
				Folder string `json:"folder_path,omitzero"`
			}{u.local.name(), u.size, u.md5, u.local.folder})
			if err != nil {
				return rec, fmt.Errorf("cannot encode the file: %w", err)
			}
			err = d.api.onceOnly(ctx, func() error {
				r, err := d.api.call(ctx, http.MethodPost, u.path(), body)
				if err == nil {
					rec.File, err = r.created()
				}
				return err
			})
			return rec, err
		},
		refused: record{Op: opFileGone, Line: u.line, N: u.n},
		resolve: func(ctx context.Context) error { return d.resolveFile(ctx, u) },
	})
}

// resolveFile looks in the article's list for a file that was announced and not
// confirmed: same name, size and md5, and not another file of the line.
func (d *depositor) resolveFile(ctx context.Context, u *upload) error {
	e := d.state.entry(u.line)
	sought := e.files[u.n]
	if err := d.waitUntilListed(ctx, sought.at); err != nil {
		return err
	}
	own := map[int64]bool{}
	for _, f := range e.files {
		own[f.id] = true
	}
	seen := map[int64]bool{}
	for page := 1; ; page++ {
		var list []serverFile
		if err := d.api.get(ctx, fmt.Sprintf("%s?page=%d&page_size=1000", u.path(), page), &list); err != nil {
			return fmt.Errorf("cannot find out whether the upload was begun: %w", err)
		}
		fresh := false // a server without pages gives the same list again
		for _, f := range list {
			fresh = fresh || !seen[f.ID]
			seen[f.ID] = true
			if !own[f.ID] && f.Name == sought.name && f.Size == sought.size && strings.EqualFold(f.Supplied, sought.md5) && f.Folder.is(u.local.folder) {
				return d.state.append(record{Op: opFileCreated, Line: u.line, N: u.n, File: f.ID})
			}
		}
		if !fresh {
			return d.state.append(record{Op: opFileGone, Line: u.line, N: u.n})
		}
	}
}

// drop removes a file that is of no use from the article.
func (d *depositor) drop(ctx context.Context, u *upload, id int64) error {
	err := d.api.repeat(ctx, func(int) error {
		_, err := d.api.call(ctx, http.MethodDelete, fmt.Sprintf("%s/%d", u.path(), id), nil)
		return err
	})
	if err != nil && !notFound(err) {
		return fmt.Errorf("cannot remove its unfinished upload: %w", err)
	}
	return d.state.append(record{Op: opFileGone, Line: u.line, N: u.n})
}

// transfer sends what the server lacks of a file and waits for its verdict. A
// file that the server refuses is removed again, so that the next run starts it
// afresh.
func (d *depositor) transfer(ctx context.Context, u *upload, f serverFile) error {
	var err error
	if f.Status == fileCreated {
		if err := d.send(ctx, u, f); err != nil {
			return err
		}
	}
	if f, err = d.await(ctx, u, f.ID); err != nil {
		return err
	}
	var bad error
	switch {
	case f.Status != fileAvailable && f.Status != "":
		bad = fmt.Errorf("the server gave it the status %q", clean(f.Status))
	case f.Computed != "" && !strings.EqualFold(f.Computed, u.md5):
		bad = fmt.Errorf("the server computed the md5 %s, it is %s here", clean(f.Computed), u.md5)
	case f.Size != u.size:
		bad = fmt.Errorf("the server has %d bytes, it is %d here", f.Size, u.size)
	}
	if bad == nil {
		return d.state.append(record{Op: opFileDone, Line: u.line, N: u.n})
	}
	if f.reason != "" {
		bad = fmt.Errorf("%w: %s", bad, f.reason)
	}
	if err := d.drop(ctx, u, f.ID); err != nil {
		return fmt.Errorf("%w; %w", bad, err)
	}
	return bad
}

// await polls the file until it is available or has failed.
func (d *depositor) await(ctx context.Context, u *upload, id int64) (serverFile, error) {
	// The integrity check reads every byte: ten minutes and a second for 10 MiB.
	patience := 10*time.Minute + time.Duration(u.size/(10<<20))*time.Second
	pause := 10 * time.Millisecond
	for start := d.clock.now(); ; {
		f, err := d.api.file(ctx, u.path(), id)
		if err != nil {
			return f, err
		}
		waited := d.clock.now().Sub(start)
		switch f.Status {
		case fileCreated:
			if waited > time.Minute {
				return f, errors.New("the server does not take the upload as complete")
			}
		case fileChecking, fileMoving:
			if waited > patience {
				return f, fmt.Errorf("the server still calls it %q after %s", f.Status, waited.Round(time.Second))
			}
		case "":
			if f.Computed != "" {
				return f, nil
			}
			if waited > patience {
				return f, errors.New("the server does not say what became of it")
			}
		default:
			return f, nil
		}
		if err := d.clock.sleep(ctx, pause); err != nil {
			return f, err
		}
		pause = min(pause*3/2, 5*time.Second)
	}
}

// file reads a file record.
func (c *client) file(ctx context.Context, path string, id int64) (serverFile, error) {
	var raw json.RawMessage
	if err := c.get(ctx, fmt.Sprintf("%s/%d", path, id), &raw); err != nil {
		return serverFile{}, err
	}
	var f serverFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, fmt.Errorf("the server's file record is not as expected: %w", err)
	}
	f.ID = id
	f.reason = clean(reason(raw))
	return f, nil
}

// reason collects what a record says about a failure. No source names the field,
// so every text whose name speaks of a reason, an error or a message counts.
func reason(raw json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return ""
	}
	var said []string
	for name, value := range fields {
		var text string
		if json.Unmarshal(value, &text) != nil || text == "" {
			continue
		}
		for _, word := range []string{"reason", "error", "message"} {
			if strings.Contains(name, word) {
				said = append(said, text)
				break
			}
		}
	}
	sort.Strings(said)
	return strings.Join(said, "; ")
}
