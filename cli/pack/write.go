// Package pack keeps an item of a repository in one file, with all its public versions: a bag (BagIt 1.0, RFC 8493) in a
// zip, from which it can be loaded into another repository, and which a person can read without any.
//
//	article-7/bagit.txt, bag-info.txt
//	          manifest-sha256.txt, manifest-md5.txt          sums of all below data
//	          tagmanifest-sha256.txt, tagmanifest-md5.txt    sums of all besides data and themselves
//	          data/item.json                                 the item as a line of "alcove import"
//	          data/files/SHA256                              bytes of files, each sequence once
//	          metadata/v1/article.json, datacite.xml         each version as the repository has it
//
// The paths of files in item.json are relative to data. The zip stores its members as they are, with the time at which the
// item last changed, so that the same item makes the same bytes.
package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"alcove/cli/fetch"
	"alcove/handlers/bags/bagit"
)

// Folders of a package below its top folder, and the ends of names beside a package that is being written.
const (
	filesFolder = "data/files/"
	itemPath    = "data/item.json"

	halfEnd  = ".half"  // the package
	spoolEnd = ".spool" // the file that is being read
)

// Source is where an item comes from.
type Source interface {
	Open(ctx context.Context, f fetch.File) (io.ReadCloser, error)
	Text(ctx context.Context, address, media string) ([]byte, error)
}

// Name is the name of the file of an item.
func Name(it *fetch.Item) string { return it.Kind() + "-" + it.Name + ".zip" }

// Write makes the package of an item in a directory. A name is taken only by what is complete and on the disk: until then it
// has another one, and what an earlier run left under that is replaced.
func Write(ctx context.Context, dir *os.Root, name string, it *fetch.Item, from Source) (err error) {
	half, err := create(dir, name+halfEnd)
	if err != nil {
		return err
	}
	spool, err := create(dir, name+spoolEnd)
	if err != nil {
		return errors.Join(err, half.Close())
	}
	defer func() {
		spool.Close()
		half.Close()
		dir.Remove(name + spoolEnd)
		dir.Remove(name + halfEnd) // it was renamed, unless something failed
	}()
	stamp, _ := time.Parse(time.RFC3339, it.Latest().Modified)
	w := &writer{bag: newBag(half, it.Kind()+"-"+it.Name+"/", stamp), spool: spool, paths: map[string]string{}, there: map[string]bool{}}
	if err := w.item(ctx, it, from); err != nil {
		return err
	}
	if err := half.Sync(); err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	if err := dir.Rename(name+halfEnd, name); err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	return syncNames(dir)
}

func create(dir *os.Root, name string) (*os.File, error) {
	if err := dir.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("cannot write %s: %w", name, err)
	}
	f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", name, err)
	}
	return f, nil
}

func syncNames(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// writer writes a package.
type writer struct {
	bag   *bag
	spool *os.File
	paths map[string]string // by the id and the checksum of a file: where its bytes are
	there map[string]bool   // such places
}

// item writes all of an item.
func (w *writer) item(ctx context.Context, it *fetch.Item, from Source) error {
	if err := w.bag.text("bagit.txt", []byte(bagit.Declaration)); err != nil {
		return err
	}
	for i := range it.Versions {
		for _, f := range it.Versions[i].Files {
			if f.Link != "" {
				continue
			}
			if err := w.file(ctx, f, from); err != nil {
				return fmt.Errorf("file %q of version %d: %w", f.Name, it.Versions[i].Number, err)
			}
		}
	}
	line, err := it.Line(func(f fetch.File) string { return w.paths[same(f)][len("data/"):] })
	if err != nil {
		return err
	}
	if err := w.bag.text(itemPath, line); err != nil {
		return err
	}
	for i := range it.Versions {
		if err := w.describe(ctx, it, &it.Versions[i], from); err != nil {
			return err
		}
	}
	return w.bag.finish(about(it))
}

// same names the bytes of a file. The id alone is not trusted to.
func same(f fetch.File) string { return f.ID + "/" + f.Sum + "/" + strconv.FormatInt(f.Size, 10) }

// file reads a file that no earlier version had, and stores its bytes unless they are there. They are read whole before any
// of them is stored, so that what breaks off leaves nothing.
func (w *writer) file(ctx context.Context, f fetch.File, from Source) error {
	if w.paths[same(f)] != "" {
		return nil
	}
	if err := w.spool.Truncate(0); err != nil {
		return err
	}
	if _, err := w.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	r, err := from.Open(ctx, f)
	if err != nil {
		return err
	}
	defer r.Close()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(w.spool, sum), r)
	if err != nil {
		return err
	}
	path := filesFolder + hex.EncodeToString(sum.Sum(nil))
	w.paths[same(f)] = path
	if w.there[path] {
		return nil
	}
	w.there[path] = true
	return w.bag.add(path, io.NewSectionReader(w.spool, 0, size))
}

// describe stores what readers without this program take a version from.
func (w *writer) describe(ctx context.Context, it *fetch.Item, v *fetch.Version, from Source) error {
	folder := fmt.Sprintf("metadata/v%d/", v.Number)
	if err := w.bag.text(folder+it.Kind()+".json", v.Document); err != nil {
		return err
	}
	if v.Export == "" {
		return nil
	}
	text, err := from.Text(ctx, v.Export, "application/vnd.datacite.datacite+xml")
	if fetch.Gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return w.bag.text(folder+"datacite.xml", text)
}

// about is what bag-info.txt says of an item.
func about(it *fetch.Item) []bagit.Field {
	v := it.Latest()
	list := []bagit.Field{{Label: "External-Description", Value: v.Title}}
	if t, err := time.Parse(time.RFC3339, v.Modified); err == nil {
		list = append(list, bagit.Field{Label: "Bagging-Date", Value: t.UTC().Format(time.DateOnly)})
	}
	if v.DOI != "" {
		list = append(list, bagit.Field{Label: "External-Identifier", Value: "https://doi.org/" + v.DOI})
	}
	if v.Handle != "" {
		list = append(list, bagit.Field{Label: "External-Identifier", Value: "https://hdl.handle.net/" + v.Handle})
	}
	return append(list, bagit.Field{Label: "Internal-Sender-Identifier", Value: it.Origin})
}
