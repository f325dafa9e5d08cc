package blobs

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// Chunk is how many bytes of a blob are checked together: before any of them is sent, all
// of them are read.
const Chunk = 1 << 20

// ChunkSums are the CRC-32s (IEEE) of the chunks of some bytes, in order. The zero value is
// those of no bytes. Add takes the bytes.
type ChunkSums struct {
	size int64
	sums []uint32
}

// Size is how many bytes they are of.
func (m *ChunkSums) Size() int64 { return m.size }

// Sums are the CRC-32s.
func (m *ChunkSums) Sums() []uint32 { return m.sums }

// Add takes the next piece of the bytes.
func (m *ChunkSums) Add(piece []byte) {
	for len(piece) > 0 {
		have := m.size % Chunk
		if have == 0 {
			m.sums = append(m.sums, 0)
		}
		n := min(len(piece), int(Chunk-have))
		last := len(m.sums) - 1
		m.sums[last] = crc32.Update(m.sums[last], crc32.IEEETable, piece[:n])
		m.size += int64(n)
		piece = piece[n:]
	}
}

// marksHead is what the form begins with in which ChunkSums are kept:
//
//	marksHead (8) | size of the blob (8, big endian) | CRC-32 of each chunk (4 each) | CRC-32 of all that (4)
//
// A file that does not say so is taken for none: they are made again from the blob.
const marksHead = "blobsum1"

// Encode is the form in which they are kept.
func (m *ChunkSums) Encode() []byte {
	b := make([]byte, 0, len(marksHead)+8+4*len(m.sums)+4)
	b = binary.BigEndian.AppendUint64(append(b, marksHead...), uint64(m.size))
	for _, s := range m.sums {
		b = binary.BigEndian.AppendUint32(b, s)
	}
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// DecodeChunkSums reads those of a blob of that size; false when b does not hold them.
func DecodeChunkSums(b []byte, size int64) (*ChunkSums, bool) {
	chunks := (size + Chunk - 1) / Chunk
	if int64(len(b)) != int64(len(marksHead))+8+4*chunks+4 || !bytes.HasPrefix(b, []byte(marksHead)) {
		return nil, false
	}
	body, sum := b[:len(b)-4], b[len(b)-4:]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(sum) || int64(binary.BigEndian.Uint64(body[len(marksHead):])) != size {
		return nil, false
	}
	m := &ChunkSums{size: size, sums: make([]uint32, 0, chunks)}
	for rest := body[len(marksHead)+8:]; len(rest) > 0; rest = rest[4:] {
		m.sums = append(m.sums, binary.BigEndian.Uint32(rest))
	}
	return m, true
}
