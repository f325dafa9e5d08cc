package traces

import (
	"encoding/binary"
	"strings"
)

// exifNames are the tags that programs write people into (EXIF 2.3), by their number; those of
// Windows are in UTF-16.
var exifNames = map[uint16]string{
	0x010e: "EXIF ImageDescription", 0x013b: "EXIF Artist", 0x8298: "EXIF Copyright", 0x013c: "EXIF HostComputer", 0x0131: "EXIF Software",
	0x9c9b: "EXIF XPTitle", 0x9c9c: "EXIF XPComment", 0x9c9d: "EXIF XPAuthor", 0x9c9e: "EXIF XPKeywords", 0x9c9f: "EXIF XPSubject",
	0x9286: "EXIF UserComment", 0xa430: "EXIF CameraOwnerName", 0x02bc: "XMP",
}

const (
	directoriesMost = 10
	entriesMost     = 512
	valueMost       = 64 << 10
)

// tiff reads the tags of the directories of a TIFF file, or of EXIF, which has the same form.
func tiff(b []byte) (found []Property) {
	if len(b) < 8 {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if b[0] == 'M' {
		order = binary.BigEndian
	}
	waiting := []int64{int64(order.Uint32(b[4:]))}
	for range directoriesMost {
		if len(waiting) == 0 {
			break
		}
		at := waiting[0]
		waiting = waiting[1:]
		if at < 8 || at+2 > int64(len(b)) {
			continue
		}
		n := int64(order.Uint16(b[at:]))
		for i := range min(n, entriesMost) {
			entry := at + 2 + 12*i
			if entry+12 > int64(len(b)) {
				break
			}
			tag, count, value := order.Uint16(b[entry:]), int64(order.Uint32(b[entry+4:])), int64(order.Uint32(b[entry+8:]))
			if tag == 0x8769 { // the directory of EXIF
				waiting = append(waiting, value)
				continue
			}
			name := exifNames[tag]
			if name == "" || count > valueMost {
				continue
			}
			if count <= 4 {
				value = entry + 8
			}
			if value < 0 || value+count > int64(len(b)) {
				continue
			}
			text := string(b[value : value+count])
			if tag >= 0x9c9b && tag <= 0x9c9f {
				text = utf16Text([]byte(text), binary.LittleEndian)
			}
			found = append(found, Property{name, strings.ReplaceAll(text, "\x00", " ")})
		}
	}
	return found
}
