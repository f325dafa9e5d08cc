// Package bags lays out a public version of an article as a bag (BagIt 1.0, RFC 8493) in a zip, whose bytes are made
// as they are sent. Of the files only names, sizes and sums are read, so that nothing is kept on the disk, any range of
// the zip can be written, and the same version makes the same bytes.
//
//	article-7-v2/bagit.txt, bag-info.txt
//	             manifest-sha256.txt, manifest-md5.txt          sums of all below data
//	             tagmanifest-sha256.txt, tagmanifest-md5.txt    sums of all besides data and themselves
//	             metadata/datacite.xml, datacite.json, article.json
//	             data/ro-crate-metadata.json                    data is an RO-Crate 1.2
//	             data/files/…                                   the files, in their folders
//
// A file that is only a link to elsewhere is named in the RO-Crate and in article.json, and nowhere else: for fetch.txt
// its sums would have to be known.
package bags

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"alcove/blobs"
	"alcove/blobs/archive"
	"alcove/formats"
	"alcove/handlers/bags/bagit"
	"alcove/handlers/described"
	"alcove/handlers/present"
	"alcove/record"
)

// Bag is a bag that is laid out. It does not change.
type Bag struct {
	*archive.Plan
	Made []func(io.Writer) error // the bytes of the first files of the zip
	Refs []blobs.Ref             // of those behind them
	Tag  string                  // of its bytes, for an entity tag
}

// format changes when the same version makes other bytes than before by other rules for names or order: what is in
// the files is in the tag anyway.
const format = 1

// Version is a version of an article as its reader gets it.
type Version struct {
	Document []byte // its full form in the API
	Stamp    time.Time
	Files    iter.Seq2[*record.PublicFile, error]
	Leads    func(doi string) bool // to the item
}

// Of lays out a version. Every file of the zip counts as modified at its stamp.
func Of(s present.Settings, v Version) (*Bag, error) {
	var doc present.ArticleComplete
	if err := json.Unmarshal(v.Document, &doc); err != nil {
		return nil, fmt.Errorf("cannot read the document of a version: %w", err)
	}
	it := described.Item(s, "article", &doc, fmt.Sprintf("%s/%d", doc.URLPublicHTML, doc.Version), v.Leads)
	b := &builder{top: fmt.Sprintf("article-%d-v%d/", doc.ID, doc.Version), it: it, media: map[string]string{}}
	for f, err := range v.Files {
		if err == nil {
			err = b.add("data/files/", f)
		}
		if err != nil {
			return nil, err
		}
	}
	archive.Rename(b.entries) // all are below data/files/, where no file is made
	if err := b.describe("metadata/", it, v.Document); err != nil {
		return nil, err
	}
	return b.lay(about(it, fmt.Sprintf("article/%d/version/%d", doc.ID, doc.Version)), v.Stamp)
}

// builder gathers the files of a bag: those that are made, and those that are stored.
type builder struct {
	top     string // folder of the bag, with a / at its end
	it      formats.Item
	tags    []made          // besides those that lay makes
	entries []archive.Entry // of the stored files
	refs    []blobs.Ref
	stored  []stored
	links   []formats.Part
	media   map[string]string // each media type once
}

// stored is what a bag tells of a file beside its name in the zip.
type stored struct{ name, mime, md5 string }

// add puts a file into a folder of the bag.
func (b *builder) add(folder string, f *record.PublicFile) error {
	if f.Link != "" {
		b.links = append(b.links, formats.Part{URL: f.Link, Name: f.Name, MIME: f.MIME})
		return nil
	}
	ref, err := blobs.ParseRef(f.SHA256)
	if err != nil {
		return fmt.Errorf("cannot put file %d into a bag: %w", f.ID, err)
	}
	media, ok := b.media[f.MIME]
	if !ok {
		media, b.media[f.MIME] = f.MIME, f.MIME
	}
	b.entries = append(b.entries, archive.Entry{Name: b.top + folder + f.Folder + "/" + f.Name, Size: f.Size, CRC32: f.CRC32})
	b.refs, b.stored = append(b.refs, ref), append(b.stored, stored{f.Name, media, f.MD5})
	return nil
}

