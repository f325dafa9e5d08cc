package pack

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"alcove/handlers/bags/bagit"
)

// sums are what the manifests say of a member, in hexadecimal digits.
type sums struct{ sha256, md5 string }

// algorithms are those of the manifests that a package has: all of them, as Write makes them.
var algorithms = []string{"sha256", "md5"}

// verify reads the manifests, and refuses a bag that is not complete, and one whose tag files have other sums. The bytes
// of files are left to those that read them.
func (p *Package) verify() error {
	declared, err := p.text("bagit.txt")
	if err != nil {
		return err
	}
	if strings.ReplaceAll(string(declared), "\r\n", "\n") != bagit.Declaration {
		return errors.New("its bagit.txt is not that of BagIt 1.0 in UTF-8")
	}
	if p.members["fetch.txt"] != nil {
		return errors.New("it has a fetch.txt, which is never followed")
	}
	if p.sums, err = p.manifest("manifest", payload); err != nil {
		return err
	}
	tags, err := p.manifest("tagmanifest", func(path string) bool { return !payload(path) && !strings.HasPrefix(path, "tagmanifest-") })
	if err != nil {
		return err
	}
	for path := range p.members {
		if strings.HasPrefix(path, "tagmanifest-") && path != "tagmanifest-sha256.txt" && path != "tagmanifest-md5.txt" {
			return fmt.Errorf("its %s is in no manifest", path)
		}
	}
	for path, want := range tags {
		if err := p.verifyTag(path, want); err != nil {
			return err
		}
	}
	return nil
}

// verifyTag reads a tag file and compares it with its sums.
func (p *Package) verifyTag(path string, want sums) error {
	if err := p.describes(path); err != nil {
		return err
	}
	r, err := p.raw(path, want)
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, r)
	return err
}

// manifest reads the manifests of both algorithms, which must name the members of a sort, each once, and no others.
func (p *Package) manifest(name string, is func(path string) bool) (map[string]sums, error) {
	found := map[string]sums{}
	for _, algorithm := range algorithms {
		file := name + "-" + algorithm + ".txt"
		text, err := p.text(file)
		if err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimRight(line, "\r\n"); line == "" {
				continue
			}
			sum, path, ok := bagit.ReadLine(line)
			switch {
			case !ok:
				return nil, fmt.Errorf("its %s has a line that is none: %q", file, short(line))
			case seen[path]:
				return nil, fmt.Errorf("its %s names %q twice", file, short(path))
			case p.members[path] == nil || !is(path):
				return nil, fmt.Errorf("its %s names %q, which is not there", file, short(path))
			}
			seen[path] = true
			at := found[path]
			if algorithm == "md5" {
				at.md5 = sum
			} else {
				at.sha256 = sum
			}
			found[path] = at
		}
		for path := range p.members {
			if is(path) && !seen[path] {
				return nil, fmt.Errorf("its %s lacks %q", file, short(path))
			}
		}
	}
	return found, nil
}

// open opens a member, whose bytes end with an error where they are not those that its sums tell, or, by archive/zip, at the
// first byte more than its size. Of a tag file whose manifest was not read yet only the size is known.
func (p *Package) open(path string) (io.ReadCloser, error) { return p.raw(path, p.sums[path]) }

func (p *Package) raw(path string, want sums) (io.ReadCloser, error) {
	m := p.members[path]
	r, err := m.Open()
	if err != nil {
		return nil, fmt.Errorf("its %s cannot be read: %w", path, err)
	}
	return &opened{path: path, r: r, want: want, sha: sha256.New(), short: md5.New()}, nil
}

// opened is an open member.
type opened struct {
	path       string
	r          io.ReadCloser
	want       sums
	sha, short hash.Hash
}

func (m *opened) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	m.sha.Write(b[:n])
	m.short.Write(b[:n])
	switch {
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, fmt.Errorf("its %s cannot be read: %w", m.path, err)
	case m.want.sha256 != "" && m.want.sha256 != hex.EncodeToString(m.sha.Sum(nil)) || m.want.md5 != "" && m.want.md5 != hex.EncodeToString(m.short.Sum(nil)):
		return n, fmt.Errorf("its %s has other bytes than its manifest says", m.path)
	}
	return n, io.EOF
}

func (m *opened) Close() error { return m.r.Close() }
