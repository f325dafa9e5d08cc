package pack

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"unicode/utf8"
)

// Bounds of a package.
const (
	maxMembers   = 200_000
	maxDirectory = 64 << 20 // bytes of the directory of the zip
	maxName      = 1000     // bytes of the name of a member
	maxTag       = 64 << 20 // bytes of a member that describes the item
	maxTags      = 1 << 30  // of all of them
)

// Package is a package that was found to be a whole bag with an item in it: each member is named once, listed in every
// manifest and has no odd name, and all that describes the item has the sums that it should have. The bytes of files are
// verified while they are read. It serves as deposit.Files for the line of its item.
type Package struct {
	Line       []byte // of the item
	Collection bool

	file    *os.File
	zip     *zip.Reader
	top     string               // folder of the bag, with a / at its end
	members map[string]*zip.File // by their path in the bag
	sums    map[string]sums      // of those below data
	tags    int64                // bytes that were read of what describes the item
}

// Open opens a package and verifies everything but the bytes of its files.
func Open(name string) (p *Package, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the package: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			err = fmt.Errorf("%s: %w", name, err)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	bytes := &bounded{ReaderAt: f, left: maxDirectory}
	z, err := zip.NewReader(bytes, info.Size())
	if err != nil {
		return nil, fmt.Errorf("it is not a zip that can be read: %w", err)
	}
	bytes.left = -1
	p = &Package{file: f, zip: z, members: map[string]*zip.File{}}
	for _, step := range []func() error{p.name, p.verify, p.item} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Close ends the use of the package.
func (p *Package) Close() error { return p.file.Close() }

// bounded ends the reading of a directory that is too long. A left below 0 is no bound.
type bounded struct {
	io.ReaderAt
	left int64
}

func (b *bounded) ReadAt(to []byte, at int64) (int, error) {
	if b.left >= 0 {
		if b.left -= int64(len(to)); b.left < 0 {
			return 0, errors.New("its directory is too long")
		}
	}
	return b.ReaderAt.ReadAt(to, at)
}

// name takes the members by their names, and refuses what could not stand in one folder on every system. Nothing is ever
// written under these names.
func (p *Package) name() error {
	if len(p.zip.File) > maxMembers {
		return fmt.Errorf("it has more than %d members", maxMembers)
	}
	folded := map[string]string{}
	for _, m := range p.zip.File {
		name, folder := strings.CutSuffix(m.Name, "/")
		if err := plainName(name); err != nil {
			return fmt.Errorf("its member %q %w", short(m.Name), err)
		}
		switch kind := m.Mode().Type(); {
		case kind != 0 && kind != os.ModeDir || (kind == os.ModeDir) != folder:
			return fmt.Errorf("its member %q is neither a file nor a folder", short(m.Name))
		case m.Flags&1 != 0 || m.Method != zip.Store && m.Method != zip.Deflate:
			return fmt.Errorf("its member %q is encrypted, or compressed in an unusual way", short(m.Name))
		case m.Method == zip.Store && m.CompressedSize64 != m.UncompressedSize64:
			return fmt.Errorf("its member %q has two sizes", short(m.Name))
		}
		fold := strings.ToLower(name)
		if other, taken := folded[fold]; taken {
			return fmt.Errorf("its members %q and %q have the same name, but for capitals", short(other), short(m.Name))
		}
		folded[fold] = m.Name
		top, rest, _ := strings.Cut(name, "/")
		if p.top == "" {
			p.top = top + "/"
		}
		if top+"/" != p.top || rest == "" && !folder {
			return fmt.Errorf("its member %q is not in the one folder of a bag", short(m.Name))
		}
		if !folder {
			p.members[rest] = m
		} else if m.UncompressedSize64 != 0 {
			return fmt.Errorf("its folder %q has bytes", short(m.Name))
		}
	}
	return nil
}

// plainName refuses a name that is not a path downwards.
func plainName(name string) error {
	switch {
	case len(name) > maxName:
		return fmt.Errorf("has a name of more than %d bytes", maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("has a name with characters that are refused")
	case name == "" || name != path.Clean(name) || strings.HasPrefix(name, "/") || name == ".." || strings.HasPrefix(name, "../") || strings.ContainsAny(name, `\:`):
		return errors.New("has a name that leads elsewhere")
	}
	return nil
}

func short(name string) string {
	if len(name) > 200 {
		return strings.ToValidUTF8(name[:200], "") + "…"
	}
	return name
}

// text reads a member that is to be in memory, and verifies its sums where they are known.
func (p *Package) text(path string) ([]byte, error) {
	if p.members[path] == nil {
		return nil, fmt.Errorf("it has no %s", path)
	}
	if err := p.describes(path); err != nil {
		return nil, err
	}
	r, err := p.open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// describes bounds what is read of the members that describe the item.
func (p *Package) describes(path string) error {
	size := p.members[path].UncompressedSize64
	if size > maxTag {
		return fmt.Errorf("its %s is longer than %d MiB", path, maxTag>>20)
	}
	if p.tags += int64(size); p.tags > maxTags {
		return fmt.Errorf("what describes it is longer than %d MiB", maxTags>>20)
	}
	return nil
}

// item reads the line of the item, and refuses a package with files that it does not name.
func (p *Package) item() (err error) {
	if p.Line, err = p.text(itemPath); err != nil {
		return err
	}
	p.Line = bytes.TrimSpace(p.Line)
	if bytes.ContainsAny(p.Line, "\r\n") {
		return fmt.Errorf("its %s has more than one line", itemPath)
	}
	var line struct {
		Kind  string
		Files []named
		Vs    []struct{ Files []named } `json:"versions"`
	}
	if err := json.Unmarshal(p.Line, &line); err != nil {
		return fmt.Errorf("its %s is not the line of an item: %w", itemPath, err)
	}
	p.Collection = line.Kind == "collection"
	wanted := map[string]bool{itemPath: true}
	all := line.Files
	for _, v := range line.Vs {
		all = append(all, v.Files...)
	}
	for _, f := range all {
		wanted["data/"+f.Path] = true
	}
	for path := range p.sums {
		if !wanted[path] {
			return fmt.Errorf("its %s belongs to no version", path)
		}
	}
	return nil
}

// named is a file as a line has it.
type named struct{ Path string }

func (n *named) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &n.Path) == nil {
		return nil
	}
	var f struct{ Path string }
	err := json.Unmarshal(text, &f)
	n.Path = f.Path
	return err
}

var errNoFile = errors.New("there is no such file in the package")

// Read implements deposit.Files.
func (p *Package) Read(_ context.Context, path string) (io.ReadCloser, error) {
	if _, listed := p.sums["data/"+path]; !listed {
		return nil, errNoFile
	}
	return p.open("data/" + path)
}

// Size implements deposit.Files. It is as the directory says, and other bytes are refused when they are read.
func (p *Package) Size(path string) (int64, error) {
	if _, listed := p.sums["data/"+path]; !listed {
		return 0, errNoFile
	}
	return int64(p.members["data/"+path].UncompressedSize64), nil
}

// FolderOf implements deposit.Files: the folders in a package are its own.
func (p *Package) FolderOf(string) string { return "" }

// Verify reads the bytes of all files.
func (p *Package) Verify(ctx context.Context) error {
	for path := range p.sums {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := p.open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, r)
		if err := errors.Join(err, r.Close()); err != nil {
			return err
		}
	}
	return nil
}
