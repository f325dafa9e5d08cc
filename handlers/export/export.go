// Package export writes what the repository has of a person as a zip, for that person. It is read in small
// transactions while it is sent, so that a slow client holds neither one of them open nor the whole in memory, and
// the store may change meanwhile. Nothing in it opens anything: there are no passwords, tokens, links or keys.
//
//	index.html            what each of the others has, in the language of the person
//	account.json …        one JSON array a file, an element a record
package export

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// File is one of the zip.
type File struct {
	Name  string // without .json
	Count int    // of records in it
}

// Made is a file whose records are known beforehand.
type Made struct {
	Name    string
	Records []any
}

// Options say what is written.
type Options struct {
	DB      *bucket.DB
	Account int64
	Made    []Made
	Index   func([]File) ([]byte, error) // index.html
	Enter   func() error                 // is called before anything is read
	Leave   func()                       // is called at the end, if Enter has let in
}

// Person is what there is of a person, piece by piece. It is no more than one record and what it is packed into in
// memory at a time.
type Person struct {
	options Options
	out     bytes.Buffer
	zip     *zip.Writer
	to      interface{ Write([]byte) (int, error) } // the file that is being written
	sources []source
	files   []File
	entered bool
	now     time.Time
}

// source is a file of the zip. fill emits some records and remembers where it was, until it is done.
type source struct {
	name string
	fill func(tx *bucket.Tx, emit func(any) error) (done bool, err error)
}

// some is how many records one transaction reads, and looked how many entries of the change log or of a table of which
// few are the person's.
const (
	some   = 100
	looked = 20_000
)

// New is the export of a person. Nothing is read before Next.
func New(o Options) *Person {
	p := &Person{options: o, now: o.DB.Time()}
	p.zip = zip.NewWriter(&p.out)
	for _, m := range o.Made {
		p.sources = append(p.sources, source{m.Name, func(_ *bucket.Tx, emit func(any) error) (bool, error) {
			for _, r := range m.Records {
				if err := emit(r); err != nil {
					return false, err
				}
			}
			return true, nil
		}})
	}
	p.sources = append(p.sources,
		p.articles("articles", p.workingCopy), p.articles("article_versions", articleVersions), p.articles("files", fileRecords),
		p.articles("reviews", p.reviews), p.articles("private_links", links("articles")),
		p.collections("collections", workingCollection), p.collections("collection_versions", collectionVersions), p.collections("collection_links", links("collections")),
		p.projects(), p.notes(), p.comments(), p.changes())
	return p
}

// Next is the next piece of the zip, and whether it is the last.
func (p *Person) Next() (piece []byte, last bool, err error) {
	if !p.entered {
		if err := p.options.Enter(); err != nil {
			return nil, false, err
		}
		p.entered = true
	}
	p.out.Reset()
	if len(p.sources) == 0 {
		err := p.end()
		return p.out.Bytes(), true, err
	}
	s := &p.sources[0]
	if p.to == nil {
		if p.to, err = p.create(s.name + ".json"); err != nil {
			return nil, false, err
		}
		p.files = append(p.files, File{Name: s.name})
	}
	done := false
	err = p.options.DB.View(func(tx *bucket.Tx) (err error) {
		done, err = s.fill(tx, p.emit)
		return err
	})
	if err == nil && done {
		end := "\n]\n"
		if p.files[len(p.files)-1].Count == 0 {
			end = "[]\n"
		}
		_, err = p.to.Write([]byte(end))
		p.to, p.sources = nil, p.sources[1:]
	}
	if err != nil {
		return nil, false, fmt.Errorf("cannot export %s: %w", s.name, err)
	}
	return p.out.Bytes(), false, nil
}

// Close ends the export, also before its end.
func (p *Person) Close() {
	if p.entered {
		p.options.Leave()
	}
	p.entered, p.sources = false, nil
}

func (p *Person) create(name string) (interface{ Write([]byte) (int, error) }, error) {
	return p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: p.now})
}

// emit writes a record into the file that is being written.
func (p *Person) emit(r any) error {
	b, err := json.MarshalIndent(r, "  ", "  ")
	if err != nil {
		return err
	}
	f := &p.files[len(p.files)-1]
	before := ",\n  "
	if f.Count == 0 {
		before = "[\n  "
	}
	f.Count++
	_, err = p.to.Write(append([]byte(before), b...))
	return err
}

func (p *Person) end() error {
	to, err := p.create("index.html")
	if err != nil {
		return err
	}
	page, err := p.options.Index(p.files)
	if err != nil {
		return err
	}
	if _, err := to.Write(page); err != nil {
		return err
	}
	return p.zip.Close()
}

// place is the whole key of an entry of an index, after which a walk goes on.
func place(hit bucket.Hit[int64]) []byte {
	return append(append(bytes.Clone(hit.Sort), bucket.Prefix(hit.Key)...), 0)
}

// Account is an account as its person gets it.
func Account(a *record.Account) any {
	own := *a
	own.Password = ""
	return own
}
