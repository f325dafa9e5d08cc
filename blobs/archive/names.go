package archive

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxPiece bounds a folder or file name in bytes: with a number behind it, every common
	// file system takes it.
	maxPiece = 240
	// maxPieces bounds how deep a name goes. The rest of a deeper one is a single piece.
	maxPieces = 100
)

// Rename makes the names of entries safe to unpack anywhere below a folder, and unique.
//
// A safe name has no empty piece, none that consists of dots and spaces, no backslash, no
// drive letter, no control character and none that turns the direction of writing; what
// is not allowed becomes _. A piece has at most 240 bytes, the ending of a name is kept;
// a name has at most 100 pieces.
//
// Of names that are the same, also where case and the composition of letters do not count, the
// first keeps its own, and the rest get a number as browsers do it: a (1).txt. So does a file
// that has the name of a folder.
func Rename(entries []Entry) {
	taken := make(map[string]bool, len(entries)) // folded names of files and folders
	for i := range entries {
		entries[i].Name = safe(entries[i].Name)
		dir := fold(entries[i].Name)
		for cut := strings.LastIndexByte(dir, '/'); cut > 0; cut = strings.LastIndexByte(dir, '/') {
			if dir = dir[:cut]; taken[dir] {
				break // and so are those above it
			}
			taken[dir] = true
		}
	}
	var again []int
	for i := range entries {
		key := fold(entries[i].Name)
		if taken[key] {
			again = append(again, i)
		}
		taken[key] = true
	}
	numbers := map[string]int{}
	for _, i := range again {
		name := entries[i].Name
		key := fold(name)
		stem, ending := split(name)
		for {
			numbers[key]++
			name = stem + " (" + strconv.Itoa(numbers[key]) + ")" + ending
			if !taken[fold(name)] {
				break
			}
		}
		entries[i].Name = name
		taken[fold(name)] = true
	}
}

// fold is what names that a file system may take for the same have in common.
func fold(name string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}

// split takes the ending off the last piece of a name. A dot at its front begins none.
func split(name string) (stem, ending string) {
	ending = path.Ext(name)
	stem = strings.TrimSuffix(name, ending)
	if stem == "" || strings.HasSuffix(stem, "/") {
		return name, ""
	}
	return stem, ending
}

func safe(name string) string {
	var pieces []string
	for _, piece := range strings.Split(name, "/") {
		if piece == "" {
			continue
		}
		if len(pieces) == maxPieces {
			pieces[maxPieces-1] = safePiece(pieces[maxPieces-1]+"_"+piece, false)
			continue
		}
		pieces = append(pieces, safePiece(piece, len(pieces) == 0))
	}
	if len(pieces) == 0 {
		return "_"
	}
	return strings.Join(pieces, "/")
}

func safePiece(piece string, first bool) string {
	piece = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, r == '\\', unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029':
			return '_'
		}
		return r
	}, piece)
	if strings.Trim(piece, ". ") == "" {
		return strings.Repeat("_", min(len(piece), maxPiece))
	}
	if first && len(piece) > 1 && piece[1] == ':' { // a drive
		piece = piece[:1] + "_" + piece[2:]
	}
	if len(piece) <= maxPiece {
		return piece
	}
	stem, ending := split(piece)
	if len(ending) > 20 {
		stem, ending = piece, ""
	}
	stem = stem[:maxPiece-len(ending)]
	for !utf8.ValidString(stem) {
		stem = stem[:len(stem)-1]
	}
	return stem + ending
}
