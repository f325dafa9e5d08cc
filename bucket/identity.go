package bucket

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
	"alcove/bucket/kv"
)

// IdentityFile is the name of the file in a data directory that says whose it is: the JSON of its
// Identity. The database says the same of itself, and so do backups. A directory whose database is
// missing, or is another's, is told by it.
const IdentityFile = "repository.json"

// Identity names a repository for its life, its copies and backups included.
type Identity struct {
	ID string `json:"id"` // 128 bits in the form of a UUID of RFC 9562
	// Created is when the repository was made; of one that an earlier program made, the time of its
	// first change, or when it got an identity if it had none.
	Created time.Time `json:"created"`
}

// Reasons for which a data directory is not opened; errors of Open and Admit wrap them.
var (
	ErrAbsent = errors.New("there is no repository") // neither a database nor anything that belongs to one
	ErrLost   = errors.New("the database is missing")
	ErrOther  = errors.New("it is another repository's")
)

// holdings are the names of what makes a directory one of a repository. Certificates, sockets and
// reports do not: they can be there before it, or be kept when it moves.
var holdings = []string{FileName, IdentityFile, "blobs", "uploads", "index", "sums", "thumbs", Unfinished, "restoring"}

// Holdings are the names in a directory that belong to a repository, in order, none of a directory
// that is not there. The demonstration, a restore and a first start need a directory without any;
// what else lies in it, as lost+found or a configuration file, does not count.
func Holdings(dir string) (found []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot look into the data directory: %w", err)
	}
	for _, e := range entries {
		if name := e.Name(); slices.Contains(holdings, name) || strings.HasPrefix(name, FileName+".") {
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
	if _, err := os.Stat(filepath.Join(dir, FileName)); err == nil {
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
	if _, err := os.Stat(filepath.Join(dir, FileName)); err == nil { // another process has made it meanwhile
		return nil
	}
	whose := ""
	if id, err := readIdentity(dir); err == nil && id != nil {
		whose = " of the repository " + id.ID
	}
	return fmt.Errorf("cannot use %s: %w. It has %s%s, but no %s. If a disk is not mounted, mount it; otherwise bring the repository back with "+
		"\"alcove check --rebuild --from BACKUP --data %s\", which keeps what is there, or with \"alcove restore BACKUP NEWDIR\"",
		dir, ErrLost, strings.Join(left, ", "), whose, FileName, dir)
}

// admit is Admit for Open: where nothing is, and may be made, it returns true.
func admit(dir string, o Options) (fresh bool, err error) {
	err = Admit(dir)
	if !errors.Is(err, ErrAbsent) || o.Existing {
		return false, err
	}
	if o.Repository != "" {
		return false, fmt.Errorf("%w; the setting repository names %s, so none is made there: is its disk mounted?", err, o.Repository)
	}
	return true, nil
}

// readIdentity reads the identity of a directory, nil when it has none.
func readIdentity(dir string) (*Identity, error) {
	path := filepath.Join(dir, IdentityFile)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot tell whose the data directory is: %w", err)
	}
	id := new(Identity)
	if err := json.Unmarshal(b, id); err != nil || !validName(id.ID) {
		return nil, fmt.Errorf("cannot tell whose the data directory is: %s is damaged; if you are sure that %s beside it is the right one, remove %s, and it is made again", path, FileName, IdentityFile)
	}
	return id, nil
}

// IdentityOf is what a data directory says whose it is, nil when it has lost that or never had it.
func IdentityOf(dir string) (*Identity, error) { return readIdentity(dir) }

// writeIdentity makes the file, durably. It never replaces one.
func writeIdentity(dir string, id Identity) error {
	b, err := json.MarshalIndent(id, "", "  ")
	if err != nil {
		return err
	}
	path, tmp := filepath.Join(dir, IdentityFile), filepath.Join(dir, ".new-"+IdentityFile)
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

// plainID is an id without what may be written differently.
func plainID(id string) string { return strings.ReplaceAll(strings.ToLower(id), "-", "") }

// SameID reports whether two ids name one repository: dashes and capitals do not count.
func SameID(a, b string) bool { return plainID(a) == plainID(b) }

// spelled is a name of 32 hex digits in the form of a UUID.
func spelled(name string) string {
	return name[:8] + "-" + name[8:12] + "-" + name[12:16] + "-" + name[16:20] + "-" + name[20:]
}

// identityKey is where the database has its identity.
var identityKey = []byte("identity")

// identityOf is what a database says of itself: nil of one that was never prepared. Programs that
// kept no identity kept a secret, from which the id is derived.
func identityOf(m kv.Bucket) (*Identity, error) {
	secret, b := m.Get(secretKey), m.Get(identityKey)
	if b != nil {
		id := new(Identity)
		if err := json.Unmarshal(b, id); err != nil || !validName(id.ID) {
			return nil, errors.New("cannot use the database: its identity is damaged")
		}
		return id, nil
	}
	if len(secret) == 0 {
		return nil, nil
	}
	return &Identity{ID: spelled(repositoryName(secret))}, nil
}

// identify fails with ErrOther when a database is not the one of its directory, or not the one that
// is wanted. Nothing was written to it until then.
func (db *DB) identify(dir, wanted string) error {
	of, err := readIdentity(dir)
	if err != nil {
		return err
	}
	var own *Identity
	whole := false
	err = kv.View(db.kv, func(tx kv.Tx) (err error) {
		m := tx.Bucket(metaBucket)
		if checkFormat(m) != nil || checkSettings(m) != nil {
			return nil // what is wrong with it is told by who prepares or checks it
		}
		whole = true
		own, err = identityOf(m)
		return err
	})
	if err != nil || !whole {
		return err
	}
	name := "no repository yet"
	if own != nil {
		name = "the repository " + own.ID
	}
	if of != nil && (own == nil || !SameID(of.ID, own.ID)) {
		return fmt.Errorf("cannot use %s: %w. %s says that the directory belongs to the repository %s, but %s is that of %s. "+
			"Put the right one back, or bring it back with \"alcove check --rebuild --from BACKUP --data %s\" or \"alcove restore BACKUP NEWDIR\"",
			dir, ErrOther, IdentityFile, of.ID, FileName, name, dir)
	}
	if wanted != "" && (own == nil || !SameID(wanted, own.ID)) {
		return fmt.Errorf("cannot use %s: %w. It holds %s, and the setting repository names %s", dir, ErrOther, name, wanted)
	}
	return nil
}

// ensureIdentity gives a database its identity, if it has none. The secret is there.
func (db *DB) ensureIdentity(tx kv.Tx) error {
	m := tx.Bucket(metaBucket)
	if m.Get(identityKey) != nil {
		return nil
	}
	id, err := identityOf(m)
	if err != nil {
		return err
	}
	if db.known != nil { // the directory knows, and the secret was lost
		id = db.known
	}
	if id.Created.IsZero() {
		id.Created = db.clock().UTC().Truncate(time.Second)
		if k, v := kv.First(tx.Bucket(logBucket).Ascend(nil)); k != nil {
			if c, err := decodeChange(k, v); err == nil {
				id.Created = c.Time.UTC().Truncate(time.Second)
			}
		}
	}
	b, err := json.Marshal(id)
	if err == nil {
		err = m.Put(identityKey, b)
	}
	if err != nil {
		return fmt.Errorf("cannot give the database an identity: %w", err)
	}
	return nil
}

// Identity names the repository.
func (db *DB) Identity() Identity { return db.identity }

// Made reports whether this Open has made the repository.
func (db *DB) Made() bool { return db.made }

// Repository is the id of the store as backups write it: 32 hex digits without dashes.
func (db *DB) Repository() string { return plainID(db.identity.ID) }

// Identity names the store that this is a copy of.
func (c *Copy) Identity() (id Identity, err error) {
	defer survive(&err)()
	err = kv.View(c.kv, func(tx kv.Tx) error {
		own, err := identityOf(tx.Bucket(metaBucket))
		if err == nil && own == nil {
			err = errors.New("cannot use the copy of the database: it belongs to no repository")
		}
		if err == nil {
			id = *own
		}
		return err
	})
	return id, err
}

// Repository is the id of the store that this is a copy of, in 32 hex digits.
func (c *Copy) Repository() (string, error) {
	id, err := c.Identity()
	return plainID(id.ID), err
}

// validName reports whether a text is 128 bits in hex.
func validName(text string) bool {
	b, err := hex.DecodeString(plainID(text))
	return err == nil && len(b) == 16
}
