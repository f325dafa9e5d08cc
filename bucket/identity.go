package bucket

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"alcove/bucket/identity"
	"alcove/bucket/kv"
)

// admit is Admit for Open: where nothing is, and may be made, it returns true.
func admit(dir string, o Options) (fresh bool, err error) {
	err = identity.Admit(dir)
	if !errors.Is(err, identity.ErrAbsent) || o.Existing {
		return false, err
	}
	if o.Repository != "" {
		return false, fmt.Errorf("%w; the setting repository names %s, so none is made there: is its disk mounted?", err, o.Repository)
	}
	return true, nil
}

// identityKey is where the database has its identity.
var identityKey = []byte("identity")

// identityOf is what a database says of itself: nil of one that was never prepared. Programs that
// kept no identity kept a secret, from which the id is derived.
func identityOf(m kv.Bucket) (*identity.Identity, error) {
	secret, b := m.Get(secretKey), m.Get(identityKey)
	if b != nil {
		id := new(identity.Identity)
		if err := json.Unmarshal(b, id); err != nil || !identity.Valid(id.ID) {
			return nil, errors.New("cannot use the database: its identity is damaged")
		}
		return id, nil
	}
	if len(secret) == 0 {
		return nil, nil
	}
	return &identity.Identity{ID: identity.Spelled(repositoryName(secret))}, nil
}

// identify fails with ErrOther when a database is not the one of its directory, or not the one that
// is wanted. Nothing was written to it until then.
func (db *DB) identify(dir, wanted string) error {
	of, err := identity.Read(dir)
	if err != nil {
		return err
	}
	var own *identity.Identity
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
	if of != nil && (own == nil || !identity.Same(of.ID, own.ID)) {
		return fmt.Errorf("cannot use %s: %w. %s says that the directory belongs to the repository %s, but %s is that of %s. "+
			"Put the right one back, or bring it back with \"alcove check --rebuild --from BACKUP --data %s\" or \"alcove restore BACKUP NEWDIR\"",
			dir, identity.ErrOther, identity.File, of.ID, FileName, name, dir)
	}
	if wanted != "" && (own == nil || !identity.Same(wanted, own.ID)) {
		return fmt.Errorf("cannot use %s: %w. It holds %s, and the setting repository names %s", dir, identity.ErrOther, name, wanted)
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
func (db *DB) Identity() identity.Identity { return db.identity }

// Made reports whether this Open has made the repository.
func (db *DB) Made() bool { return db.made }

// Repository is the id of the store as backups write it: 32 hex digits without dashes.
func (db *DB) Repository() string { return identity.Plain(db.identity.ID) }

// Identity names the store that this is a copy of.
func (c *Copy) Identity() (id identity.Identity, err error) {
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
	return identity.Plain(id.ID), err
}
