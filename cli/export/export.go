// Package export writes articles and collections into folders that can be read without the program, and taken back by
// "alcove import":
//
//	README.txt                        what is what
//	account-2/account.json            whose the items are
//	account-2/items.jsonl             the items as lines of "alcove import"
//	account-2/article-7/manifest-sha256.txt
//	                                  sums of all below, as sha256sum -c reads them; it is written last
//	          v1/metadata.json        a version as the API has it
//	          v1/datacite.xml         the same as DataCite 4
//	          v1/articles.json        members of a collection
//	          v1/files/…              files under their own names, in their folders
//	          draft/…                 the working copy, where it says more than the latest version
//
// An item is written under another name and gets its own when it is whole; one that is there and is the same is left
// alone. So a run that was ended at any moment can be repeated.
package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"

	"alcove/blobs/archive"
	"alcove/cli/fetch"
	"alcove/cli/sentence"
	"alcove/handlers"
)

const (
	manifest = "manifest-sha256.txt"
	lines    = "items.jsonl"
	newEnd   = ".new" // of what is not whole
)

// Options say what is written, from where, and to where.
type Options struct {
	Ask      func(ctx context.Context, q handlers.ExportQuery) (handlers.ItemExport, error)
	Blob     func(sha256 string) (io.ReadCloser, error)
	Accounts map[int64]any // what is told of each
	Account  int64         // whose items, 0 for those of all
	Group    int64         // of which group and those below it, 0 for all
	Dir      *os.Root
	Tell     func(text string) // of an item, or of what was left out
}

// Summary counts items.
type Summary struct{ Written, There, Failed int }

// Run writes the items. One that fails is told, and the others go on.
func Run(ctx context.Context, o Options) (sum Summary, err error) {
	if err := claim(o.Dir); err != nil {
		return sum, err
	}
	x := &writer{Options: o, begun: map[int64]bool{}}
	q := handlers.ExportQuery{Account: o.Account, Group: o.Group}
	for more := true; more; {
		list, err := o.Ask(ctx, q)
		if err != nil {
			return sum, err
		}
		for _, item := range list.Items {
			if ctx.Err() != nil {
				return sum, fmt.Errorf("stopped; the same command goes on where this one ended: %w", ctx.Err())
			}
			there, err := x.item(ctx, item)
			switch {
			case errors.Is(err, errStore):
				return sum, err
			case err != nil && ctx.Err() == nil:
				sum.Failed++
				o.Tell(fmt.Sprintf("%s: %s", folderOf(item), sentence.Of(err)))
			case err == nil && there:
				sum.There++
			case err == nil:
				sum.Written++
				o.Tell(folderOf(item))
			}
		}
		if more = list.Next != nil; more {
			q.After = *list.Next
		}
	}
	if ctx.Err() != nil {
		return sum, fmt.Errorf("stopped; the same command goes on where this one ended: %w", ctx.Err())
	}
	for account := range x.begun {
		name := path.Join(accountFolder(account), lines)
		if err := o.Dir.Rename(name+newEnd, name); err != nil {
			return sum, fmt.Errorf("cannot write %s: %w", name, err)
		}
	}
	return sum, nil
}

// errStore marks what no other item would be written after, either: the folder cannot be written.
var errStore = errors.New("cannot write")

// claim makes the folder ours, unless it has other things in it.
func claim(dir *os.Root) error {
	was, err := dir.ReadFile("README.txt")
	if err == nil && bytes.HasPrefix(was, []byte(readMe[:40])) {
		return dir.WriteFile("README.txt", []byte(readMe), 0o600)
	}
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	if names, _ := d.Readdirnames(1); len(names) > 0 {
		return errors.New("the folder has other things in it: give an empty one, or one of an earlier export")
	}
	return dir.WriteFile("README.txt", []byte(readMe), 0o600)
}

func accountFolder(id int64) string { return "account-" + strconv.FormatInt(id, 10) }

func folderOf(i handlers.ExportedItem) string {
	return accountFolder(i.Account) + "/" + i.Kind + "-" + strconv.FormatInt(i.ID, 10)
}

