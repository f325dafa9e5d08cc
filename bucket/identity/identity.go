// Package identity is whose a data directory is.
package identity

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"alcove/bucket/bolt"
)

// Database is the name of the database inside a data directory.
const Database = "alcove.db"

// Unfinished is the name of a file in a data directory whose restore has not come to its end.
// bucket.Open refuses such a directory: what is there is not all of it.
const Unfinished = "restore.unfinished"

// ErrUnfinished says that a data directory is the beginning of a restore.
var ErrUnfinished = errors.New("a restore into this data directory did not come to its end; run alcove restore again")

// File is the name of the file in a data directory that says whose it is: the JSON of its
// Identity. The database says the same of itself, and so do backups. A directory whose database is
// missing, or is another's, is told by it.
const File = "repository.json"

// Identity names a repository for its life, its copies and backups included.
type Identity struct {
	ID string `json:"id"` // 128 bits in the form of a UUID of RFC 9562
	// Created is when the repository was made; of one that an earlier program made, the time of its
	// first change, or when it got an identity if it had none.
	Created time.Time `json:"created"`
}

// Reasons for which a data directory is not opened; errors of bucket.Open and Admit wrap them.
var (
	ErrAbsent = errors.New("there is no repository") // neither a database nor anything that belongs to one
	ErrLost   = errors.New("the database is missing")
	ErrOther  = errors.New("it is another repository's")
)

// holdings are the names of what makes a directory one of a repository. Certificates, sockets and
// reports do not: they can be there before it, or be kept when it moves.
var holdings = []string{Database, File, "blobs", "uploads", "index", "sums", "thumbs", Unfinished, "restoring"}

// Holdings are the names in a directory that belong to a repository, in order, none of a directory
// that is not there. The demonstration, a restore and a first start need a directory without any;
// what else lies in it, as lost+found or a configuration file, does not count.
func Holdings(dir string) (found []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot look into the data directory: %w", err)
	}
	for _, e := range entries {
		if name := e.Name(); slices.Contains(holdings, name) || strings.HasPrefix(name, Database+".") {
			found = append(found, name)
		}
	}
	return found, nil
}

// Found says what is in a directory, for an error message.
func Found(dir string) string {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case err != nil:
		return err.Error()
	case len(entries) == 0:
		return "it is empty"
	}
	const most = 8
	var names []string
	for _, e := range entries[:min(most, len(entries))] {
		names = append(names, e.Name())
	}
	if more := len(entries) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return "it has " + strings.Join(names, ", ")
}

// Admit fails when a directory is not one of a repository, with ErrAbsent, or is what is left of one
// whose database is missing, with ErrLost: nothing may be made there, as the bytes of files that no
// record names would be taken for left-overs. The messages have the path, what was found there and
// what to do. It reads names only and changes nothing.
func Admit(dir string) error {
	if _, err := os.Lstat(filepath.Join(dir, Unfinished)); err == nil {
		return fmt.Errorf("cannot use %s: %w", dir, ErrUnfinished)
	}
	if _, err := os.Stat(filepath.Join(dir, Database)); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot use %s: %w", dir, err)
	}
	left, err := Holdings(dir)
	if err != nil {
		return err
	}
	if len(left) == 0 {
		return fmt.Errorf("%w in %s: %s", ErrAbsent, dir, Found(dir))
	}
	if _, err := os.Stat(filepath.Join(dir, Database)); err == nil { // another process has made it meanwhile
		return nil
	}
	whose := ""
	if id, err := Read(dir); err == nil && id != nil {
		whose = " of the repository " + id.ID
	}
	return fmt.Errorf("cannot use %s: %w. It has %s%s, but no %s. If a disk is not mounted, mount it; otherwise bring the repository back with "+
		"\"alcove check --rebuild --from BACKUP --data %s\", which keeps what is there, or with \"alcove restore BACKUP NEWDIR\"",
		dir, ErrLost, strings.Join(left, ", "), whose, Database, dir)
}

// Read reads the identity of a directory, nil when it has none.
func Read(dir string) (*Identity, error) {
	path := filepath.Join(dir, File)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot tell whose the data directory is: %w", err)
	}
	id := new(Identity)
	if err := json.Unmarshal(b, id); err != nil || !Valid(id.ID) {
		return nil, fmt.Errorf("cannot tell whose the data directory is: %s is damaged; if you are sure that %s beside it is the right one, remove %s, and it is made again", path, Database, File)
	}
	return id, nil
}

// Write makes the file, durably. It never replaces one.
func Write(dir string, id Identity) error {
	b, err := json.MarshalIndent(id, "", "  ")
	if err != nil {
		return err
	}
	path, tmp := filepath.Join(dir, File), filepath.Join(dir, ".new-"+File)
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = f.Write(append(b, '\n'))
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err == nil {
		err = bolt.SyncDir(dir)
	}
	if err != nil {
		return fmt.Errorf("cannot note whose the data directory is: %w", err)
	}
	return nil
}

// Plain is an id without what may be written differently.
func Plain(id string) string { return strings.ReplaceAll(strings.ToLower(id), "-", "") }

// Same reports whether two ids name one repository: dashes and capitals do not count.
func Same(a, b string) bool { return Plain(a) == Plain(b) }

// Spelled is a name of 32 hex digits in the form of a UUID.
func Spelled(name string) string {
	return name[:8] + "-" + name[8:12] + "-" + name[12:16] + "-" + name[16:20] + "-" + name[20:]
}

// Valid reports whether a text is 128 bits in hex.
func Valid(text string) bool {
	b, err := hex.DecodeString(Plain(text))
	return err == nil && len(b) == 16
}
