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
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/jobs"
	"alcove/record"
)

// Everything of an item as one archive: the files that the
// single downloads give to the same caller, and no others. Links to files elsewhere are
// not in it. folder_path selects a folder with what is below it.

// PublicDownload is the archive of the latest public version of an article.
func (a *API) PublicDownload(c *Call) (r Reply, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		head, err := publicHead(tx, c.ID("id"), record.ErrArticleUnknown)
		if err != nil {
			return err
		}
		c.ids = append(c.ids, pathID{"version", int64(head.Latest)})
		r, err = c.versionDownload(tx)
		return err
	})
	return r, err
}

// PublicVersionDownload is the archive of a public version.
func (a *API) PublicVersionDownload(c *Call) (r Reply, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		r, err = c.versionDownload(tx)
		return err
	})
	return r, err
}

// ArticleDownload is the archive of a working copy, for its owner and the members of its
// project.
func (a *API) ArticleDownload(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.readArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	return c.workingArchive(tx, art)
}

// RootDownload is PublicVersionDownload below the address of downloads:
// /articles/{id}/versions/{v}. Nothing else of this form is there.
func (a *API) RootDownload(c *Call) (Reply, error) {
	if c.Text("second") != "versions" || c.readPath([]Param{{"id", c.Text("first")}, {"version", c.Text("third")}}) != nil {
		return Reply{}, record.ErrNotFound
	}
	return a.PublicVersionDownload(c)
}

// LinkDownload is the archive of a working copy below the address of downloads, for its
// owner, the members of its project, and for who holds a private link to it: /articles/{id}?private_link=…
func (a *API) LinkDownload(c *Call) (r Reply, err error) {
	if c.readPath([]Param{{"id", c.Text("first")}}) != nil {
		return Reply{}, record.ErrNotFound
	}
	err = a.DB.View(func(tx *bucket.Tx) error {
		art, err := c.linkedArticle(tx)
		if err != nil {
			return err
		}
		r, err = c.workingArchive(tx, art)
		return err
	})
	return r, err
}

