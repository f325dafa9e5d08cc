package thumbs

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

const pngBegin = "\x89PNG\r\n\x1a\n"

// intact reports whether b is a whole PNG: chunks with their checksums (PNG, 5), of which IEND is
// the last.
func intact(b []byte) bool {
	b, ok := bytes.CutPrefix(b, []byte(pngBegin))
	for ok && len(b) >= 12 {
		n := int64(binary.BigEndian.Uint32(b))
		if n > int64(len(b))-12 {
			return false
		}
		chunk, sum := b[4:8+n], b[8+n:12+n]
		if crc32.ChecksumIEEE(chunk) != binary.BigEndian.Uint32(sum) {
			return false
		}
		if b = b[12+n:]; string(chunk) == "IEND" {
			return len(b) == 0
		}
	}
	return false
}
