package deposit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// stateSuffix is how the names of state files end. No file with such a name is deposited.
const stateSuffix = ".deposit-state"

// source is what makes one item: a folder, or files.
type source struct {
	name  string   // as it was given
	dir   string   // of a folder, absolute
	files []string // instead of a folder
	state string
	left  []LeftOut // what was named and is not deposited
}

// sources reads what was named on the command line: folders, each of which is an item, or files, which are one
// together. Patterns that the shell has left are expanded.
func sources(args []string, title, state string) ([]source, error) {
	args, err := expand(args)
	if err != nil {
		return nil, err
	}
	var folders []source
	var files source
	there := map[string]bool{}
	for _, arg := range args {
		full, err := filepath.Abs(arg)
		if err != nil {
			return nil, fmt.Errorf("cannot find %s: %w", arg, err)
		}
		info, err := os.Stat(arg)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("there is no file and no folder %s", arg)
		case err != nil:
			return nil, fmt.Errorf("cannot read %s: %w", arg, errors.Unwrap(err))
		case there[full]:
			return nil, fmt.Errorf("%s was named twice", arg)
		}
		there[full] = true
		switch why := rubbish(filepath.Base(full)); {
		case info.IsDir():
			folders = append(folders, source{name: arg, dir: full, state: full + stateSuffix})
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is neither a file nor a folder", arg)
		case why != "":
			files.left = append(files.left, LeftOut{arg, why})
		default:
			files.files = append(files.files, arg)
		}
	}
	switch {
	case len(folders) > 0 && len(files.files) > 0:
		return nil, fmt.Errorf("%s is a folder, and %s a file: name folders, each of which becomes an item, or files, which become one; "+
			"to deposit all that a folder holds as one item, name that folder", folders[0].name, files.files[0])
	case len(folders) == 0 && len(files.files) == 0:
		return nil, errors.New("there is no file to deposit")
	case len(folders) == 0:
		files.name = files.files[0]
		if n := len(files.files) - 1; n > 0 {
			files.name = fmt.Sprintf("%s and %d more", files.name, n)
		}
		files.state = filepath.Join(filepath.Dir(files.files[0]), stateName(title)+stateSuffix)
		folders = []source{files}
	}
	if state != "" {
		if len(folders) > 1 {
			return nil, errors.New("--state is for one item: each folder has a state file of its own beside it")
		}
		folders[0].state = state
	}
	for _, s := range folders {
		if s.dir != "" && filepath.Dir(s.dir) == s.dir && state == "" {
			return nil, fmt.Errorf("there is no place beside %s for its state file: name one with --state", s.name)
		}
	}
	return folders, nil
}

// expand replaces patterns that name no file by what they match.
func expand(args []string) ([]string, error) {
	var list []string
	for _, arg := range args {
		if _, err := os.Lstat(arg); err == nil || !strings.ContainsAny(arg, "*?[") {
			list = append(list, arg)
			continue
		}
		found, err := filepath.Glob(arg)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q is neither a file nor a pattern: %w", arg, err)
		case len(found) == 0:
			return nil, fmt.Errorf("nothing matches %q", arg)
		}
		list = append(list, found...)
	}
	return list, nil
}

// stateName is a name for the state file of files that have no folder: their title in what every system takes in
// names, and a checksum of it.
func stateName(title string) string {
	const most = 50 // letters
	name := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' {
			return r
		}
		return '-'
	}, strings.TrimSpace(title)))
	sum := sha256.Sum256([]byte(title))
	return fmt.Sprintf("%s-%x", string(name[:min(len(name), most)]), sum[:4])
}
