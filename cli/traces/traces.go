// Package traces reads what programs write of people into files: the properties of pictures (EXIF,
// XMP, texts of PNG), of PDF, and of Office and OpenDocument files. It reads a bounded part of a
// file, and of a file that is damaged what it can.
package traces

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"path"
	"strings"
)

// Property is a text in a file, with where it stands.
type Property struct{ Name, Text string }

// Bounds in bytes of what is read of a file.
const (
	headMost      = 1 << 20 // of its beginning
	tailMost      = 1 << 20 // of its end
	directoryMost = 4 << 20 // of the directory of a zip
	partMost      = 1 << 20 // of a part of a zip
	segmentsMost  = 1000
)

// Properties are the properties of a file of some size, none of one of another format.
func Properties(r io.ReaderAt, size int64) []Property {
	head := part(r, 0, min(size, headMost))
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return jpeg(head)
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return png(head)
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		return tiff(head)
	case bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")):
		return pdf(head, part(r, max(size-tailMost, int64(len(head))), size))
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return office(r, size)
	}
	return nil
}

// part are the bytes from one offset to before another, as far as they can be read.
func part(r io.ReaderAt, from, to int64) []byte {
	if to <= from {
		return nil
	}
	b := make([]byte, to-from)
	n, _ := r.ReadAt(b, from) // less than all is looked at too
	return b[:n]
}

// jpeg reads the segments before the picture (ITU-T T.81, B.1).
func jpeg(b []byte) (found []Property) {
	at := 2
	for range segmentsMost {
		if at+4 > len(b) || b[at] != 0xff || b[at+1] == 0xda {
			break
		}
		end := at + 2 + int(binary.BigEndian.Uint16(b[at+2:]))
		body := b[at+4 : max(min(end, len(b)), at+4)]
		switch marker := b[at+1]; {
		case marker == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
			found = append(found, tiff(body[6:])...)
		case marker == 0xe1:
			found = append(found, Property{"XMP", string(body)})
		case marker == 0xed:
			found = append(found, Property{"IPTC", string(body)})
		case marker == 0xfe:
			found = append(found, Property{"comment", string(body)})
		}
		at = end
	}
	return found
}

// png reads the texts that are not compressed, and EXIF.
func png(b []byte) (found []Property) {
	at := 8
	for range segmentsMost {
		if at+8 > len(b) {
			break
		}
		n := int(binary.BigEndian.Uint32(b[at:]))
		if n > len(b)-at-8 {
			break
		}
		body := b[at+8 : at+8+n]
		switch string(b[at+4 : at+8]) {
		case "tEXt", "iTXt":
			found = append(found, Property{"PNG text", strings.ReplaceAll(string(body), "\x00", " ")})
		case "eXIf":
			found = append(found, tiff(body)...)
		}
		at += n + 12
	}
	return found
}

// office reads the properties of the document in a zip, when its directory is of a bounded size.
func office(r io.ReaderAt, size int64) (found []Property) {
	tail := part(r, max(0, size-(64<<10)-22), size)
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || i+22 > len(tail) || binary.LittleEndian.Uint32(tail[i+12:]) > directoryMost {
		return nil
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil
	}
	for _, f := range z.File {
		switch f.Name {
		case "docProps/core.xml", "docProps/app.xml", "docProps/custom.xml", "meta.xml":
		default:
			continue
		}
		in, err := f.Open()
		if err != nil {
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(in, partMost))
		in.Close()
		found = append(found, Property{strings.TrimSuffix(path.Base(f.Name), ".xml") + " properties", withoutTags(string(text))})
		if len(found) == 10 {
			break
		}
	}
	return found
}

// withoutTags is the text of XML, of which each tag ends a word.
func withoutTags(xml string) string {
	var b strings.Builder
	inside := false
	for _, r := range xml {
		switch {
		case r == '<':
			inside = true
			b.WriteByte(' ')
		case r == '>':
			inside = false
		case !inside:
			b.WriteRune(r)
		}
	}
	return b.String()
}
