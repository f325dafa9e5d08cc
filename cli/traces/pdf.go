package traces

import (
	"encoding/binary"
	"encoding/hex"
	"regexp"
	"strconv"
	"unicode/utf16"
)

// pdfTexts are the entries of an information dictionary that is not compressed, as a literal or as
// hexadecimal digits (ISO 32000-1, 7.3.4 and 14.3.3), and XMP.
var (
	pdfLiteral = regexp.MustCompile(`/(Author|Creator|Title|Subject|Keywords|Producer)\s*\(((?:[^\\()]|\\[\s\S])*)\)`)
	pdfHex     = regexp.MustCompile(`/(Author|Creator|Title|Subject|Keywords|Producer)\s*<([0-9A-Fa-f\s]*)>`)
	pdfXMP     = regexp.MustCompile(`(?s)<x:xmpmeta.*?</x:xmpmeta>`)
	pdfEscape  = regexp.MustCompile(`\\([0-7]{1,3}|[\s\S])`)
	spaces     = regexp.MustCompile(`\s+`)
)

const pdfMost = 200 // entries

func pdf(parts ...[]byte) (found []Property) {
	for _, b := range parts {
		for _, m := range pdfLiteral.FindAllSubmatch(b, pdfMost) {
			text := pdfEscape.ReplaceAllFunc(m[2], func(e []byte) []byte {
				if n, err := strconv.ParseUint(string(e[1:]), 8, 16); err == nil {
					return []byte{byte(n)}
				}
				return e[1:]
			})
			found = append(found, Property{"PDF " + string(m[1]), pdfText(text)})
		}
		for _, m := range pdfHex.FindAllSubmatch(b, pdfMost) {
			digits := spaces.ReplaceAll(m[2], nil)
			text := make([]byte, len(digits)/2)
			if _, err := hex.Decode(text, digits[:len(digits)&^1]); err == nil {
				found = append(found, Property{"PDF " + string(m[1]), pdfText(text)})
			}
		}
		for _, m := range pdfXMP.FindAll(b, 10) {
			found = append(found, Property{"XMP", withoutTags(string(m))})
		}
	}
	return found
}

// pdfText is a text string: UTF-16 with a mark in front, or one byte a character, of which those of
// Latin letters are as in ISO 8859-1.
func pdfText(b []byte) string {
	if len(b) >= 2 && b[0] == 0xfe && b[1] == 0xff {
		return utf16Text(b[2:], binary.BigEndian)
	}
	if len(b) >= 3 && b[0] == 0xef && b[1] == 0xbb && b[2] == 0xbf {
		return string(b[3:])
	}
	text := make([]rune, len(b))
	for i, c := range b {
		text[i] = rune(c)
	}
	return string(text)
}

func utf16Text(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}
