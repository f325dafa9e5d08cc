// Package library makes previews of files that libraries parse. Libraries fail without bound, and not
// always in a way that can be recovered from: so each file is parsed in a process of its own (package
// sandbox), and what failed once is not tried again.
//
//	library.go   which files, and the job of a child
//	memory.go    what was made, and what failed
//	markdown.go  Markdown
//	code.go      colours of code
//	notebook.go  Jupyter notebooks
//	xlsx.go      workbooks of spreadsheets
//	parquet.go   Parquet
//	zstd.go      members of TAR in zstd
package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"alcove/site/preview"
	"alcove/site/preview/sandbox"
)

// reader reads a kind of files, in a child.
type reader func(preview.File) (*preview.Preview, error)

// readerOf is how a file is read, by its name alone, nil for those that need no library.
func readerOf(name string) reader {
	extension := strings.ToLower(path.Ext(name))
	switch extension {
	case ".md", ".markdown":
		return markdown
	case ".ipynb":
		return notebook
	case ".xlsx", ".xlsm":
		return xlsx
	case ".parquet":
		return parquetHead
	case ".tzst":
		return tarZstd
	case ".zst":
		if strings.HasSuffix(strings.ToLower(name), ".tar.zst") {
			return tarZstd
		}
	}
	if language := languages[extension]; language != "" {
		return code(language)
	}
	return nil
}

// Reads reports whether files of a name are read by a library.
func Reads(name string) bool { return readerOf(name) != nil }

// job is what a child is asked for, and done what it answers.
type (
	job struct {
		Name, MIME string
		Size       int64
	}
	done struct {
		Preview *preview.Preview
		Broken  bool
	}
)

// Main is called first by the program. In a child it does not return.
func Main() { sandbox.Main(work) }

// work is what a child does. It ends the child where it fails.
func work(asked []byte, input io.ReaderAt) []byte {
	var j job
	if err := json.Unmarshal(asked, &j); err != nil {
		panic(err)
	}
	p, err := readerOf(j.Name)(preview.File{ReaderAt: input, Name: j.Name, MIME: j.MIME, Size: j.Size})
	if err != nil && !errors.Is(err, preview.ErrBroken) {
		panic(err)
	}
	answer, err := json.Marshal(done{p, err != nil})
	if err != nil {
		panic(err)
	}
	return answer
}

// Maker makes previews and remembers them.
type Maker struct{ memory memory }

// Of is the preview of a file of which Reads is true and whose SHA-256 is given. Its errors are
// preview.ErrBroken, those of package sandbox, and those of reading the file. It is fresh where it was made
// now, and not remembered.
func (m *Maker) Of(ctx context.Context, f preview.File, sum string) (p *preview.Preview, fresh bool, err error) {
	key := sum + strings.ToLower(path.Ext(f.Name))
	if known, ok := m.memory.find(key); ok {
		return known.preview, false, known.err
	}
	asked, err := json.Marshal(job{f.Name, f.MIME, f.Size})
	if err != nil {
		return nil, false, fmt.Errorf("cannot ask for a preview: %w", err)
	}
	slot, err := sandbox.Wait(ctx)
	if err != nil {
		return nil, false, err
	}
	defer slot.Release()
	if known, ok := m.memory.find(key); ok { // it was made while this one waited
		return known.preview, false, known.err
	}
	answer, err := slot.Run(ctx, asked, f)
	if err == nil {
		var d done
		if json.Unmarshal(answer, &d) != nil || d.Preview == nil && !d.Broken {
			err = fmt.Errorf("%w: it says nothing that can be read", sandbox.ErrFailed)
		} else if p = d.Preview; d.Broken {
			p, err = nil, preview.ErrBroken
		}
	}
	if err == nil || errors.Is(err, preview.ErrBroken) || errors.Is(err, sandbox.ErrFailed) {
		m.memory.keep(key, outcome{p, err}, len(answer))
	}
	return p, true, err
}
