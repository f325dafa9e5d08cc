package deposit

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
)

// ignoreFile is the file in a folder that says what of it is not deposited.
const ignoreFile = ".alcoveignore"

const maxIgnore = 1 << 20 // bytes of that file

// ignored is a list of exclude patterns in the syntax of gitignore(5). The last pattern that matches decides.
type ignored []ignorePattern

type ignorePattern struct {
	match   *regexp.Regexp // of a path with slashes
	folders bool           // only folders
	keep    bool           // it begins with an exclamation mark
	why     string
}

// excludes says why a path is not deposited, empty where it is. It knows nothing of the folders above.
func (list ignored) excludes(rel string, folder bool) (why string) {
	rel = filepath.ToSlash(rel)
	for _, p := range list {
		if p.folders && !folder || !p.match.MatchString(rel) {
			continue
		}
		if why = p.why; p.keep {
			why = ""
		}
	}
	return why
}

// readIgnored reads the patterns of a folder and of the command line, which count more.
func readIgnored(in *Folder, patterns []string) (list ignored, err error) {
	f, err := in.Open(ignoreFile)
	if err == nil {
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxIgnore+1))
		if err != nil || len(text) > maxIgnore {
			return nil, errors.Join(fmt.Errorf("cannot read %s: it has at most 1 MiB", ignoreFile), err)
		}
		text = []byte(strings.TrimPrefix(string(text), "\ufeff"))
		for number, line := range strings.Split(string(text), "\n") {
			if err := list.add(line, "excluded by "+ignoreFile); err != nil {
				return nil, fmt.Errorf("line %d of %s: %w", number+1, ignoreFile, err)
			}
		}
	}
	for _, p := range patterns {
		if err := list.add(p, "excluded by --exclude"); err != nil {
			return nil, fmt.Errorf("--exclude: %w", err)
		}
	}
	return list, nil
}

// add adds a line of patterns, unless it is blank or a comment.
func (list *ignored) add(line, why string) error {
	line = strings.TrimSuffix(line, "\r")
	if bare := strings.TrimRight(line, " "); strings.HasSuffix(bare, `\`) && bare != line {
		line = bare + " " // a space that is kept by its backslash
	} else {
		line = bare
	}
	if line == "" || line[0] == '#' {
		return nil
	}
	p := ignorePattern{why: why}
	line, p.keep = strings.CutPrefix(line, "!")
	line, p.folders = strings.CutSuffix(line, "/")
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	text, err := globExpression(line)
	if err != nil {
		return err
	}
	if !anchored {
		text = "(?:.*/)?" + text
	}
	if p.match, err = regexp.Compile("(?s)^" + text + "$"); err != nil {
		return fmt.Errorf("%q is not a pattern", line)
	}
	*list = append(*list, p)
	return nil
}

// globExpression returns the regular expression of a pattern without its first slash.
func globExpression(p string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case strings.HasPrefix(p[i:], "**/") && (i == 0 || p[i-1] == '/'):
			b.WriteString("(?:.*/)?")
			i += 2
		case p[i:] == "**" && i > 0 && p[i-1] == '/':
			b.WriteString(".+")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '[':
			end := strings.IndexByte(p[min(i+2, len(p)):], ']')
			if end < 0 {
				return "", fmt.Errorf("%q has a bracket without its end", p)
			}
			class := strings.ReplaceAll(p[i+1:i+2+end], `\`, `\\`)
			if class[0] == '!' {
				class = "^" + class[1:]
			}
			b.WriteString("[" + strings.ReplaceAll(class, "[", `\[`) + "]")
			i += 2 + end
		case c == '\\' && i+1 < len(p):
			i++
			b.WriteString(regexp.QuoteMeta(p[i : i+1]))
		default:
			b.WriteString(regexp.QuoteMeta(p[i : i+1]))
		}
	}
	return b.String(), nil
}
