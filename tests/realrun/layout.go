package main

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// partSize is how many bytes the upload service takes at once.
const partSize = 10 << 20

// expected is what the server must hold of one record.
type expected struct {
	entry   entry
	article article
	files   map[string]expectedFile // by name
}

// expectedFile is one file of an item.
type expectedFile struct {
	size   int64
	md5    string
	folder string
}

// lay writes dir/items.jsonl and the files it names, for a server with parts of
// so many bytes:
//
//	dir/items.jsonl
//	dir/files/0001/record.json  the record
//	dir/files/0001/README.md    its description; of every 50th item in a folder
//	dir/files/0001/data.bin     two parts and a half; every 100th item
//	dir/files/0002/empty.dat    nothing; every 100th
//	dir/files/0003/part.bin     exactly one part; every 100th
func lay(dir string, entries []entry, offered map[int]bool, part int) ([]expected, error) {
	f, err := os.Create(filepath.Join(dir, "items.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("cannot write the items: %w", err)
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	var list []expected
	for i, e := range entries {
		x := expected{entry: e, article: convert(e, offered), files: map[string]expectedFile{}}
		folder := fmt.Sprintf("files/%04d", i+1)
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return nil, fmt.Errorf("cannot make a folder: %w", err)
		}
		var names []any
		add := func(name, in string, content io.Reader) error {
			file, err := save(filepath.Join(dir, folder, name), content)
			if err != nil {
				return err
			}
			file.folder = in
			x.files[name] = file
			names = append(names, map[string]string{"path": folder + "/" + name, "folder_path": in})
			return nil
		}
		readme := ""
		if i%50 == 0 {
			readme = "/docs/about"
		}
		err := add("record.json", "", bytes.NewReader(e.text))
		if err == nil {
			err = add("README.md", readme, bytes.NewReader([]byte(e.Description)))
		}
		if err == nil && i%100 < 3 {
			switch i % 100 {
			case 0:
				err = add("data.bin", "", noise(i, 2*part+part/2))
			case 1:
				err = add("empty.dat", "", noise(i, 0))
			case 2:
				err = add("part.bin", "", noise(i, part))
			}
		}
		if err != nil {
			return nil, err
		}
		if err := writeLine(out, x, names); err != nil {
			return nil, fmt.Errorf("cannot write the items: %w", err)
		}
		list = append(list, x)
	}
	if err := out.Flush(); err != nil {
		return nil, fmt.Errorf("cannot write the items: %w", err)
	}
	return list, f.Close()
}

// writeLine writes one line for "alcove deposit".
func writeLine(w io.Writer, x expected, files []any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Key string `json:"key"`
		article
		Files   []any `json:"files"`
		Publish bool  `json:"publish"`
	}{x.entry.Slug, x.article, files, true})
}

// save writes a file and returns its size and md5.
func save(path string, content io.Reader) (expectedFile, error) {
	f, err := os.Create(path)
	if err != nil {
		return expectedFile{}, fmt.Errorf("cannot write a file: %w", err)
	}
	defer f.Close()
	h := md5.New()
	n, err := io.Copy(io.MultiWriter(f, h), content)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return expectedFile{}, fmt.Errorf("cannot write a file: %w", err)
	}
	return expectedFile{size: n, md5: hex.EncodeToString(h.Sum(nil))}, nil
}

// noise is size bytes that are random and the same every time.
func noise(seed, size int) io.Reader {
	var key [32]byte
	copy(key[:], fmt.Sprintf("real run %d", seed))
	return io.LimitReader(rand.NewChaCha8(key), int64(size))
}
