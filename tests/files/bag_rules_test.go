package files

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bagged is a bag as it was unzipped: the bytes by their paths in it.
type bagged struct {
	top   string
	files map[string]string
}

// openBag unzips a bag and refuses what breaks a rule of RFC 8493 or what cannot be unzipped everywhere.
func openBag(b []byte) (bag bagged, err error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return bag, err
	}
	bag.files = map[string]string{}
	folded := map[string]bool{}
	for _, f := range z.File {
		top, path, ok := strings.Cut(f.Name, "/")
		switch {
		case !ok || top == "" || bag.top != "" && top != bag.top: // 4.1: one top directory
			return bag, fmt.Errorf("%q is not below the one folder", f.Name)
		case strings.Contains(f.Name, "\\") || slices.Contains(strings.Split(f.Name, "/"), "..") || !f.Mode().IsRegular():
			return bag, fmt.Errorf("%q leads elsewhere", f.Name)
		case folded[strings.ToLower(f.Name)]:
			return bag, fmt.Errorf("%q is there twice", f.Name)
		}
		folded[strings.ToLower(f.Name)], bag.top = true, top
		r, err := f.Open()
		if err != nil {
			return bag, err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return bag, fmt.Errorf("%s: %w", f.Name, err)
		}
		bag.files[path] = string(text)
	}
	return bag, bag.valid()
}

var (
	manifestLine = regexp.MustCompile(`^([0-9a-f]+) [ *](.+)$`)
	manifestName = regexp.MustCompile(`^(tag)?manifest-(sha256|md5)\.txt$`)
	infoLine     = regexp.MustCompile(`^([A-Za-z][A-Za-z-]*): (\S.*)$`)
	decoded      = strings.NewReplacer("%0D", "\r", "%0d", "\r", "%0A", "\n", "%0a", "\n", "%25", "%")
)

// valid goes through the rules of RFC 8493, 2 and 3.
func (b bagged) valid() error {
	if b.files["bagit.txt"] != "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n" { // 2.1.1: exactly two lines, no BOM
		return fmt.Errorf("bagit.txt is %q", b.files["bagit.txt"])
	}
	payload, tags := map[string]bool{}, map[string]bool{}
	for path := range b.files {
		switch {
		case strings.HasPrefix(path, "data/"): // 2.1.2
			payload[path] = true
		case !strings.HasPrefix(path, "tagmanifest-"):
			tags[path] = true
		}
	}
	kinds := map[string]int{}
	for path, text := range b.files {
		m := manifestName.FindStringSubmatch(path)
		if m == nil {
			if strings.Contains(path, "manifest") && !strings.HasPrefix(path, "data/") {
				return fmt.Errorf("%s is no manifest by its name", path) // 2.4
			}
			continue
		}
		kinds[m[1]]++
		want := payload
		if m[1] == "tag" {
			want = tags // 2.2.1: every tag file but tag manifests
		}
		if err := b.summed(path, text, m[2], want); err != nil {
			return err
		}
	}
	if kinds[""] == 0 || kinds["tag"] == 0 {
		return errors.New("there are no manifests")
	}
	if _, ok := b.files["fetch.txt"]; ok {
		return errors.New("something is to be fetched")
	}
	return b.informs(payload)
}

// summed holds a manifest against the files that it is to list, all of them and each once (2.1.3, 3).
func (b bagged) summed(path, text, algorithm string, want map[string]bool) error {
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] != "" {
		return fmt.Errorf("%s does not end its last line", path)
	}
	listed := map[string]bool{}
	for _, line := range lines[:len(lines)-1] {
		m := manifestLine.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("%s has the line %q", path, line)
		}
		name := decoded.Replace(m[2])
		var h hash.Hash = sha256.New()
		if algorithm == "md5" {
			h = md5.New()
		}
		io.WriteString(h, b.files[name])
		if !want[name] || listed[name] || hex.EncodeToString(h.Sum(nil)) != m[1] {
			return fmt.Errorf("%s lists %q wrongly", path, name)
		}
		listed[name] = true
	}
	if len(listed) != len(want) {
		return fmt.Errorf("%s lists %d of %d files", path, len(listed), len(want))
	}
	return nil
}

// informs reads bag-info.txt (2.2.2).
func (b bagged) informs(payload map[string]bool) error {
	size := 0
	for path := range payload {
		size += len(b.files[path])
	}
	oxum := ""
	for i, line := range strings.Split(strings.TrimSuffix(b.files["bag-info.txt"], "\n"), "\n") {
		if i > 0 && (strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")) && strings.TrimSpace(line) != "" {
			continue
		}
		m := infoLine.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("bag-info.txt has the line %q", line)
		}
		if m[1] == "Payload-Oxum" {
			oxum = m[2]
		}
		if m[1] == "Bagging-Date" && !regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(m[2]) {
			return fmt.Errorf("the bag is of %s", m[2])
		}
	}
	if want := fmt.Sprintf("%d.%d", size, len(payload)); oxum != want {
		return fmt.Errorf("Payload-Oxum is %s, not %s", oxum, want)
	}
	return nil
}

// The rules refuse what breaks them.
func TestBagRules(t *testing.T) {
	t.Parallel()
	sum := func(h hash.Hash, s string) string { io.WriteString(h, s); return hex.EncodeToString(h.Sum(nil)) }
	good := func() map[string]string {
		m := map[string]string{
			"bagit.txt":    "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
			"bag-info.txt": "External-Description: A\n  title\nPayload-Oxum: 5.1\n", "data/a%b": "hello",
		}
		m["manifest-sha256.txt"] = sum(sha256.New(), "hello") + "  data/a%25b\n"
		return m
	}
	seal := func(m map[string]string) map[string]string {
		text := ""
		for path, body := range m {
			if !strings.HasPrefix(path, "data/") && !strings.HasPrefix(path, "tagmanifest") {
				text += sum(md5.New(), body) + "  " + path + "\n"
			}
		}
		m["tagmanifest-md5.txt"] = text
		return m
	}
	if err := (bagged{files: seal(good())}).valid(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(m map[string]string){
		"another version":   func(m map[string]string) { m["bagit.txt"] += "\n" },
		"not listed":        func(m map[string]string) { m["data/more"] = "" },
		"not there":         func(m map[string]string) { delete(m, "data/a%b") },
		"other bytes":       func(m map[string]string) { m["data/a%b"] = "hellO" },
		"no manifest":       func(m map[string]string) { delete(m, "manifest-sha256.txt") },
		"a bad line":        func(m map[string]string) { m["manifest-sha256.txt"] += "data/a\n" },
		"another oxum":      func(m map[string]string) { m["bag-info.txt"] = "Payload-Oxum: 5.2\n" },
		"no label":          func(m map[string]string) { m["bag-info.txt"] = "Payload-Oxum: 5.1\nx\n" },
		"something outside": func(m map[string]string) { m["fetch.txt"] = "http://example.org/a 1 data/a\n" },
	} {
		m := good()
		change(m)
		if (bagged{files: seal(m)}).valid() == nil {
			t.Errorf("%s is not refused", name)
		}
	}
	m := seal(good())
	m["bag-info.txt"] += "More: text\n"
	if (bagged{files: m}).valid() == nil {
		t.Error("a changed tag file is not refused")
	}
}
