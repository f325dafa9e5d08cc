package wire

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

const (
	// maxFileName is how many bytes a file system takes of a name.
	maxFileName = 255
	// maxEncoded bounds the bytes of a percent-encoded name. nginx refuses a head of more than 4 KiB unless it is
	// configured otherwise, and the typed links take up to 1.6 KiB.
	maxEncoded = 1280
)

// FileName is the file name of a Content-Disposition (RFC 6266): a name in ASCII for old
// clients, which any file system takes, and the very name, in UTF-8 (RFC 8187), where that
// is another one. It is for the client to see what of it may be used on its disk
// (RFC 6266, 4.3). A name of more than maxEncoded bytes is shortened to one that a file system takes.
func FileName(name string) string {
	name = strings.ToValidUTF8(name, "\ufffd")
	ascii := strings.Map(func(r rune) rune {
		switch {
		case r == '"' || r == '%': // a quote would need escaping, which clients get wrong; some decode %
			return '_'
		case r > 0x7e:
			return '_'
		}
		return r
	}, nameOnDisk(name))
	out := `filename="` + ascii + `"`
	if ascii != name && name != "" {
		encoded := percent(name)
		if len(encoded) > maxEncoded {
			encoded = percent(shortened(name))
		}
		out += "; filename*=UTF-8''" + encoded
	}
	return out
}

func percent(name string) string { return strings.ReplaceAll(url.QueryEscape(name), "+", "%20") }

// nameOnDisk is a name as it may stand in a folder of the client: without
// what separates folders or names a drive, control characters and those that make a name look like another
// (RFC 6266, 4.3), not longer than a file system takes, and never empty.
func nameOnDisk(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == '\\':
			return '_'
		case r < 0x20 || r >= 0x7f && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x2028, r == 0x2029:
			return -1
		}
		return r
	}, name)
	switch name = strings.TrimSpace(name); name {
	case "":
		return "file"
	case ".", "..":
		return strings.Repeat("_", len(name))
	}
	if _, n := utf8.DecodeRuneInString(name); strings.HasPrefix(name[n:], ":") { // a drive, also once the letter is "_"
		name = name[:n] + "_" + name[n+1:]
	}
	return shortened(name)
}

// shortened is a name cut to maxFileName bytes, its extension kept where that is short.
func shortened(name string) string {
	if len(name) <= maxFileName {
		return name
	}
	extension := ""
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && len(name)-dot <= 32 {
		extension = name[dot:]
	}
	n := maxFileName - len(extension)
	for !utf8.RuneStart(name[n]) {
		n--
	}
	return strings.TrimSpace(name[:n]) + extension
}
