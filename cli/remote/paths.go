// Package remote takes the files of an item on any compatible server to a folder, and cites it.
package remote

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"alcove/cli/fetch"
)

// device are names that are no files on Windows, in any folder and with any ending.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$`)

const maxName = 255 // bytes of one name; file systems take no longer ones

// paths are where the files of an item go below a folder, with slashes. Names come from elsewhere: what would leave the
// folder, be no file, or be another one's on a system that does not tell letters apart by case, is refused before anything
// is written.
func paths(files []fetch.File) ([]string, error) {
	taken := map[string]string{} // by what a file system may make of it
	folders := map[string]string{}
	var list []string
	for _, f := range files {
		p := f.Name
		if f.Folder != "" {
			p = strings.Trim(f.Folder, "/") + "/" + f.Name
		}
		if strings.Contains(f.Name, "/") {
			return nil, fmt.Errorf("the name of the file %q has a slash in it", f.Name)
		}
		for _, part := range strings.Split(p, "/") {
			if why := refusedName(part); why != "" {
				return nil, fmt.Errorf("the file %q cannot be written to a folder: %s", p, why)
			}
		}
		if !filepath.IsLocal(filepath.FromSlash(p)) {
			return nil, fmt.Errorf("the file %q would not be inside of the folder", p)
		}
		same := folded(p)
		if other, ok := taken[same]; ok {
			return nil, fmt.Errorf("the files %q and %q would be the same in a folder", other, p)
		}
		taken[same] = p
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if other, ok := folders[folded(dir)]; ok && other != dir {
				return nil, fmt.Errorf("the folders %q and %q would be the same on some systems", other, dir)
			}
			folders[folded(dir)] = dir
		}
		list = append(list, p)
	}
	for same, p := range taken {
		if dir, ok := folders[same]; ok {
			return nil, fmt.Errorf("%q would be a file and %q a folder, with the same name", p, dir)
		}
	}
	return list, nil
}

func folded(p string) string { return strings.ToLower(norm.NFC.String(p)) }

// refusedName says why a name cannot be that of a file or a folder; empty when it can.
func refusedName(name string) string {
	base, _, _ := strings.Cut(name, ".")
	switch {
	case name == "" || name == "." || name == "..":
		return fmt.Sprintf("%q is no name", name)
	case len(name) > maxName:
		return fmt.Sprintf("a name has more than %d bytes", maxName)
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "a name has control characters"
	case strings.ContainsRune(name, '\\'):
		return "a name has a backslash, which divides folders on Windows"
	case device.MatchString(strings.TrimRight(base, " ")):
		return fmt.Sprintf("%q is a device on Windows", name)
	case runtime.GOOS == "windows" && (strings.ContainsAny(name, `<>:"|?*`) || strings.TrimRight(name, ". ") != name):
		return fmt.Sprintf("Windows has no file %q", name)
	case strings.HasSuffix(name, partial):
		return "a name ends as those of files under way do: " + partial
	}
	return ""
}
