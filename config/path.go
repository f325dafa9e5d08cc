package config

import (
	"fmt"
	"regexp"
)

// addressPattern matches what begins like an address: a scheme of two letters or more (one is a
// drive of Windows), or USER@HOST, each with a colon behind it.
var addressPattern = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9+.-]+|[^/\\:@]+@[^/\\:]+):`)

// CheckPath refuses an address where the path of a file or a directory is asked for, such as
// s3://bucket/x or me@host:/x: no scheme is known, and taken for a path it would name a directory
// below the working directory. A path that begins like that is meant with ./ before it.
func CheckPath(path string) error {
	if addressPattern.MatchString(path) {
		return fmt.Errorf("%q is an address, not a path; this program only knows files and directories (for one of that name write ./%s)", path, path)
	}
	return nil
}

// localPath is CheckPath for a setting.
func localPath(text string) (string, error) { return text, pathFault(text) }

// neededPath is localPath for one that must be there.
func neededPath(text string) (string, error) {
	if _, err := notEmpty(text); err != nil {
		return "", err
	}
	return localPath(text)
}

func pathFault(text string) error {
	if err := CheckPath(text); err != nil {
		return fmt.Errorf("must be a path: %w", err)
	}
	return nil
}
