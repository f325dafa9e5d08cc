package ocfl

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

const inventoryType = "https://ocfl.io/1.1/spec/#inventory"

// maxInventory bounds an inventory in bytes, as it is read as a whole: some twenty versions of 100,000 files.
const maxInventory = 256 << 20

// ErrTooLarge says that an object would have a larger inventory than is read.
var ErrTooLarge = fmt.Errorf("the inventory of an object has more than %d MiB", maxInventory>>20)

// Inventory says what an object has.
type Inventory struct {
	ID              string                         `json:"id"`
	Type            string                         `json:"type"`
	DigestAlgorithm string                         `json:"digestAlgorithm"`
	Head            string                         `json:"head"`
	Manifest        map[string][]string            `json:"manifest"` // content paths by digest
	Versions        map[string]Version             `json:"versions"`
	Fixity          map[string]map[string][]string `json:"fixity"` // content paths by algorithm and digest
}

// Version is one of an object.
type Version struct {
	Created time.Time       `json:"created"`
	State   json.RawMessage `json:"state"` // logical paths by digest, as StateOf writes them
	Message string          `json:"message"`
	User    User            `json:"user"`
}

// User says who made a version.
type User struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// File is a file of a version.
type File struct {
	Path   string // logical
	SHA256 string
	MD5    string
	Size   int64
	CRC32  uint32
	Bytes  []byte // of a small one that is not stored elsewhere
}

// number is that of a version by its name, 0 for another name.
func number(name string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "v"))
	if err != nil || n < 1 || name != "v"+strconv.Itoa(n) {
		return 0
	}
	return n
}

// Last is the number of the newest version, 0 for none.
func (inv *Inventory) Last() int { return number(inv.Head) }

// StateOf is the state of a version as inventories have it. The same files make the same text, in whatever order they are.
func StateOf(files []File) json.RawMessage {
	paths := map[string][]string{}
	for i := range files {
		paths[files[i].SHA256] = append(paths[files[i].SHA256], files[i].Path)
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	writePaths(w, paths, "        ")
	w.Flush()
	return b.Bytes()
}

// writePaths writes paths by digest, a digest a line, in an order that is always the same.
func writePaths(w *bufio.Writer, paths map[string][]string, indent string) {
	w.WriteString("{")
	between := "\n"
	for _, digest := range slices.Sorted(maps.Keys(paths)) {
		w.WriteString(between + indent + `  "` + digest + `": [`)
		between = ",\n"
		list := slices.Clone(paths[digest])
		slices.Sort(list)
		for i, p := range list {
			if i > 0 {
				w.WriteString(", ")
			}
			w.WriteString(quoted(p))
		}
		w.WriteString("]")
	}
	if len(paths) > 0 {
		w.WriteString("\n" + indent)
	}
	w.WriteString("}")
}

// quoted is a text as JSON that people read: < and & stay as they are.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always can be
	return strings.TrimSuffix(b.String(), "\n")
}

// encode writes an inventory for people: a line for each digest.
func (inv *Inventory) encode(to io.Writer) error {
	w := bufio.NewWriterSize(to, 64<<10)
	fmt.Fprintf(w, "{\n  \"id\": %s,\n  \"type\": %s,\n  \"digestAlgorithm\": %s,\n  \"head\": %s,\n  \"manifest\": ",
		quoted(inv.ID), quoted(inv.Type), quoted(inv.DigestAlgorithm), quoted(inv.Head))
	writePaths(w, inv.Manifest, "  ")
	w.WriteString(",\n  \"versions\": {")
	for n := 1; n <= inv.Last(); n++ {
		name := "v" + strconv.Itoa(n)
		v := inv.Versions[name]
		if n > 1 {
			w.WriteString(",")
		}
		fmt.Fprintf(w, "\n    %s: {\n      \"created\": %s,\n      \"message\": %s,\n      \"user\": {\"name\": %s, \"address\": %s},\n      \"state\": ",
			quoted(name), quoted(v.Created.UTC().Format(time.RFC3339)), quoted(v.Message), quoted(v.User.Name), quoted(v.User.Address))
		w.Write(v.State)
		w.WriteString("\n    }")
	}
	w.WriteString("\n  },\n  \"fixity\": {\n    \"md5\": ")
	writePaths(w, inv.Fixity["md5"], "    ")
	w.WriteString("\n  }\n}\n")
	return w.Flush()
}

// save writes an inventory and its checksum into a directory, durably but for their names.
func (r *Root) save(dir string, inv *Inventory) error {
	sum, size := sha256.New(), new(counter)
	err := r.fill(path.Join(dir, inventoryFile), func(w io.Writer) error { return inv.encode(io.MultiWriter(w, sum, size)) })
	if err == nil && *size > maxInventory {
		err = ErrTooLarge
	}
	if err != nil {
		return err
	}
	return r.write(path.Join(dir, sidecarFile), []byte(hex.EncodeToString(sum.Sum(nil))+"  "+inventoryFile+"\n"))
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// load reads an inventory that its checksum vouches for.
func (r *Root) load(dir, id string) (*Inventory, error) {
	b, err := r.read(path.Join(dir, inventoryFile), maxInventory)
	if err != nil {
		return nil, err
	}
	side, err := r.read(path.Join(dir, sidecarFile), 1<<10)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	if digest, _, _ := strings.Cut(string(side), " "); digest != hex.EncodeToString(sum[:]) {
		return nil, fmt.Errorf("%s/%s is not what its checksum says: %w", dir, inventoryFile, ErrDamaged)
	}
	inv := &Inventory{}
	if err := json.Unmarshal(b, inv); err != nil {
		return nil, fmt.Errorf("%s/%s cannot be read: %w: %w", dir, inventoryFile, ErrDamaged, err)
	}
	if inv.ID != id || inv.DigestAlgorithm != algorithm || inv.Last() == 0 || len(inv.Versions) != inv.Last() {
		return nil, fmt.Errorf("%s/%s is not one that Alcove wrote of %s: %w", dir, inventoryFile, id, ErrDamaged)
	}
	if inv.Manifest == nil {
		inv.Manifest = map[string][]string{}
	}
	if inv.Fixity["md5"] == nil {
		inv.Fixity = map[string]map[string][]string{"md5": {}}
	}
	return inv, nil
}

// Inventory says what the object of an id has, fs.ErrNotExist where there is none. A version that a process had put into
// its place when it died is taken in. An object that cannot be used is ErrDamaged.
func (r *Root) Inventory(id string) (*Inventory, error) {
	dir := PathOf(id)
	names, err := r.names(dir)
	if err != nil {
		return nil, err
	}
	newest := 0
	for _, name := range names {
		newest = max(newest, number(name))
	}
	inv, err := r.load(dir, id)
	if err == nil && inv.Last() >= newest {
		return inv, nil
	}
	if newest == 0 {
		return nil, damaged(err)
	}
	last := path.Join(dir, "v"+strconv.Itoa(newest))
	if inv, err = r.load(last, id); err != nil {
		return nil, damaged(err)
	}
	if inv.Last() != newest {
		return nil, fmt.Errorf("%s is of another version: %w", last, ErrDamaged)
	}
	return inv, r.setHead(dir, inv)
}

// damaged is an error of an object that is there.
func damaged(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return err
}