// writer writes items.
type writer struct {
	Options
	begun map[int64]bool // accounts of which items were written
}

// item writes an item with the line that takes it back, and tells whether it was there.
func (x *writer) item(ctx context.Context, i handlers.ExportedItem) (there bool, err error) {
	head, err := x.Ask(ctx, handlers.ExportQuery{ExportedItem: i})
	if err != nil {
		return false, err
	}
	it := &fetch.Item{Collection: i.Kind == "collection", Name: strconv.FormatInt(i.ID, 10), Origin: head.Address}
	f := folder{paths: map[string]string{}}
	add := func(name string, number int64, v *handlers.ExportedVersion) error {
		version, err := f.version(name, it.Collection, v)
		if err != nil {
			return err
		}
		version.Number = number
		it.Versions = append(it.Versions, version)
		it.Members = it.Members[:0]
		for _, m := range v.Members {
			it.Members = append(it.Members, fetch.Member{ID: m.ID, Origin: m.Address, DOI: m.DOI})
		}
		return nil
	}
	for _, n := range head.Numbers {
		piece, err := x.Ask(ctx, handlers.ExportQuery{ExportedItem: i, Number: n})
		if err != nil {
			return false, fmt.Errorf("version %d: %w", n, err)
		}
		if err := add(fmt.Sprintf("v%d", n), n, piece.Version); err != nil {
			return false, err
		}
	}
	if len(head.Numbers) == 0 {
		err = add("draft", 0, head.Draft)
	} else if head.Draft != nil {
		_, err = f.version("draft", it.Collection, head.Draft)
	}
	if err != nil {
		return false, err
	}
	at := folderOf(i)
	place := func(file fetch.File) string { return path.Base(at) + "/" + f.paths[file.ID] }
	line, err := it.Line(place)
	if len(head.Numbers) == 0 {
		line, err = it.DraftLine(place)
	}
	if err != nil {
		return false, err
	}
	if err := x.begin(i.Account); err != nil {
		return false, err
	}
	for _, text := range f.left {
		x.Tell(at + ": " + text)
	}
	if there, err = x.folder(ctx, at, &f); err != nil {
		return false, err
	}
	return there, x.line(i.Account, line)
}

// begin makes the folder of an account.
func (x *writer) begin(account int64) error {
	if x.begun[account] {
		return nil
	}
	at := accountFolder(account)
	text, err := json.MarshalIndent(x.Accounts[account], "", "  ")
	if err != nil {
		return err
	}
	if err := errors.Join(x.Dir.MkdirAll(at, 0o700), x.Dir.WriteFile(at+"/account.json", append(text, '\n'), 0o600),
		x.Dir.WriteFile(at+"/"+lines+newEnd, nil, 0o600)); err != nil {
		return fmt.Errorf("%w %s: %w", errStore, at, err)
	}
	x.begun[account] = true
	return nil
}

// line adds the line of an item to those of its account.
func (x *writer) line(account int64, line []byte) error {
	f, err := x.Dir.OpenFile(accountFolder(account)+"/"+lines+newEnd, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.Write(line)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("%w %s: %w", errStore, lines, err)
	}
	return nil
}

// folder writes what an item has, unless it is there.
func (x *writer) folder(ctx context.Context, at string, f *folder) (there bool, err error) {
	sums := f.manifest()
	if was, err := x.Dir.ReadFile(at + "/" + manifest); err == nil && bytes.Equal(was, sums) {
		return true, nil
	}
	half := at + newEnd
	if err := x.Dir.RemoveAll(half); err != nil {
		return false, fmt.Errorf("%w %s: %w", errStore, half, err)
	}
	first := map[string]string{} // by their sums: where bytes are
	for _, e := range f.entries {
		name := half + "/" + e.path
		if err := x.Dir.MkdirAll(path.Dir(name), 0o700); err != nil {
			return false, fmt.Errorf("%w %s: %w", errStore, name, err)
		}
		if was, known := first[e.sha256]; known && x.Dir.Link(was, name) == nil {
			continue
		}
		if err := x.copy(ctx, name, e); err != nil {
			return false, err
		}
		first[e.sha256] = name
	}
	err = errors.Join(x.Dir.MkdirAll(half, 0o700), x.Dir.WriteFile(half+"/"+manifest, sums, 0o600), x.Dir.RemoveAll(at), x.Dir.Rename(half, at))
	if err != nil {
		return false, fmt.Errorf("%w %s: %w", errStore, at, err)
	}
	return false, nil
}

