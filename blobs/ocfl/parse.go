package ocfl

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// parsed is an inventory that was read without trust.
type parsed struct {
	text      string // SHA-256 of its bytes
	id        string
	algorithm string
	head      string
	names     []string // of versions, in order
	manifest  map[string][]string
	md5       map[string]string // by content path
	states    map[string]string // by version, a hash of paths and digests
	kept      map[string]bool   // digests of the manifest, in lower case
	used      map[string]bool   // digests in states
	whole     *Inventory        // nil where it is none that this package reads
	say       func(code, format string, args ...any)
}

var errTwice = errors.New("a key stands twice")

// object is the members of a JSON object, each once.
func object(text []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	open, err := d.Token()
	if err != nil || open != json.Delim('{') {
		return nil, errors.Join(errors.New("it is no JSON object"), err)
	}
	out := map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		name, _ := key.(string)
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("%w: %s", errTwice, name)
		}
		out[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err == nil {
		return nil, errors.New("something stands behind the JSON")
	}
	return out, nil
}

// parse reads an inventory and says what is wrong with it, nil for one of which nothing can be used.
func parse(text []byte, say func(code, format string, args ...any)) *parsed {
	keys, err := object(text)
	if err != nil {
		say("E033", "%v", err)
		return nil
	}
	p := &parsed{text: fmt.Sprint(sha256.Sum256(text)), say: say, md5: map[string]string{}, states: map[string]string{}, kept: map[string]bool{}, used: map[string]bool{}}
	p.only(keys, "id", "type", "digestAlgorithm", "head", "contentDirectory", "manifest", "versions", "fixity")
	p.id = p.member(keys, "id")
	if u, err := url.Parse(p.id); p.id != "" && (err != nil || u.Scheme == "") {
		say("E037", "the id %s is no URI", p.id) // W005 of the specification; ours always is one
	}
	if kind := p.member(keys, "type"); kind != "" && kind != inventoryType {
		say("E038", "the type is %s", kind)
	}
	if p.algorithm = p.member(keys, "digestAlgorithm"); p.algorithm != "" && p.algorithm != "sha256" && p.algorithm != "sha512" {
		say("E025", "the digest algorithm is %s", p.algorithm)
	}
	p.head = p.member(keys, "head")
	if dir, set := keys["contentDirectory"]; set && string(dir) != `"`+contentDirectory+`"` {
		say("E019", "the directory of the content is %s, and %s in the first version", dir, contentDirectory)
	}
	if keys["manifest"] == nil {
		say("E041", "it has no manifest")
	} else {
		p.manifest = p.paths(keys["manifest"], "E106", "E096", func(at string) { p.contentPath(at, "E099", "E100") })
	}
	for digest := range p.manifest {
		p.kept[strings.ToLower(digest)] = true
	}
	p.unique("E101", maps.Keys(flat(p.manifest)))
	p.versions(keys["versions"])
	for _, digest := range sortedKeys(p.manifest) {
		if !p.used[strings.ToLower(digest)] {
			say("E107", "the digest %s of the manifest is in no version", digest)
		}
	}
	p.fixity(keys["fixity"])
	whole := &Inventory{}
	if json.Unmarshal(text, whole) == nil {
		p.whole = whole
	}
	return p
}

// only says which members are none of the specification.
func (p *parsed) only(keys map[string]json.RawMessage, known ...string) {
	for _, key := range sortedKeys(keys) {
		if !slices.Contains(known, key) {
			p.say("E102", "it has a key %s, which is not specified", key)
		}
	}
}

// member is a string that an inventory must have.
func (p *parsed) member(keys map[string]json.RawMessage, key string) (text string) {
	if json.Unmarshal(keys[key], &text) != nil || text == "" {
		p.say("E036", "it has no %s", key)
	}
	return text
}

// paths is an object of lists of paths by digest. The codes are those of another thing, and of a digest that is there twice.
func (p *parsed) paths(text json.RawMessage, wrong, twice string, each func(at string)) map[string][]string {
	keys, err := object(text)
	if errors.Is(err, errTwice) {
		p.say(twice, "%v", err)
		return nil
	}
	if err != nil {
		p.say(wrong, "%v", err)
		return nil
	}
	out, seen := map[string][]string{}, map[string]bool{}
	for _, digest := range sortedKeys(keys) {
		if seen[strings.ToLower(digest)] {
			p.say(twice, "the digest %s stands twice", digest)
		}
		seen[strings.ToLower(digest)] = true
		var list []string
		if json.Unmarshal(keys[digest], &list) != nil || len(list) == 0 {
			p.say(wrong, "the digest %s has no list of paths", digest)
			continue
		}
		for _, at := range list {
			each(at)
		}
		out[digest] = list
	}
	return out
}

