package handlers

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"strings"
	"time"

	"alcove/blobs"
	"alcove/blobs/archive"
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/working"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/jobs"
	"alcove/record"
)

// Everything of an item as one archive: the files that the
// single downloads give to the same caller, and no others. Links to files elsewhere are
// not in it. folder_path selects a folder with what is below it.

// PublicDownload is the archive of the latest public version of an article.
func (a *API) PublicDownload(c *endpoint.Call) (r endpoint.Reply, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		head, err := endpoint.PublicHead(tx, c.ID("id"), record.ErrArticleUnknown)
		if err != nil {
			return err
		}
		c.SetID("version", int64(head.Latest))
		r, err = a.versionDownload(c, tx)
		return err
	})
	return r, err
}

// PublicVersionDownload is the archive of a public version.
func (a *API) PublicVersionDownload(c *endpoint.Call) (r endpoint.Reply, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		r, err = a.versionDownload(c, tx)
		return err
	})
	return r, err
}

// ArticleDownload is the archive of a working copy, for its owner and the members of its
// project.
func (a *API) ArticleDownload(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, err := c.ReadArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return workingArchive(c, tx, art)
}

// RootDownload is PublicVersionDownload below the address of downloads:
// /articles/{id}/versions/{v}. Nothing else of this form is there.
func (a *API) RootDownload(c *endpoint.Call) (endpoint.Reply, error) {
	if c.Text("second") != "versions" || !c.Named("id", c.Text("first")) || !c.Named("version", c.Text("third")) {
		return endpoint.Reply{}, record.ErrNotFound
	}
	return a.PublicVersionDownload(c)
}

// LinkDownload is the archive of a working copy below the address of downloads, for its
// owner, the members of its project, and for who holds a private link to it: /articles/{id}?private_link=…
func (a *API) LinkDownload(c *endpoint.Call) (r endpoint.Reply, err error) {
	if !c.Named("id", c.Text("first")) {
		return endpoint.Reply{}, record.ErrNotFound
	}
	err = a.DB.View(func(tx *bucket.Tx) error {
		art, err := linkedArticle(c, tx)
		if err != nil {
			return err
		}
		r, err = workingArchive(c, tx, art)
		return err
	})
	return r, err
}

// linkedArticle is the article of the path when it is the caller's, when it reads it in a
// project, or when a private link opens its files to the caller.
func linkedArticle(c *endpoint.Call, tx *bucket.Tx) (*record.Article, error) {
	owner := working.ArticleOwners.Of(tx, c.ID("id"))
	linked := false
	if !c.Is(owner) {
		shared, err := c.Shares(tx, owner.In)
		if err != nil {
			return nil, err
		}
		if !shared {
			l, err := c.PresentedLink(tx, "articles")
			if err != nil {
				return nil, err
			}
			if l == nil || l.ItemID != c.ID("id") {
				return nil, record.ErrNotFound
			}
			linked, c.Anonymous = true, l.Anonymous
		}
	}
	art, err := working.Articles.Get(tx, c.ID("id"))
	switch {
	case errors.Is(err, bucket.ErrNotFound):
		return nil, record.ErrNotFound
	case err == nil && linked && art.DownloadDisabled:
		return nil, record.ErrDownloadDisabled
	}
	return art, err
}

