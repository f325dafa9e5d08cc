package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"alcove/blobs"
)

// formatName is the first thing that a manifest says.
const formatName = "alcove-backup-1"

// Bounds of what is read of a snapshot. A missing blob takes some 200 bytes of a manifest.
const (
	maxManifest = 64 << 20
	maxNamed    = 10_000 // of missing blobs and damaged records
	maxLine     = 64 + 1 + 19 + 1
)

// Manifest is what a snapshot says of itself.
type Manifest struct {
	Format     string    `json:"format"`
	Snapshot   string    `json:"snapshot"` // its name
	Created    time.Time `json:"created"`  // when it was begun, as the clock said
	Version    string    `json:"version"`  // of the program
	Repository string    `json:"repository"`
	Founded    time.Time `json:"repository_created"` // when the repository was made; zero in earlier ones
	Sequence   uint64    `json:"sequence"`           // of the last entry of the change log
	Head       string    `json:"head"`               // its hash, SHA-256 in hex
	Database   Part      `json:"database"`
	BlobList   Part      `json:"blob_list"`
	Blobs      int64     `json:"blobs"`      // that the snapshot has
	BlobBytes  int64     `json:"blob_bytes"` // of them

	// Erased is set where the snapshot was rewritten without what was erased: the last entry of the change log that
	// is the repository's own.
	Erased uint64 `json:"erased_after,omitempty"`

	// Complete says that nothing is missing and nothing was damaged.
	Complete       bool            `json:"complete"`
	Missing        []Missing       `json:"missing"` // the first of them
	MissingCount   int             `json:"missing_count"`
	DamagedRecords []DamagedRecord `json:"damaged_records"` // the first of them
	DamagedCount   int             `json:"damaged_count"`

	// Sum is the SHA-256 of the manifest as it is stored, with zeros in its place. Older programs wrote
	// none.
	Sum string `json:"sum,omitempty"`
}

var noSum = strings.Repeat("0", 64)

// encode is the manifest as it is stored.
func (m *Manifest) encode() ([]byte, error) {
	m.Sum = noSum
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("cannot write the manifest: %w", err)
	}
	b = append(b, '\n')
	sum := sha256.Sum256(b)
	m.Sum = hex.EncodeToString(sum[:])
	copy(b[bytes.LastIndex(b, []byte(noSum)):], m.Sum)
	return b, nil
}

// checkSum compares a stored manifest with the sum in it.
func (m *Manifest) checkSum(b []byte) error {
	at := bytes.LastIndex(b, []byte(m.Sum))
	if m.Sum == "" || at < 0 {
		return nil
	}
	blank := bytes.Clone(b)
	copy(blank[at:], noSum)
	if sum := sha256.Sum256(blank); hex.EncodeToString(sum[:]) != m.Sum {
		return errors.New("cannot read the manifest: its sum is wrong")
	}
	return nil
}

// Part is a file of a snapshot.
type Part struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Missing is a blob that the database of a snapshot names and that the snapshot does not have,
// because it was damaged or missing when the snapshot was made.
type Missing struct {
	SHA256 string  `json:"sha256"`
	Files  []int64 `json:"files"` // ids of the first files that have it
	Reason string  `json:"reason"`
}

// DamagedRecord is a record of the database that was damaged when the snapshot was made.
type DamagedRecord struct {
	Table  string `json:"table"`
	Key    string `json:"key"`
	Reason string `json:"reason"`
}

// parseManifest reads a manifest strictly: whatever a program of this version would not have
// written is an error.
func parseManifest(b []byte) (*Manifest, error) {
	wrong := func(why string, args ...any) (*Manifest, error) {
		return nil, fmt.Errorf("cannot read the manifest: "+why, args...)
	}
	var is struct {
		Format string `json:"format"`
	}
	if err := json.Unmarshal(b, &is); err != nil {
		return wrong("%w", err)
	}
	if is.Format != formatName {
		return wrong("its format is %.40q, this program reads %q", is.Format, formatName)
	}
	m := new(Manifest)
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return wrong("%w", err)
	}
	if err := m.checkSum(b); err != nil {
		return nil, err
	}
	switch {
	case m.Sum != "" && !isHex(m.Sum, 64):
		return wrong("something that should be a sum is none")
	case !stampPattern.MatchString(m.Snapshot):
		return wrong("%.40q is no name of a snapshot", m.Snapshot)
	case !isHex(m.Head, 64), !isHex(m.Database.SHA256, 64), !isHex(m.BlobList.SHA256, 64), !isHex(m.Repository, 32):
		return wrong("something that should be a sum is none")
	case m.Database.Size < 0, m.BlobList.Size < 0, m.Blobs < 0, m.BlobBytes < 0:
		return wrong("a size is negative")
	case m.MissingCount < len(m.Missing), m.DamagedCount < len(m.DamagedRecords), m.Complete != (m.MissingCount+m.DamagedCount == 0):
		return wrong("it contradicts itself on what is missing")
	}
	for _, lost := range m.Missing {
		if !isHex(lost.SHA256, 64) {
			return wrong("something that should be a sum is none")
		}
	}
	return m, nil
}

