package ocfl

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Change is an object that is being made, or that gets versions. It is made below work, and Commit puts it into place.
type Change struct {
	r     *Root
	inv   *Inventory
	whole bool // the object is written whole, in place of the one before
	first int  // of the versions that are added
	place func(f *File, to string) error
}

// Placer puts the bytes of a file at a path of the system where nothing is, durably but for their name.
type Placer func(f *File, to string) error

// Begin begins to change the object of an id, whose inventory is that; with nil it is written whole.
func (r *Root) Begin(id string, inv *Inventory, place Placer) (*Change, error) {
	if err := r.Clean(); err != nil {
		return nil, err
	}
	c := &Change{r: r, inv: inv, place: place}
	if c.whole = inv == nil; c.whole {
		c.inv = &Inventory{
			ID: id, Type: inventoryType, DigestAlgorithm: algorithm, Head: "v0",
			Manifest: map[string][]string{}, Versions: map[string]Version{}, Fixity: map[string]map[string][]string{"md5": {}},
		}
	}
	c.first = last(c.inv) + 1
	if err := r.makeAll(work + "/object"); err != nil {
		return nil, fmt.Errorf("cannot begin an object: %w", err)
	}
	if !c.whole {
		return c, nil
	}
	return c, r.write(work+"/object/"+objectDeclaration, []byte(objectDeclaration[2:]+"\n"))
}

func last(inv *Inventory) int {
	n, _ := strconv.Atoi(inv.Head[1:])
	return n
}

// Made is a small file that is not stored elsewhere.
func Made(path string, text []byte) File {
	sum, short := sha256.Sum256(text), md5.Sum(text)
	return File{Path: path, SHA256: hex.EncodeToString(sum[:]), MD5: hex.EncodeToString(short[:]), Size: int64(len(text)), Bytes: text}
}

// Add adds a version with files, whose paths are in no other's way. Bytes that the object has already are not stored
// again.
func (c *Change) Add(files []File, message string, by User, at time.Time) error {
	c.inv.Head = "v" + strconv.Itoa(last(c.inv)+1)
	dir := work + "/object/" + c.inv.Head
	if err := c.r.makeAll(dir); err != nil {
		return fmt.Errorf("cannot begin a version: %w", err)
	}
	dirs := map[string]bool{}
	for i := range files {
		f := &files[i]
		if len(c.inv.Manifest[f.SHA256]) > 0 {
			continue
		}
		within := contentDirectory + "/" + f.Path
		if len(f.Path) > maxPath { // systems take no path of more than 4,096 bytes
			within = contentDirectory + "/long/" + f.SHA256
		}
		if err := c.put(f, dir+"/"+within, dirs); err != nil {
			return err
		}
		at := c.inv.Head + "/" + within
		c.inv.Manifest[f.SHA256] = []string{at}
		c.inv.Fixity["md5"][f.MD5] = append(c.inv.Fixity["md5"][f.MD5], at)
	}
	c.inv.Versions[c.inv.Head] = Version{Created: at, State: StateOf(files), Message: message, User: by}
	for name := range dirs {
		if err := c.r.sync(name); err != nil {
			return fmt.Errorf("cannot sync a version: %w", err)
		}
	}
	if err := errors.Join(c.r.save(dir, c.inv), c.r.sync(dir)); err != nil {
		return fmt.Errorf("cannot write the inventory of a version: %w", err)
	}
	return nil
}

// maxPath is how long a logical path may be, in bytes, to be that of the content, too.
const maxPath = 1000

// put stores a file below the version that is being made, and notes the directories that have new names.
func (c *Change) put(f *File, to string, dirs map[string]bool) error {
	if err := c.r.root.MkdirAll(path.Dir(to), 0o700); err != nil {
		return fmt.Errorf("cannot make a folder of a version: %w", err)
	}
	for dir := path.Dir(to); dir != work+"/object" && !dirs[dir]; dir = path.Dir(dir) {
		dirs[dir] = true
	}
	var err error
	if f.Bytes != nil {
		err = c.r.write(to, f.Bytes)
	} else {
		err = c.place(f, c.r.abs(to))
	}
	if err != nil {
		return fmt.Errorf("cannot put %s into a version: %w", f.SHA256, err)
	}
	return nil
}

// Commit puts what was made into place, durably. An object that was written whole takes the place of the one before.
func (c *Change) Commit() error {
	dir := PathOf(c.inv.ID)
	if c.whole {
		if err := errors.Join(c.r.save(work+"/object", c.inv), c.r.sync(work+"/object")); err != nil {
			return fmt.Errorf("cannot write the inventory of an object: %w", err)
		}
		if err := c.r.takeAway(dir); err != nil {
			return err
		}
		err := c.r.makeAll(path.Dir(dir))
		if err == nil {
			err = c.r.root.Rename(work+"/object", dir)
		}
		if err == nil {
			err = c.r.sync(path.Dir(dir))
		}
		if err != nil {
			return fmt.Errorf("cannot put an object into its place: %w", err)
		}
		return c.r.Clean()
	}
	for n := c.first; n <= c.inv.Last(); n++ {
		name := "v" + strconv.Itoa(n)
		if err := c.r.root.Rename(work+"/object/"+name, dir+"/"+name); err != nil {
			return fmt.Errorf("cannot put a version into its place: %w", err)
		}
		if err := c.r.sync(dir); err != nil {
			return err
		}
	}
	if err := c.r.setHead(dir, c.inv); err != nil {
		return err
	}
	return c.r.Clean()
}