// versionDownload is the archive of the public version of the path. Its owner gets it
// also when downloads are switched off, by the version itself or by the latest one. Of
// files under an embargo it is for those that the embargo lets in.
func (a *API) versionDownload(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	v, err := publicVersion(c, tx, record.ErrEntityVersion)
	if err != nil {
		return endpoint.Reply{}, err
	}
	head, err := endpoint.PublicHead(tx, v.ArticleID, record.ErrEntityVersion)
	if err != nil {
		return endpoint.Reply{}, err
	}
	asBag, err := asksForBag(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	disabled := v.DownloadDisabled || head.DownloadDisabled
	if disabled && !c.Owns(tx, v.ArticleID) {
		return endpoint.Reply{}, record.ErrDownloadDisabled
	}
	if v.HidesFiles() {
		in, err := letIn(c, tx, v)
		if err == nil && !in {
			err = record.ErrNoFiles
		}
		if err != nil {
			return endpoint.Reply{}, err
		}
		if asBag {
			return withheldBag(c, tx, v)
		}
		return withheldArchive(c, tx, v)
	}
	answer := a.versionArchive
	if asBag {
		answer = a.versionBag
	}
	r, err := answer(c, tx, v, !disabled)
	if err == nil && !disabled {
		r.Header = a.inItem(c, tx, v.ArticleID, int64(v.Version))
	}
	if err == nil && !disabled && !c.Owns(tx, v.ArticleID) {
		r.File.Count = jobs.Use{Item: bucket.Pair{A: record.KindArticle, B: v.ArticleID}, Download: true}
	}
	return r, err
}

// archiveBuilder gathers the files of an archive.
type archiveBuilder struct {
	folder  string // without slashes at its ends; empty for all
	entries []archive.Entry
	refs    []blobs.Ref
	sum     hash.Hash // of what decides about the bytes
	latest  time.Time // when the youngest of the files was made public, or made
}

func newArchiveBuilder(c *endpoint.Call) *archiveBuilder {
	folder, _ := c.Query.Find("folder_path")
	return &archiveBuilder{folder: strings.Trim(folder, "/"), sum: sha256.New()}
}

// add puts a whole file into the archive, unless it lies elsewhere or is not in the folder.
func (p *archiveBuilder) add(f *record.PublicFile) error {
	if f.Link != "" || p.folder != "" && f.Folder != p.folder && !strings.HasPrefix(f.Folder, p.folder+"/") {
		return nil
	}
	ref, err := blobs.ParseRef(f.SHA256)
	if err != nil {
		return fmt.Errorf("cannot put file %d into an archive: %w", f.ID, err)
	}
	e := archive.Entry{Name: f.Folder + "/" + f.Name, Size: f.Size, CRC32: f.CRC32}
	p.entries, p.refs = append(p.entries, e), append(p.refs, ref)
	p.sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(e.Name))))
	io.WriteString(p.sum, e.Name)
	p.sum.Write(binary.BigEndian.AppendUint64(ref[:], uint64(f.Size)))
	if f.Published.After(p.latest) {
		p.latest = f.Published
	}
	return nil
}

// archiveLayout lays the archive out. Its files count as modified at one time.
func (p *archiveBuilder) archiveLayout(stamp time.Time) (*archiveLayout, error) {
	if len(p.entries) == 0 {
		return nil, record.ErrNoFiles
	}
	layout, err := archive.New(p.entries, stamp)
	if err != nil {
		return nil, err
	}
	p.sum.Write(binary.BigEndian.AppendUint64(nil, uint64(stamp.Unix())))
	tag := fmt.Sprintf("zip%d-%s", archive.Format, base64.RawURLEncoding.EncodeToString(p.sum.Sum(nil)[:15]))
	return &archiveLayout{&endpoint.Archive{Plan: layout, Refs: p.refs}, tag}, nil
}

// reply sends the archive under a name. Its contents last changed at another time than its files.
func (p *archiveBuilder) reply(name string, stamp, modified time.Time, public bool) (endpoint.Reply, error) {
	archiveLayout, err := p.archiveLayout(stamp)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return archiveLayout.reply(name, modified, public), nil
}

func (p *archiveLayout) reply(name string, modified time.Time, public bool) endpoint.Reply {
	return endpoint.Reply{File: &endpoint.Download{
		Archive: p.archive, Size: p.archive.Size(), Name: name, MIME: "application/zip", ETag: p.tag, Modified: modified, Public: public,
	}}
}

// versionArchive is the archive of a public version. The times in it are those of its
// publication, so that its bytes never change.
func (a *API) versionArchive(c *endpoint.Call, tx bucket.Reader, v *record.ArticleVersion, public bool) (endpoint.Reply, error) {
	p := newArchiveBuilder(c)
	key := archiveKey{v.ArticleID, v.Version, p.folder, false}
	done, err := a.layOut(c, v.Files)
	if err != nil {
		return endpoint.Reply{}, err
	}
	defer done()
	if kept, ok := a.archiveCache.Find(c.Position, key); ok {
		return kept.reply(versionZip(v), v.Modified, public), nil
	}
	for f, err := range items.FilesOf(tx, v) {
		if err == nil {
			err = p.add(f)
		}
		if err != nil {
			return endpoint.Reply{}, err
		}
	}
	archiveLayout, err := p.archiveLayout(v.Published)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if len(c.Header["Range"]) > 0 {
		a.archiveCache.Keep(c.Position, key, archiveLayout, archiveLayout.bytes())
	}
	return archiveLayout.reply(versionZip(v), v.Modified, public), nil
}

