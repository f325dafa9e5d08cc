package thumbs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// maxSegments bounds how many segments of a JPEG come before its frame; a segment has at most
// 64 KiB, of which only the first maxSegment bytes are looked at.
const (
	maxSegments = 1000
	maxSegment  = 16 << 10
)

// jpegHeader reads the segments up to the frame (ITU-T T.81, B.1 and B.2): its size, how its
// colours are sampled, whether it comes progressively, which way is up.
func jpegHeader(r *reader) (*header, error) {
	h := &header{format: "jpeg", turn: 1}
	adobe := -1 // transformation of colours, if one is named
	at := int64(2)
	for range maxSegments {
		var b [4]byte
		if _, err := r.ReadAt(b[:], at); err != nil {
			return nil, err
		}
		marker, size := b[1], int64(binary.BigEndian.Uint16(b[2:]))
		switch {
		case b[0] != 0xff:
			return nil, fmt.Errorf("%w: a JPEG without a frame", ErrNoPicture)
		case marker == 0xff: // a filling byte
			at++
			continue
		case marker == 0x01 || marker >= 0xd0 && marker <= 0xd7: // without a length
			at += 2
			continue
		case size < 2 || marker == 0xd9 || marker == 0xda:
			return nil, fmt.Errorf("%w: a JPEG without a frame", ErrNoPicture)
		}
		body := make([]byte, min(size-2, maxSegment))
		if n, err := r.ReadAt(body, at+4); err != nil && (err != io.EOF || n < len(body)) {
			return nil, err
		}
		switch {
		case marker == 0xe1:
			if turn := exifTurn(body); turn != 0 {
				h.turn = turn
			}
		case marker == 0xee && len(body) >= 12 && string(body[:5]) == "Adobe":
			adobe = int(body[11])
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			return h, h.frame(body, marker == 0xc2, adobe == 0)
		}
		at += 2 + size
	}
	return nil, fmt.Errorf("%w: a JPEG with too many segments", ErrNoPicture)
}

// frame reads the segment that begins a frame.
func (h *header) frame(b []byte, progressive, untransformed bool) error {
	if len(b) < 6 || len(b) < 6+3*int(b[5]) || b[5] == 0 || b[5] > 4 {
		return fmt.Errorf("%w: the frame of the JPEG is none", ErrNoPicture)
	}
	h.height, h.width = int(binary.BigEndian.Uint16(b[1:])), int(binary.BigEndian.Uint16(b[3:]))
	parts := b[6 : 6+3*int(b[5])]
	most, all := 1, 0
	for i := 0; i < len(parts); i += 3 {
		n := int(parts[i+1]>>4) * int(parts[i+1]&15)
		most, all = max(most, n), all+n
	}
	if len(parts) == 3 { // one component is never sampled
		most, all = 1, 1
	}
	each := float64(all) / float64(most) // bytes of a pixel: one for each sample
	if progressive {
		each *= 5 // a sample waits as a coefficient of four bytes until all scans are read
	}
	rgb := len(parts) == 9 && (untransformed || parts[0] == 'R' && parts[3] == 'G' && parts[6] == 'B')
	if rgb || len(parts) == 12 {
		each += 4 // it is put together in a second picture
	}
	h.memory = each * float64(h.width) * float64(h.height)
	return nil
}

// exifTurn is the orientation that an EXIF segment tells (CIPA DC-008, 4.6.5), 1 to 8, or 0 when
// it tells none.
func exifTurn(b []byte) int {
	b, ok := bytes.CutPrefix(b, []byte("Exif\x00\x00"))
	if !ok || len(b) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch string(b[:4]) {
	case "II\x2a\x00":
	case "MM\x00\x2a":
		order = binary.BigEndian
	default:
		return 0
	}
	first := int64(order.Uint32(b[4:]))
	if first+2 > int64(len(b)) {
		return 0
	}
	entries := b[first+2:]
	for range order.Uint16(b[first:]) {
		if len(entries) < 12 {
			return 0
		}
		if order.Uint16(entries) == 0x0112 && order.Uint16(entries[2:]) == 3 {
			if turn := int(order.Uint16(entries[8:])); turn >= 1 && turn <= 8 {
				return turn
			}
			return 0
		}
		entries = entries[12:]
	}
	return 0
}