func isHex(text string, n int) bool {
	return len(text) == n && strings.Trim(text, "0123456789abcdef") == ""
}

// manifest reads the manifest of a snapshot.
func (d *dest) manifest(snapshot string) (*Manifest, error) {
	f, size, err := d.openFile(place(snapshot, manifestName))
	if err != nil {
		return nil, fmt.Errorf("cannot read the manifest of %s: %w", snapshot, err)
	}
	defer f.Close()
	if size > maxManifest {
		return nil, fmt.Errorf("cannot read the manifest of %s: it has %d bytes", snapshot, size)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxManifest))
	if err != nil {
		return nil, fmt.Errorf("cannot read the manifest of %s: %w", snapshot, err)
	}
	m, err := parseManifest(b)
	if err == nil && m.Snapshot != snapshot {
		err = fmt.Errorf("cannot use the manifest of %s: it is that of %s", snapshot, m.Snapshot)
	}
	return m, err
}

// entry is a line of a list of blobs.
type entry struct {
	ref  blobs.Ref
	size int64
}

func (e entry) String() string { return e.ref.String() + " " + strconv.FormatInt(e.size, 10) + "\n" }

// parseEntry reads a line of a list of blobs, without its end. Nothing but a digest can be a
// name, so none leads anywhere.
func parseEntry(line string) (e entry, err error) {
	digest, size, ok := strings.Cut(line, " ")
	if !ok {
		return e, errors.New("cannot read the list of blobs: a line has no size")
	}
	if e.ref, err = blobs.ParseRef(digest); err != nil {
		return e, fmt.Errorf("cannot read the list of blobs: %w", err)
	}
	if e.size, err = strconv.ParseInt(size, 10, 64); err != nil || e.size < 0 || strconv.FormatInt(e.size, 10) != size {
		return e, fmt.Errorf("cannot read the list of blobs: %.40q is no size", size)
	}
	return e, nil
}

// entries reads a list of blobs one by one; it must ascend.
type entries struct {
	in   *bufio.Scanner
	sha  interface{ Sum([]byte) []byte }
	last entry
	any  bool
	size int64 // bytes of the list
	sum  int64 // of the sizes
	n    int64
}

func newEntries(r io.Reader) *entries {
	sha := sha256.New()
	e := &entries{sha: sha, in: bufio.NewScanner(io.TeeReader(r, sha))}
	e.in.Buffer(make([]byte, 0, 64<<10), 64<<10)
	e.in.Split(wholeLines)
	return e
}

// wholeLines splits at line ends, of which the last line must have one.
func wholeLines(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if len(data) > maxLine || atEOF && len(data) > 0 {
		return 0, nil, errors.New("a line has no end")
	}
	return 0, nil, nil
}

// next is the next entry; io.EOF at the end.
func (e *entries) next() (entry, error) {
	if !e.in.Scan() {
		if err := e.in.Err(); err != nil {
			return entry{}, fmt.Errorf("cannot read the list of blobs: %w", err)
		}
		return entry{}, io.EOF
	}
	this, err := parseEntry(e.in.Text())
	if err != nil {
		return this, err
	}
	if e.any && bytes.Compare(this.ref[:], e.last.ref[:]) <= 0 {
		return this, errors.New("cannot read the list of blobs: it is not in order")
	}
	e.last, e.any = this, true
	e.size += int64(len(e.in.Bytes())) + 1
	if e.sum += this.size; e.sum < 0 {
		return this, errors.New("cannot read the list of blobs: the sizes are impossible")
	}
	e.n++
	return this, nil
}

// matches reports whether the list that was read to its end is the one of a manifest.
func (e *entries) matches(m *Manifest) error {
	got := Part{e.size, hex.EncodeToString(e.sha.Sum(nil))}
	if got != m.BlobList || e.n != m.Blobs || e.sum != m.BlobBytes {
		return errors.New("cannot use the list of blobs: it is not the one that the manifest tells of")
	}
	return nil
}

// eachBlob calls fn for each blob that a snapshot has, in order. Only a nil error says that the
// list is the right one.
func (d *dest) eachBlob(m *Manifest, fn func(entry) error) error {
	f, _, err := d.openFile(place(m.Snapshot, listName))
	if err != nil {
		return fmt.Errorf("cannot read the list of blobs: %w", err)
	}
	defer f.Close()
	list := newEntries(f)
	for {
		e, err := list.next()
		if errors.Is(err, io.EOF) {
			return list.matches(m)
		}
		if err != nil {
			return err
		}
		if err := fn(e); err != nil {
			return err
		}
	}
}
