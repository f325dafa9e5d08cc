// Package bagit has the rules of BagIt 1.0 (RFC 8493) that do not depend on what a bag holds: how its tag files are written,
// and how paths stand in manifests.
package bagit

import (
	"fmt"
	"strings"
)

// Declaration is bagit.txt (2.1.1).
const Declaration = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"

// encoded are the characters that a manifest cannot have in paths (2.1.3).
var (
	encoded = strings.NewReplacer("%", "%25", "\n", "%0A", "\r", "%0D")
	decoded = strings.NewReplacer("%25", "%", "%0A", "\n", "%0a", "\n", "%0D", "\r", "%0d", "\r")
)

// Line is the line of a manifest for a path with its sum in hexadecimal digits.
func Line(sum, path string) string { return sum + "  " + encoded.Replace(path) + "\n" }

// ReadLine is the sum and the path of a line of a manifest, without its line end.
func ReadLine(line string) (sum, path string, ok bool) {
	sum, path, ok = strings.Cut(line, " ")
	path = decoded.Replace(strings.TrimLeft(path, " \t*"))
	return strings.ToLower(sum), path, ok && sum != "" && path != ""
}

// Field is a line of bag-info.txt.
type Field struct{ Label, Value string }

// lineLength is how long a line of bag-info.txt may be before it goes on in the next one, where there is a space
// (2.2.2 recommends it).
const lineLength = 79

// Info is bag-info.txt.
func Info(fields []Field) string {
	var b strings.Builder
	for _, f := range fields {
		line := f.Label + ":"
		for _, word := range strings.Fields(f.Value) {
			if len(line)+1+len(word) > lineLength && strings.TrimSpace(line) != f.Label+":" {
				b.WriteString(line + "\n")
				line = " "
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// RoundSize is a size for people.
func RoundSize(n int64) string {
	size, unit := float64(n), "B"
	for _, next := range []string{"KB", "MB", "GB", "TB", "PB"} {
		if size < 1000 {
			break
		}
		size, unit = size/1000, next
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}