// path is the name of a stored file within the bag.
func (b *builder) path(i int) string { return b.entries[i].Name[len(b.top):] }

// describe puts what describes a version into a folder of the bag.
func (b *builder) describe(folder string, it formats.Item, document []byte) error {
	for _, f := range []struct{ name, file string }{{"datacite-xml", "datacite.xml"}, {"datacite-json", "datacite.json"}} {
		form, _ := formats.ByName(f.name)
		if err := b.tag(folder+f.file, text(form.Write(it))); err != nil {
			return err
		}
	}
	var readable bytes.Buffer
	if err := json.Indent(&readable, document, "", "  "); err != nil {
		return fmt.Errorf("cannot write the document of a version: %w", err)
	}
	return b.tag(folder+"article.json", text(readable.String()+"\n"))
}

func (b *builder) tag(path string, write func(io.Writer) error) error {
	m, err := newMade(path, write)
	b.tags = append(b.tags, m)
	return err
}

// parts are the files as the RO-Crate in data has them.
func (b *builder) parts(yield func(formats.Part) bool) {
	for i, f := range b.stored {
		if !yield(formats.Part{Path: b.path(i)[len("data/"):], Name: f.name, MIME: f.mime, SHA256: b.refs[i].String(), Size: b.entries[i].Size}) {
			return
		}
	}
	for _, p := range b.links {
		if !yield(p) {
			return
		}
	}
}

// lay lays out what was gathered.
func (b *builder) lay(info []bagit.Field, stamp time.Time) (*Bag, error) {
	crate, err := newMade("data/"+formats.CrateName, func(w io.Writer) error { return formats.WriteCrate(w, b.it, b.parts) })
	if err != nil {
		return nil, err
	}
	octets, count := crate.size, 1+len(b.entries)
	for i := range b.entries {
		octets += b.entries[i].Size
	}
	info = append(info, bagit.Field{Label: "Bag-Size", Value: bagit.RoundSize(octets)}, bagit.Field{Label: "Payload-Oxum", Value: fmt.Sprintf("%d.%d", octets, count)})
	files := []made{}
	for _, m := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{"bagit.txt", text(bagit.Declaration)},
		{"bag-info.txt", text(bagit.Info(info))},
		{"manifest-sha256.txt", func(w io.Writer) error { return b.manifest(w, crate, inSHA256) }},
		{"manifest-md5.txt", func(w io.Writer) error { return b.manifest(w, crate, inMD5) }},
	} {
		file, err := newMade(m.path, m.write)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	files = append(files, b.tags...)
	sha, err := newMade("tagmanifest-sha256.txt", text(tagManifest(files, inSHA256)))
	if err != nil {
		return nil, err
	}
	short, err := newMade("tagmanifest-md5.txt", text(tagManifest(files, inMD5)))
	if err != nil {
		return nil, err
	}
	return b.bag(append(files, sha, short, crate), sha, stamp)
}

// bag has the files that are made in front of those that are stored. all are the sums of the files that have, in turn,
// the sums of all others.
func (b *builder) bag(files []made, all made, stamp time.Time) (*Bag, error) {
	tag := sha256.New()
	tag.Write(all.sha256[:])
	tag.Write(binary.BigEndian.AppendUint64([]byte(b.top), uint64(stamp.Unix())))
	out := &Bag{Refs: b.refs, Tag: fmt.Sprintf("bag%d.%d-%s", format, archive.Format, base64.RawURLEncoding.EncodeToString(tag.Sum(nil)[:15]))}
	entries := make([]archive.Entry, 0, len(files)+len(b.entries))
	for _, m := range files {
		entries = append(entries, archive.Entry{Name: b.top + m.path, Size: m.size, CRC32: m.crc32})
		out.Made = append(out.Made, m.write)
	}
	var err error
	out.Plan, err = archive.Renamed(append(entries, b.entries...), stamp)
	return out, err
}
