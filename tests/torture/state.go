package main

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
)

// The two kinds of items, as they stand in addresses.
const (
	articles    = "articles"
	collections = "collections"
)

// content is what a working copy or a version says of itself.
type content struct {
	Title       string
	Description string
	Tags        []string
	License     int64
	Type        int64
	Authors     []string
	Embargo     string // what kind, until when and why; empty for none
}

// state is an item as its owner and readers must find it. Its visible part is compared as JSON.
type state struct {
	Gone bool // or was never made
	content
	Files    []file
	Links    []link
	Members  []int64   // articles of a collection
	Version  int       // the latest that is public, 0 for none
	Versions []version `json:"-"` // compared one by one
	Held     *version  `json:"-"` // published under an embargo on the whole article
}

// version is a public version.
type version struct {
	content
	Files   []file
	Members []int64
}

// hidesFiles reports whether readers see no files of it.
func (v *version) hidesFiles() bool { return v.Embargo != "" }

// file is a file of a working copy or version. Its bytes follow from Seed and Size.
type file struct {
	Name   string
	Size   int64
	MD5    string
	Status string // created or available
	ID     int64  `json:"-"`
	Seed   uint64 `json:"-"`
	Parts  []part `json:"-"` // of an upload that is not complete
	Upload string `json:"-"` // its address, empty when it was not asked for yet
}

// part is one part of an upload.
type part struct {
	sent  bool // at least once: it may be there
	acked bool // the server said OK: it must be there
	again bool // it was there before it was sent again: that it is there tells nothing of that
}

// link is a private link. Each has a date of its own, by which one whose making was in
// doubt is known again.
type link struct {
	Expires string
	Active  bool
	Token   string `json:"-"`
}

// partSize is that of every server (docs of uploads), in bytes.
const partSize = 10 << 20

// newFile is a file of some bytes by chance.
func newFile(name string, size int64, seed uint64) file {
	f := file{Name: name, Size: size, Status: "created", Seed: seed}
	sum := md5.Sum(f.bytes())
	f.MD5 = hex.EncodeToString(sum[:])
	f.Parts = make([]part, (size+partSize-1)/partSize)
	return f
}

// bytes are the bytes of the file.
func (f *file) bytes() []byte {
	b := make([]byte, f.Size)
	var seed [32]byte
	copy(seed[:], fmt.Sprintf("%032x", f.Seed))
	rand.NewChaCha8(seed).Read(b)
	return b
}

// piece is the bytes of a part, counted from 1.
func (f *file) piece(n int) []byte {
	b := f.bytes()
	return b[int64(n-1)*partSize : min(int64(n)*partSize, f.Size)]
}

// clone is a copy that shares nothing that changes.
func (s state) clone() state {
	s.Tags, s.Authors, s.Links = slices.Clone(s.Tags), slices.Clone(s.Authors), slices.Clone(s.Links)
	s.Members, s.Versions = slices.Clone(s.Members), slices.Clone(s.Versions)
	s.Files = cloneFiles(s.Files)
	if s.Held != nil {
		held := *s.Held
		s.Held = &held
	}
	return s
}

func cloneFiles(files []file) []file {
	files = slices.Clone(files)
	for i := range files {
		files[i].Parts = slices.Clone(files[i].Parts)
	}
	return files
}

// freeze is the working copy as a version.
func (s state) freeze() version {
	c := s.clone()
	return version{content: c.content, Files: c.Files, Members: c.Members}
}

// text is the visible part.
func (s state) text() string {
	s.Tags, s.Authors = orEmpty(s.Tags), orEmpty(s.Authors)
	s.Files, s.Links, s.Members = orEmpty(s.Files), orEmpty(s.Links), orEmpty(s.Members)
	if s.Gone {
		return "not there"
	}
	return string(encode(s))
}

// text is the version as readers must see it. withFiles is false where it is not known
// what an embargo of another version hides.
func (v version) text(withFiles bool) string {
	v.Tags, v.Authors, v.Members = orEmpty(v.Tags), orEmpty(v.Authors), orEmpty(v.Members)
	v.Files = orEmpty(v.Files)
	if !withFiles || v.hidesFiles() {
		v.Files = []file{}
	}
	return string(encode(v))
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// finished reports whether a working copy has no upload under way.
func (s *state) finished() bool {
	return !slices.ContainsFunc(s.Files, func(f file) bool { return f.Status != "available" })
}

// sameBytes reports whether b is what the file holds from an offset on.
func (f *file) sameBytes(b []byte, from int64) bool {
	whole := f.bytes()
	return from+int64(len(b)) <= f.Size && bytes.Equal(b, whole[from:from+int64(len(b))])
}
