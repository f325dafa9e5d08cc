package archive

import (
	"encoding/binary"
	"time"
)

// The records of a zip (APPNOTE.TXT 6.3.10, 4.3 and 4.5). All numbers are little endian.
const (
	localSignature     = 0x04034b50
	centralSignature   = 0x02014b50
	end64Signature     = 0x06064b50
	locator64Signature = 0x07064b50
	endSignature       = 0x06054b50

	localFixed   = 30
	centralFixed = 46
	end64Fixed   = 56

	zip64Extra  = 0x0001
	stampExtra  = 0x5455 // extended timestamp: Unix seconds, as date and time of 4.4.6 have no zone
	stampLength = 9

	utf8Names = 1 << 11 // 4.4.4
	stored    = 0       // 4.4.5

	versionStored = 10
	versionZip64  = 45
	madeOnUnix    = 3<<8 | versionZip64
	regularFile   = 0o100644 << 16 // mode of a file that all users may read

	most16 = 1<<16 - 1 // in these fields: see the zip64 field
	most32 = 1<<32 - 1
)

// stamp is the one time of an archive, in the forms that its records have.
type stamp struct {
	date, clock uint16 // MS-DOS, here in UTC
	unix        uint32
}

// newStamp keeps a time within what both forms can say: 1980 to 2037.
func newStamp(t time.Time) stamp {
	t = t.UTC()
	if first := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC); t.Before(first) {
		t = first
	}
	if last := time.Date(2037, 12, 31, 23, 59, 58, 0, time.UTC); t.After(last) {
		t = last
	}
	return stamp{
		date:  uint16(t.Day() | int(t.Month())<<5 | (t.Year()-1980)<<9),
		clock: uint16(t.Second()/2 | t.Minute()<<5 | t.Hour()<<11),
		unix:  uint32(t.Unix()),
	}
}

func (s stamp) extra(b []byte) []byte {
	b = put16(b, stampExtra)
	b = put16(b, stampLength-4)
	return put32(append(b, 1), s.unix) // 1: only the time of the last change
}

func big(n int64) bool { return n >= most32 }

func put16(b []byte, n uint16) []byte { return binary.LittleEndian.AppendUint16(b, n) }
func put32(b []byte, n uint32) []byte { return binary.LittleEndian.AppendUint32(b, n) }
func put64(b []byte, n int64) []byte  { return binary.LittleEndian.AppendUint64(b, uint64(n)) }

// clip32 is a number as a field of four bytes has it.
func clip32(n int64) uint32 { return uint32(min(n, most32)) }

func localSize(e *Entry) int {
	n := localFixed + len(e.Name) + stampLength
	if big(e.Size) {
		n += 20
	}
	return n
}

// appendLocal is the local header of a file (4.3.7).
func (p *Plan) appendLocal(b []byte, i int) []byte {
	e := &p.entries[i]
	version, extra := uint16(versionStored), uint16(stampLength)
	if big(e.Size) {
		version, extra = versionZip64, extra+20
	}
	b = p.appendCommon(put16(put32(b, localSignature), version), e)
	b = put16(put16(b, uint16(len(e.Name))), extra)
	b = append(b, e.Name...)
	if big(e.Size) { // in a local header both sizes must be there (4.5.3)
		b = put64(put64(put16(put16(b, zip64Extra), 16), e.Size), e.Size)
	}
	return p.modified.extra(b)
}

// appendCommon is what local headers and the central directory have alike.
func (p *Plan) appendCommon(b []byte, e *Entry) []byte {
	b = put16(put16(b, utf8Names), stored)
	b = put16(put16(b, p.modified.clock), p.modified.date)
	return put32(put32(put32(b, e.CRC32), clip32(e.Size)), clip32(e.Size))
}

// zip64Central is how many bytes of numbers the zip64 field of a central record has.
func zip64Central(e *Entry, offset int64) (n int) {
	if big(e.Size) {
		n += 16
	}
	if big(offset) {
		n += 8
	}
	return n
}

func centralSize(e *Entry, offset int64) int {
	n := centralFixed + len(e.Name) + stampLength
	if large := zip64Central(e, offset); large > 0 {
		n += 4 + large
	}
	return n
}

// appendCentral is the record of a file in the central directory (4.3.12).
func (p *Plan) appendCentral(b []byte, i int) []byte {
	e, offset := &p.entries[i], p.offsets[i]
	version, extra := uint16(versionStored), uint16(stampLength)
	large := zip64Central(e, offset)
	if large > 0 {
		version, extra = versionZip64, extra+uint16(4+large)
	}
	b = put16(put16(put32(b, centralSignature), madeOnUnix), version)
	b = p.appendCommon(b, e)
	b = put16(put16(put16(b, uint16(len(e.Name))), extra), 0) // no comment
	b = put16(put16(b, 0), 0)                                 // on the first disk; of no kind
	b = put32(put32(b, regularFile), clip32(offset))
	b = append(b, e.Name...)
	if large > 0 {
		b = put16(put16(b, zip64Extra), uint16(large))
		if big(e.Size) {
			b = put64(put64(b, e.Size), e.Size)
		}
		if big(offset) {
			b = put64(b, offset)
		}
	}
	return p.modified.extra(b)
}

// end are the records behind the central directory (4.3.14 to 4.3.16).
func (p *Plan) end() []byte {
	count, start := int64(len(p.entries)), p.offsets[len(p.entries)]
	size := int64(0)
	for i := range p.entries {
		size += int64(centralSize(&p.entries[i], p.offsets[i]))
	}
	var b []byte
	if count >= most16 || big(start) || big(size) {
		b = put64(put32(b, end64Signature), end64Fixed-12)
		b = put16(put16(b, madeOnUnix), versionZip64)
		b = put32(put32(b, 0), 0) // one disk
		b = put64(put64(b, count), count)
		b = put64(put64(b, size), start)
		b = put64(put32(put32(b, locator64Signature), 0), start+size)
		b = put32(b, 1)
	}
	short := uint16(min(count, most16))
	b = put16(put16(put32(b, endSignature), 0), 0)
	b = put16(put16(b, short), short)
	b = put32(put32(b, clip32(size)), clip32(start))
	return put16(b, 0) // no comment
}