// element tests the elements of a path; the codes are those of a bad one, and of a slash at an end.
func (p *parsed) element(at, bad, slash string) bool {
	if strings.HasPrefix(at, "/") || strings.HasSuffix(at, "/") || at == "" {
		p.say(slash, "the path %q begins or ends with a slash, or is empty", at)
		return false
	}
	for element := range strings.SplitSeq(at, "/") {
		if element == "" || element == "." || element == ".." {
			p.say(bad, "the path %q has an element that is empty, . or ..", at)
			return false
		}
	}
	return true
}

func (p *parsed) contentPath(at, bad, slash string) {
	if !p.element(at, bad, slash) {
		return
	}
	version, rest, _ := strings.Cut(at, "/")
	if number(version) == 0 || !strings.HasPrefix(rest, contentDirectory+"/") {
		p.say("E042", "the path %q is in the content of no version", at)
	}
}

// unique says of paths that one is another, or a folder of another.
func (p *parsed) unique(code string, paths func(func(string) bool)) {
	seen := map[string]bool{}
	list := slices.Sorted(paths)
	for _, at := range list {
		seen[at] = true
	}
	for _, at := range list {
		for i := range at {
			if at[i] == '/' && seen[at[:i]] {
				p.say(code, "the path %q is a file and a folder", at[:i])
				delete(seen, at[:i])
			}
		}
	}
}

// flat is digests by path.
func flat(paths map[string][]string) map[string]string {
	out := map[string]string{}
	for digest, list := range paths {
		for _, at := range list {
			out[at] = digest
		}
	}
	return out
}

// versions tests the versions of an inventory.
func (p *parsed) versions(text json.RawMessage) {
	if text == nil {
		p.say("E043", "it has no versions")
		return
	}
	keys, err := object(text)
	if err != nil {
		p.say("E044", "the versions: %v", err)
		return
	}
	if len(keys) == 0 {
		p.say("E008", "it has no version")
	}
	numbers := map[int]string{}
	for _, name := range sortedKeys(keys) {
		if number(name) == 0 {
			p.say("E104", "the version %s is not v and a number", name)
			continue
		}
		numbers[number(name)] = name
		p.version(name, keys[name])
	}
	for i, n := range slices.Sorted(maps.Keys(numbers)) {
		if n != i+1 {
			p.say("E009", "there is no version v%d", i+1)
			break
		}
		p.names = append(p.names, numbers[n])
	}
}

func (p *parsed) version(name string, text json.RawMessage) {
	keys, err := object(text)
	if err != nil {
		p.say("E047", "version %s: %v", name, err)
		return
	}
	p.only(keys, "created", "state", "message", "user")
	if keys["created"] == nil || keys["state"] == nil {
		p.say("E048", "version %s has no created or state", name)
		return
	}
	var created string
	if json.Unmarshal(keys["created"], &created) != nil {
		created = ""
	}
	if _, err := time.Parse(time.RFC3339, created); err != nil {
		p.say("E049", "version %s was created at %q", name, created)
	}
	var message string
	if keys["message"] != nil && json.Unmarshal(keys["message"], &message) != nil {
		p.say("E094", "the message of version %s is no text", name)
	}
	p.user(name, keys["user"])
	state := p.paths(keys["state"], "E050", "E050", func(at string) { p.element(at, "E052", "E053") })
	all, n := flat(state), 0
	for digest, list := range state {
		n += len(list)
		p.used[strings.ToLower(digest)] = true
		if !p.kept[strings.ToLower(digest)] {
			p.say("E050", "the digest %s of version %s is not in the manifest", digest, name)
		}
	}
	if n != len(all) {
		p.say("E095", "a path stands twice in version %s", name)
	}
	p.unique("E095", maps.Keys(all))
	h := sha256.New()
	for _, at := range sortedKeys(all) {
		fmt.Fprintf(h, "%d %s %s\n", len(at), at, strings.ToLower(all[at]))
	}
	p.states[name] = string(h.Sum(nil))
}

func (p *parsed) user(name string, text json.RawMessage) {
	if text == nil {
		return
	}
	keys, err := object(text)
	var who string
	if err != nil || json.Unmarshal(keys["name"], &who) != nil || who == "" {
		p.say("E054", "the user of version %s has no name", name)
		return
	}
	p.only(keys, "name", "address")
}

// fixity tests the further sums, and keeps those by MD5.
func (p *parsed) fixity(text json.RawMessage) {
	if text == nil {
		return
	}
	keys, err := object(text)
	if err != nil {
		p.say("E111", "the fixity: %v", err)
		return
	}
	known := flat(p.manifest)
	for _, name := range sortedKeys(keys) {
		if !slices.Contains([]string{"md5", "sha1", "sha256", "sha512", "blake2b-512"}, name) {
			p.say("E056", "the fixity has sums by %s", name)
			continue
		}
		sums := p.paths(keys[name], "E057", "E097", func(at string) { p.contentPath(at, "E099", "E100") })
		for at, sum := range flat(sums) {
			if known[at] == "" {
				p.say("E057", "the fixity has %s, which is not in the manifest", at)
			} else if name == "md5" {
				p.md5[at] = sum
			}
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