const (
	largeArchive  = 1000 // files
	layoutsAtOnce = 4    // of large archives
	layoutWait    = 10 * time.Second
)

// layOut waits for a turn to lay out an archive of so many files; done ends the turn. A bag of 100,000 takes 1.4
// seconds and 60 MB, which anyone may ask for, any number of times at once.
func (a *API) layOut(c *endpoint.Call, files int) (done func(), err error) {
	if files <= largeArchive {
		return func() {}, nil
	}
	late := time.NewTimer(layoutWait)
	defer late.Stop()
	select {
	case a.layouts <- struct{}{}:
		return func() { <-a.layouts }, nil
	case <-c.Context.Done():
	case <-late.C:
	}
	return nil, record.ErrUnavailable
}

// withheldArchive is the archive of a version whose embargo on files lets the caller in.
func withheldArchive(c *endpoint.Call, tx *bucket.Tx, v *record.ArticleVersion) (endpoint.Reply, error) {
	p := newArchiveBuilder(c)
	for f, err := range withheldFiles(tx, v) {
		if err == nil {
			err = p.add(f)
		}
		if err != nil {
			return endpoint.Reply{}, err
		}
	}
	return p.reply(versionZip(v), v.Published, v.Modified, false)
}

// withheldFiles yields the files of a version under an embargo, and stops after the first error.
func withheldFiles(tx *bucket.Tx, v *record.ArticleVersion) iter.Seq2[*record.PublicFile, error] {
	return func(yield func(*record.PublicFile, error) bool) {
		for hit := range publishedFiles(tx, v, 0) {
			if !files.InVersion(hit.Value, v.Version) {
				continue
			}
			f, err := files.Files.Get(tx, hit.Key)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(f.Public(v.Published), nil) {
				return
			}
		}
	}
}

func versionZip(v *record.ArticleVersion) string {
	return fmt.Sprintf("article-%d-v%d.zip", v.ArticleID, v.Version)
}

// workingArchive is the archive of a working copy: of its files that are whole. The times
// in it are those of the youngest file.
func workingArchive(c *endpoint.Call, tx *bucket.Tx, art *record.Article) (endpoint.Reply, error) {
	if asBag, err := asksForBag(c); err != nil || asBag {
		return endpoint.Reply{}, cmp.Or(err, error(record.ErrBagOfDraft))
	}
	p, modified := newArchiveBuilder(c), art.Modified
	for hit := range lists.Made(tx, art, 0) {
		f, err := files.Files.Get(tx, hit.Key)
		if err == nil && f.Modified.After(modified) {
			modified = f.Modified
		}
		if err == nil && f.Finished() {
			err = p.add(f.Public(f.Created))
		}
		if err != nil {
			return endpoint.Reply{}, err
		}
	}
	name := fmt.Sprintf("article-%d.zip", art.ID)
	if c.Anonymous {
		name = "files.zip"
	}
	return p.reply(name, p.latest, modified, false)
}

// archiveKey is a public version and a folder of it, empty for all; bag tells that it is a bag.
type archiveKey struct {
	article int64
	version int
	folder  string
	bag     bool
}

// archiveLayout is an archive, which is not modified, with its entity tag.
type archiveLayout struct {
	archive *endpoint.Archive
	tag     string
}

// archiveCacheBytes is about how many bytes all layouts take that are cached: enough for an archive of
// 100,000 files, and for a bag of them.
const archiveCacheBytes = 48 << 20

// bytes is about how much memory a layout takes.
func (p *archiveLayout) bytes() (n int) {
	each := 128
	if p.archive.Made != nil {
		each += 256 // names, sums and types are kept beside the layout
	}
	for i := range p.archive.Len() {
		n += each + len(p.archive.Name(i))
	}
	return n
}
