package deposit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 64 << 20

// input is the file of JSON lines. Only where each line stands is kept in
// memory, not its text.
type input struct {
	f     *os.File
	dir   *Folder
	lines []line // blank lines left out
	only  *item  // instead of f: what the one line says
}

// line is one line of the input. Its id names it in the state file: "key:" and
// the depositor's key, or "hash:", the hash of the line and how many equal lines
// stand before it, so that lines put in between do not change it.
type line struct {
	number int // from 1
	key    string
	id     string
	hash   string // SHA-256 of the line without the white space around it, hex
	offset int64
	length int
	err    error // why the line cannot be deposited
}

// openInput reads the whole file once and checks every line, so that mistakes
// are known before anything is sent. A bad line is kept with its error; a key
// that occurs twice is an error of the whole file.
func openInput(path string, outside bool) (*input, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the items: %w", err)
	}
	dir, err := OpenFolder(filepath.Dir(path), outside)
	if err != nil {
		f.Close()
		return nil, err
	}
	in := &input{f: f, dir: dir}
	if err := in.scan(); err != nil {
		in.close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return in, nil
}

func (in *input) close() {
	in.dir.Close()
	if in.f != nil {
		in.f.Close()
	}
}

// scan fills in.lines.
func (in *input) scan() error {
	keys := map[string]int{}  // key → line number
	equal := map[string]int{} // hash of a line without key → how many so far
	var twice []string        // keys that occur twice, as messages
	r := bufio.NewReaderSize(in.f, 1<<16)
	var offset int64
	for number := 1; ; number++ {
		text, size, err := readLine(r)
		if err != nil && err != io.EOF && !errors.Is(err, errLongLine) {
			return fmt.Errorf("cannot read line %d: %w", number, err)
		}
		start := offset
		offset += size
		if number == 1 {
			trimmed := bytes.TrimPrefix(text, []byte("\ufeff"))
			start += int64(len(text) - len(trimmed))
			text = trimmed
		}
		if len(bytes.TrimSpace(text)) > 0 {
			ln := line{number: number, offset: start, length: len(text), hash: hashOf(text)}
			it, perr := parseItem(text, in.dir)
			ln.key, ln.err = it.key, perr
			if errors.Is(err, errLongLine) {
				ln.err = errLongLine
			}
			if ln.err == nil && it.collection {
				ln.err = errors.New(`collections are for "alcove import"`)
			}
			if ln.err == nil && it.linked() {
				ln.err = errors.New(`links to files elsewhere are for "alcove import"`)
			}
			if ln.err == nil && it.moves() {
				ln.err = errors.New(`what an item brings along from another repository (published_date, versions, views …) is for "alcove import"`)
			}
			if ln.key != "" {
				ln.id = "key:" + ln.key
				if first, ok := keys[ln.key]; ok {
					twice = append(twice, fmt.Sprintf("key %q stands on line %d and again on line %d", ln.key, first, number))
				} else {
					keys[ln.key] = number
				}
			} else {
				ln.id = fmt.Sprintf("hash:%s:%d", ln.hash, equal[ln.hash])
				equal[ln.hash]++
			}
			in.lines = append(in.lines, ln)
		}
		if err == io.EOF {
			break
		}
	}
	if len(twice) > 0 {
		const shown = 20
		more := ""
		if len(twice) > shown {
			more = fmt.Sprintf("; and %d more", len(twice)-shown)
			twice = twice[:shown]
		}
		return fmt.Errorf("%s%s; nothing was sent", strings.Join(twice, "; "), more)
	}
	return nil
}

// load reads a line again and checks that it is still the one that was scanned.
func (in *input) load(ln line) (item, error) {
	if in.only != nil {
		return *in.only, nil
	}
	text := make([]byte, ln.length)
	if _, err := in.f.ReadAt(text, ln.offset); err != nil && err != io.EOF {
		return item{}, fmt.Errorf("cannot read the line again: %w", err)
	}
	if hashOf(text) != ln.hash {
		return item{}, errors.New("the input file changed during the run")
	}
	return parseItem(text, in.dir)
}

// find returns the line with that id and hash.
func (in *input) find(id, hash string) (line, bool) {
	for _, ln := range in.lines {
		if ln.id == id && ln.hash == hash && ln.err == nil {
			return ln, true
		}
	}
	return line{}, false
}

var errLongLine = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// readLine returns the next line without its line feed and how many bytes it
// took from r. Of a line longer than maxLine it returns the beginning and
// errLongLine, and r stands behind that line. io.EOF comes with the last line.
func readLine(r *bufio.Reader) (text []byte, size int64, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		size += int64(len(piece))
		text = append(text, piece[:min(len(piece), maxLine+1-len(text))]...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return text, size, err
		}
		if len(text) > maxLine {
			return text[:1024], size, errLongLine
		}
		return text[:len(text)-1], size, nil
	}
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(bytes.TrimSpace(text))
	return hex.EncodeToString(sum[:])
}
