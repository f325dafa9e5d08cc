// Command gen writes the embedded categories from the published table of the
// classification:
//
//	gen table.tsv anzsrc2020.txt
//
// The table has the columns code, parent and title under one header line,
// separated by tabs, in any order of rows. With the table's path in the
// environment variable ANZSRC_TABLE, `go generate` in the folder above runs it.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

const header = `# Australian and New Zealand Standard Research Classification (ANZSRC) 2020,
# fields of research: codes and titles.
# Source: Australian Bureau of Statistics and Stats NZ.
# Licence: CC BY 4.0, https://creativecommons.org/licenses/by/4.0/
# Changes: the columns are reduced to code and title. Written by gen; do not edit.
`

// maxRows bounds what is read from a table that is not the one we think it is.
// The classification has 2,203 codes.
const maxRows = 20_000

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen table.tsv anzsrc2020.txt")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(table, out string) error {
	f, err := os.Open(table)
	if err != nil {
		return fmt.Errorf("cannot read the table: %w", err)
	}
	defer f.Close()
	text, err := convert(f)
	if err != nil {
		return fmt.Errorf("cannot convert %s: %w", table, err)
	}
	if err := os.WriteFile(out, text, 0o644); err != nil {
		return fmt.Errorf("cannot write the categories: %w", err)
	}
	return nil
}

// convert returns the embedded form of the table in r: the header and one
// sorted line a code. A row whose parent is not its code without the last two
// digits, or is not in the table, is an error, because the embedded form leaves
// the parent column out.
func convert(r io.Reader) ([]byte, error) {
	titles := map[string]string{}
	n := 0
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		n++
		if n > maxRows {
			return nil, fmt.Errorf("more than %d lines", maxRows)
		}
		if n == 1 {
			if lines.Text() != "code\tparent\ttitle" {
				return nil, fmt.Errorf("line 1 is not the header code, parent, title")
			}
			continue
		}
		columns := strings.Split(lines.Text(), "\t")
		if len(columns) != 3 {
			return nil, fmt.Errorf("line %d has %d columns, not 3", n, len(columns))
		}
		code, parent, title := columns[0], columns[1], columns[2]
		switch {
		case len(code) != 2 && len(code) != 4 && len(code) != 6,
			strings.Trim(code, "0123456789") != "", code[0] == '0':
			return nil, fmt.Errorf("line %d: %q is not a code of two, four or six digits", n, code)
		case code[:len(code)-2] != parent:
			return nil, fmt.Errorf("line %d: the parent of %s is given as %q", n, code, parent)
		case strings.TrimSpace(title) == "" || title != strings.TrimSpace(title) || !utf8.ValidString(title):
			return nil, fmt.Errorf("line %d: %s has the title %q", n, code, title)
		case titles[code] != "":
			return nil, fmt.Errorf("line %d: %s is there twice", n, code)
		}
		titles[code] = title
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}

	codes := make([]string, 0, len(titles))
	for code := range titles {
		if parent := code[:len(code)-2]; parent != "" && titles[parent] == "" {
			return nil, fmt.Errorf("%s has no parent %s", code, parent)
		}
		codes = append(codes, code)
	}
	slices.Sort(codes)
	var out bytes.Buffer
	out.WriteString(header)
	for _, code := range codes {
		fmt.Fprintf(&out, "%s\t%s\n", code, titles[code])
	}
	return out.Bytes(), nil
}