// linkedArticle is the article of the path when it is the caller's, when it reads it in a
// project, or when a private link opens its files to the caller.
func (c *Call) linkedArticle(tx *bucket.Tx) (*record.Article, error) {
	owner := bucket.ArticleOwners.Of(tx, c.ID("id"))
	linked := false
	if !c.Is(owner) {
		shared, err := c.shares(tx, owner.In)
		if err != nil {
			return nil, err
		}
		if !shared {
			l, err := c.presentedLink(tx, "articles")
			if err != nil {
				return nil, err
			}
			if l == nil || l.ItemID != c.ID("id") {
				return nil, record.ErrNotFound
			}
			linked, c.anonymous = true, l.Anonymous
		}
	}
	art, err := bucket.Articles.Get(tx, c.ID("id"))
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
func (c *Call) versionDownload(tx *bucket.Tx) (Reply, error) {
	v, err := c.publicVersion(tx, record.ErrEntityVersion)
	if err != nil {
		return Reply{}, err
	}
	head, err := publicHead(tx, v.ArticleID, record.ErrEntityVersion)
	if err != nil {
		return Reply{}, err
	}
	asBag, err := c.asksForBag()
	if err != nil {
		return Reply{}, err
	}
	disabled := v.DownloadDisabled || head.DownloadDisabled
	if disabled && !c.Owns(tx, v.ArticleID) {
		return Reply{}, record.ErrDownloadDisabled
	}
	if v.HidesFiles() {
		in, err := c.letIn(tx, v)
		if err == nil && !in {
			err = record.ErrNoFiles
		}
		if err != nil {
			return Reply{}, err
		}
		if asBag {
			return c.withheldBag(tx, v)
		}
		return c.withheldArchive(tx, v)
	}
	answer := c.versionArchive
	if asBag {
		answer = c.versionBag
	}
	r, err := answer(tx, v, !disabled)
	if err == nil && !disabled && !c.Owns(tx, v.ArticleID) {
		r.File.Count = jobs.Use{Item: bucket.Pair{A: bucket.KindArticle, B: v.ArticleID}, Download: true}
	}
	return r, err
}

// Archive is a zip to send.
type Archive struct {
	*archive.Plan
	made []func(io.Writer) error // write the first files
	refs []blobs.Ref             // of those behind them
}

// archiveBuilder gathers the files of an archive.
type archiveBuilder struct {
	folder  string // without slashes at its ends; empty for all
	entries []archive.Entry
	refs    []blobs.Ref
	sum     hash.Hash // of what decides about the bytes
	latest  time.Time // when the youngest of the files was made public, or made
}

func (c *Call) newArchiveBuilder() *archiveBuilder {
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
	return &archiveLayout{&Archive{Plan: layout, refs: p.refs}, tag}, nil
}

// reply sends the archive under a name. Its contents last changed at another time than its files.
func (p *archiveBuilder) reply(name string, stamp, modified time.Time, public bool) (Reply, error) {
	archiveLayout, err := p.archiveLayout(stamp)
	if err != nil {
		return Reply{}, err
	}
	return archiveLayout.reply(name, modified, public), nil
}

func (p *archiveLayout) reply(name string, modified time.Time, public bool) Reply {
	return Reply{File: &Download{
		Archive: p.archive, Size: p.archive.Size(), Name: name, MIME: "application/zip", ETag: p.tag, Modified: modified, Public: public,
	}}
}

// versionArchive is the archive of a public version. The times in it are those of its
// publication, so that its bytes never change.
func (c *Call) versionArchive(tx bucket.Reader, v *record.ArticleVersion, public bool) (Reply, error) {
	p := c.newArchiveBuilder()
	key := archiveKey{v.ArticleID, v.Version, p.folder, false}
	done, err := c.layOut(v.Files)
	if err != nil {
		return Reply{}, err
	}
	defer done()
	if kept, ok := c.API.archiveCache.find(c.position, key); ok {
		return kept.reply(versionZip(v), v.Modified, public), nil
	}
	for f, err := range items.FilesOf(tx, v) {
		if err == nil {
			err = p.add(f)
		}
		if err != nil {
			return Reply{}, err
		}
	}
	archiveLayout, err := p.archiveLayout(v.Published)
	if err != nil {
		return Reply{}, err
	}
	if len(c.Header["Range"]) > 0 {
		c.API.archiveCache.keep(c.position, key, archiveLayout, archiveLayout.bytes())
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
func (c *Call) layOut(files int) (done func(), err error) {
	if files <= largeArchive {
		return func() {}, nil
	}
	late := time.NewTimer(layoutWait)
	defer late.Stop()
	select {
	case c.API.layouts <- struct{}{}:
		return func() { <-c.API.layouts }, nil
	case <-c.Context.Done():
	case <-c.Context.Done():
	case <-late.C:
	}
	return nil, record.ErrUnavailable
}

// withheldArchive is the archive of a version whose embargo on files lets the caller in.
func (c *Call) withheldArchive(tx *bucket.Tx, v *record.ArticleVersion) (Reply, error) {
	p := c.newArchiveBuilder()
	for f, err := range withheldFiles(tx, v) {
		if err == nil {
			err = p.add(f)
		}
		if err != nil {
			return Reply{}, err
		}
	}
	return p.reply(versionZip(v), v.Published, v.Modified, false)
}

// withheldFiles yields the files of a version under an embargo, and stops after the first error.
func withheldFiles(tx *bucket.Tx, v *record.ArticleVersion) iter.Seq2[*record.PublicFile, error] {
	return func(yield func(*record.PublicFile, error) bool) {
		for hit := range publishedFiles(tx, v, 0) {
			if !bucket.InVersion(hit.Value, v.Version) {
				continue
			}
			f, err := bucket.Files.Get(tx, hit.Key)
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
func (c *Call) workingArchive(tx *bucket.Tx, art *record.Article) (Reply, error) {
	if asBag, err := c.asksForBag(); err != nil || asBag {
		return Reply{}, cmp.Or(err, error(record.ErrBagOfDraft))
	}
	p, modified := c.newArchiveBuilder(), art.Modified
	for hit := range lists.Made(tx, art, 0) {
		f, err := bucket.Files.Get(tx, hit.Key)
		if err == nil && f.Modified.After(modified) {
			modified = f.Modified
		}
		if err == nil && f.Finished() {
			err = p.add(f.Public(f.Created))
		}
		if err != nil {
			return Reply{}, err
		}
	}
	name := fmt.Sprintf("article-%d.zip", art.ID)
	if c.anonymous {
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
	archive *Archive
	tag     string
}

// archiveCacheBytes is about how many bytes all layouts take that are cached: enough for an archive of
// 100,000 files, and for a bag of them.
const archiveCacheBytes = 48 << 20

// bytes is about how much memory a layout takes.
func (p *archiveLayout) bytes() (n int) {
	each := 128
	if p.archive.made != nil {
		each += 256 // names, sums and types are kept beside the layout
	}
	for i := range p.archive.Len() {
		n += each + len(p.archive.Name(i))
	}
	return n
}