// copy writes a file, whose bytes must be those that the repository knows it by.
func (x *writer) copy(ctx context.Context, name string, e entry) (err error) {
	from := io.NopCloser(io.Reader(bytes.NewReader(e.text)))
	if e.blob {
		if from, err = x.Blob(e.sha256); err != nil {
			return fmt.Errorf("%s: its bytes cannot be read (alcove check tells more): %w", e.path, err)
		}
	}
	defer from.Close()
	to, err := x.Dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("%w %s: %w", errStore, name, err)
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, sum), &reader{ctx, from})
	if err = errors.Join(err, to.Close()); err != nil {
		var of *fs.PathError
		if errors.As(err, &of) && of.Op == "write" {
			return fmt.Errorf("%w %s: %w", errStore, name, err)
		}
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != e.sha256 {
		return fmt.Errorf("%s: its bytes are damaged in the repository: alcove check tells more", e.path)
	}
	return nil
}

// reader ends with its context.
type reader struct {
	ctx context.Context
	io.Reader
}

func (r *reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// entry is a file of the folder of an item.
type entry struct {
	path, sha256 string
	text         []byte
	blob         bool // its bytes are in the repository, and not in text
}

// folder is what the folder of an item has.
type folder struct {
	entries []entry
	paths   map[string]string // of files by their ids
	left    []string          // what is not in it
}

func (f *folder) manifest() []byte {
	var b bytes.Buffer
	for _, e := range f.entries {
		fmt.Fprintf(&b, "%s  %s\n", e.sha256, e.path)
	}
	return b.Bytes()
}

func (f *folder) text(path string, text []byte) {
	sum := sha256.Sum256(text)
	f.entries = append(f.entries, entry{path: path, sha256: hex.EncodeToString(sum[:]), text: text})
}

// version adds a version, and is that version as a line is made of it.
func (f *folder) version(name string, collection bool, v *handlers.ExportedVersion) (out fetch.Version, err error) {
	var readable bytes.Buffer
	if err := json.Indent(&readable, v.Document, "", "  "); err != nil {
		return out, fmt.Errorf("cannot write the metadata of %s: %w", name, err)
	}
	f.text(name+"/metadata.json", append(readable.Bytes(), '\n'))
	if v.DataCite != "" {
		f.text(name+"/datacite.xml", []byte(v.DataCite))
	}
	if collection {
		list, err := json.MarshalIndent(append([]handlers.ExportedMember{}, v.Members...), "", "  ")
		if err != nil {
			return out, err
		}
		f.text(name+"/articles.json", append(list, '\n'))
	}
	var entries []archive.Entry
	var whole []handlers.ExportedFile
	for _, file := range v.Files {
		if file.Link == "" && file.SHA256 == "" {
			f.left = append(f.left, fmt.Sprintf("%q is left out, as its upload is not complete", file.Name))
			continue
		}
		entries = append(entries, archive.Entry{Name: name + "/files/" + fitting(file.Folder) + "/" + fitting(file.Name)})
		whole = append(whole, file)
	}
	archive.Rename(entries)
	for i, file := range whole {
		if file.Link != "" {
			out.Files = append(out.Files, fetch.File{Name: file.Name, Folder: file.Folder, Link: file.Link})
			continue
		}
		id := strconv.FormatInt(file.ID, 10)
		if f.paths[id] == "" {
			f.paths[id] = entries[i].Name
		}
		f.entries = append(f.entries, entry{path: entries[i].Name, sha256: file.SHA256, blob: true})
		out.Files = append(out.Files, fetch.File{ID: id, Name: file.Name, Folder: file.Folder, Size: file.Size, Sum: file.MD5})
	}
	out.Document = v.Document
	return out, out.Describe()
}
