package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

const (
	// partName is a file in the data directory that has the beginning of the file of another repository that is being read:
	// a line with what the file is known by, and behind it the bytes. It is a help alone: what it says is verified.
	partName = "pull.part"

	// partFrom is how long a file is at least that is kept so: a shorter one is soon read again.
	partFrom = 8 << 20

	maxPartName = 4096
)

// part is the beginning of a file that was being read.
type part struct {
	path string
	f    *os.File
	name string // of the file that it is of, "" for none
	head int64  // bytes before those of the file
	n    int64  // bytes of the file
}

// openPart reads what an earlier run has left in a data directory.
func openPart(data string) (*part, error) {
	p := &part{path: filepath.Join(data, partName)}
	f, err := os.OpenFile(p.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot keep the beginning of a file: %w", err)
	}
	p.f = f
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	first := make([]byte, min(maxPartName, info.Size()))
	if _, err := f.ReadAt(first, 0); err != nil && err != io.EOF {
		return nil, errors.Join(fmt.Errorf("cannot read the beginning of a file: %w", err), f.Close())
	}
	if at := bytes.IndexByte(first, '\n'); at > 0 {
		p.name, p.head = string(first[:at]), int64(at)+1
		p.n = info.Size() - p.head
	}
	return p, nil
}

// of is the part if it is of a file, otherwise nil.
func (p *part) of(name string, f File) *part {
	if p == nil || p.name != name || p.n <= 0 || p.n >= f.Size {
		return nil
	}
	return p
}

// size is how many bytes of the file there are.
func (p *part) size() int64 {
	if p == nil {
		return 0
	}
	return p.n
}

// read reads these bytes.
func (p *part) read() io.Reader { return io.NewSectionReader(p.f, p.head, p.n) }

// keep writes what is read of a file to the part, behind the bytes that are there when it is of that file.
func (p *part) keep(name string, f File, r io.ReadCloser) (io.ReadCloser, error) {
	if f.Size < partFrom || len(name) >= maxPartName {
		return r, nil
	}
	k := &kept{ReadCloser: r, part: p}
	if v, ok := r.(*verified); ok && v.old > 0 {
		k.skip = v.old
		return k, nil
	}
	p.name, p.head, p.n = name, int64(len(name))+1, 0
	if err := p.f.Truncate(0); err != nil {
		return r, fmt.Errorf("cannot keep the beginning of a file: %w", err)
	}
	_, err := p.f.WriteAt([]byte(name+"\n"), 0)
	return k, err
}

// forget empties the part.
func (p *part) forget() {
	p.name, p.n = "", 0
	_ = p.f.Truncate(0) // otherwise it is found to be of no use
}

func (p *part) close(done bool) {
	p.f.Close()
	if done || p.n == 0 {
		os.Remove(p.path)
	}
}

// kept is a file whose bytes are written to a part.
type kept struct {
	io.ReadCloser
	part *part
	skip int64 // bytes that are in it
}

func (k *kept) Read(b []byte) (int, error) {
	n, err := k.ReadCloser.Read(b)
	fresh := b[min(int64(n), k.skip):n]
	k.skip -= int64(n - len(fresh))
	if len(fresh) > 0 {
		if _, failed := k.part.f.WriteAt(fresh, k.part.head+k.part.n); failed != nil {
			return n, fmt.Errorf("cannot keep the beginning of a file: %w", failed)
		}
		k.part.n += int64(len(fresh))
	}
	if differs := (*differsError)(nil); err == io.EOF || errors.As(err, &differs) {
		k.part.forget()
	}
	return n, err
}