// setHead gives an object the inventory of its newest version, the checksum last.
func (r *Root) setHead(dir string, inv *Inventory) error {
	err := errors.Join(r.makeAll(work), r.save(work, inv), r.sync(work))
	for _, name := range []string{inventoryFile, sidecarFile} {
		if err == nil {
			err = r.root.Rename(work+"/"+name, dir+"/"+name)
		}
		if err == nil {
			err = r.sync(dir)
		}
	}
	if err != nil {
		return fmt.Errorf("cannot replace the inventory of an object: %w", err)
	}
	return nil
}

// Remove removes the object of an id, and directories that are empty then. One that is not there is no error.
func (r *Root) Remove(id string) error {
	dir := PathOf(id)
	if err := r.takeAway(dir); err != nil {
		return err
	}
	for up := path.Dir(dir); up != "."; up = path.Dir(up) {
		names, err := r.names(up)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || len(names) > 0 {
			break
		}
		if err := errors.Join(r.root.Remove(up), r.sync(path.Dir(up))); err != nil {
			return fmt.Errorf("cannot remove an empty directory: %w", err)
		}
	}
	return r.Clean()
}

// takeAway moves an object out of the tree in one step; Clean removes it.
func (r *Root) takeAway(dir string) error {
	if _, err := r.root.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := errors.Join(r.makeAll(work), r.root.RemoveAll(work+"/old"))
	if err == nil {
		err = r.root.Rename(dir, work+"/old")
	}
	if err == nil {
		err = errors.Join(r.sync(path.Dir(dir)), r.sync(work))
	}
	if err != nil {
		return fmt.Errorf("cannot take an object away: %w", err)
	}
	return nil
}

// Holds reports whether the object at a path names one of some digests, by its text: one that cannot be read otherwise
// may still have the bytes.
func (r *Root) Holds(dir string, digests []string) (bool, error) {
	names, err := r.names(dir)
	if err != nil {
		return false, err
	}
	for _, name := range append(names, ".") {
		text, err := r.read(path.Join(dir, name, inventoryFile), maxInventory)
		if errors.Is(err, fs.ErrNotExist) || number(name) == 0 && name != "." {
			continue
		}
		if err != nil {
			return false, err
		}
		whole := strings.ToLower(string(text))
		if slices.ContainsFunc(digests, func(d string) bool { return strings.Contains(whole, d) }) {
			return true, nil
		}
	}
	return false, nil
}

// Paths are the logical paths of a version by digest.
func (v *Version) Paths() (paths map[string][]string, err error) {
	if err := json.Unmarshal(v.State, &paths); err != nil {
		return nil, fmt.Errorf("the state of a version cannot be read: %w: %w", ErrDamaged, err)
	}
	return paths, nil
}

// Digests are those of the bytes of an object that lie below a folder.
func (inv *Inventory) Digests(folder string) map[string]bool {
	out := map[string]bool{}
	for digest := range maps.Keys(inv.Manifest) {
		for _, at := range inv.Manifest[digest] {
			_, within, _ := strings.Cut(at, "/"+contentDirectory+"/")
			if strings.HasPrefix(within, folder+"/") || strings.HasPrefix(within, "long/") {
				out[digest] = true
			}
		}
	}
	return out
}

// Objects calls fn with the directory of each object, and ends with its first error.
func (r *Root) Objects(ctx context.Context, fn func(dir string) error) error {
	names, err := r.list(".")
	for _, name := range names {
		if err != nil {
			break
		}
		if info, wrong := r.root.Lstat(name); wrong == nil && info.IsDir() && name != extensions {
			err = r.objects(ctx, name, 1, fn)
		}
	}
	return err
}

func (r *Root) objects(ctx context.Context, dir string, depth int, fn func(dir string) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	names, err := r.list(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || depth > maxDepth {
		return err
	}
	if slices.Contains(names, inventoryFile) || slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "0=") }) {
		return fn(dir)
	}
	for _, name := range names {
		info, err := r.root.Lstat(path.Join(dir, name))
		if err == nil && info.IsDir() {
			err = r.objects(ctx, path.Join(dir, name), depth+1, fn)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Take removes the object at a path, and tells its id, by the name of its directory where that says it.
func (r *Root) Take(dir string) (id string, err error) {
	id, ok := IDAt(dir)
	if !ok {
		return "", errors.Join(r.takeAway(dir), r.Clean())
	}
	return id, r.Remove(id)
}

// IDAt is the id of the object that belongs at a path, where the path says it.
func IDAt(dir string) (id string, ok bool) {
	id, err := url.PathUnescape(path.Base(dir))
	return id, err == nil && PathOf(id) == dir
}

// Has reports whether there is something in the place of the object of an id.
func (r *Root) Has(id string) (bool, error) {
	_, err := r.root.Lstat(PathOf(id))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
