package library

import (
	"encoding/hex"
	"errors"
	"io"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"alcove/site/preview"
)

const (
	parquetRows    = 200
	parquetColumns = 60 // that are read; of the others the schema tells
	parquetSchema  = 400
	parquetCell    = 200      // bytes of one
	parquetBuffer  = 64 << 10 // bytes that are read at a time
)

// parquetHead shows the schema of a file in Parquet and its first rows, a column for each leaf of the
// schema. It reads only the pages that have them.
func parquetHead(f preview.File) (*preview.Preview, error) {
	p, err := parquet.OpenFile(f, f.Size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(parquetBuffer))
	if err != nil {
		return nil, errors.Join(preview.ErrBroken, err)
	}
	shown := &preview.Preview{Rows: int(p.NumRows())}
	var header []string
	var values []func(parquet.Value) string
	for i, path := range p.Schema().Columns() {
		name := preview.Clean(strings.Join(path, "."), parquetCell)
		leaf, ok := p.Schema().Lookup(path...)
		if !ok {
			return nil, preview.ErrBroken
		}
		if i < parquetColumns {
			values = append(values, shower(leaf.Node.Type()))
		}
		if i < parquetSchema {
			shown.Fields = append(shown.Fields, preview.Field{Name: name, Value: leaf.Node.Type().String() + presence(leaf)})
		}
		header = append(header, name)
	}
	rows := make([][]string, 0, min(parquetRows, max(0, p.NumRows())))
	for _, g := range p.RowGroups() {
		if len(rows) >= parquetRows {
			break
		}
		of := make([][]string, min(parquetRows-len(rows), int(max(0, min(g.NumRows(), parquetRows)))))
		for i := range of {
			of[i] = make([]string, len(values))
		}
		for i, chunk := range g.ColumnChunks() {
			if i < len(values) {
				if err := column(chunk, i, of, values[i]); err != nil {
					return nil, errors.Join(preview.ErrBroken, err)
				}
			}
		}
		rows = append(rows, of...)
	}
	next := -1
	shown.Table, err = preview.TableOf(header, func() ([]string, error) {
		if next++; next == len(rows) {
			return nil, io.EOF
		}
		return rows[next], nil
	})
	shown.Cut = shown.Rows > len(rows)
	return shown, err
}

// presence says how often a leaf has a value in a row.
func presence(leaf parquet.LeafColumn) string {
	switch {
	case leaf.MaxRepetitionLevel > 0:
		return ", repeated"
	case leaf.MaxDefinitionLevel > 0:
		return ", optional"
	}
	return ""
}

// column puts the values of a column into the first rows of its group.
func column(chunk parquet.ColumnChunk, at int, rows [][]string, show func(parquet.Value) string) error {
	pages := chunk.Pages()
	defer pages.Close()
	buffer, row := make([]parquet.Value, 256), -1
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for from := page.Values(); ; {
			n, err := from.ReadValues(buffer)
			for _, v := range buffer[:n] {
				if v.RepetitionLevel() == 0 {
					row++
				}
				if row >= len(rows) {
					return nil
				}
				if cell := rows[max(row, 0)]; !v.IsNull() && len(cell[at]) < parquetCell {
					if v.RepetitionLevel() > 0 {
						cell[at] += ", "
					}
					cell[at] += show(v)
				}
			}
			if errors.Is(err, io.EOF) || n == 0 && err == nil {
				break
			}
			if err != nil {
				return err
			}
		}
		parquet.Release(page)
	}
}

// shower is how values of a type are written.
func shower(t parquet.Type) func(parquet.Value) string {
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.DateType:
			return day
		case *format.TimestampType:
			if l.Unit.Value != nil {
				return moment(l.Unit.Value.Duration())
			}
		case *format.DecimalType:
			return decimal(int(l.Scale))
		case *format.UUIDType:
			return func(v parquet.Value) string { return hex.EncodeToString(v.Bytes()) }
		case *format.IntType:
			if !l.IsSigned {
				return unsigned
			}
		}
	} else if converted := t.ConvertedType(); converted != nil {
		switch *converted {
		case deprecated.Date:
			return day
		case deprecated.TimestampMillis:
			return moment(time.Millisecond)
		case deprecated.TimestampMicros:
			return moment(time.Microsecond)
		case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
			return unsigned
		}
	}
	return plain
}

func day(v parquet.Value) string {
	return time.Unix(0, 0).UTC().AddDate(0, 0, int(v.Int32())).Format(time.DateOnly)
}

func moment(unit time.Duration) func(parquet.Value) string {
	return func(v parquet.Value) string {
		n, perSecond := v.Int64(), int64(time.Second/unit)
		return at(n/perSecond, n%perSecond*int64(unit))
	}
}

func at(seconds, nanoseconds int64) string {
	return time.Unix(seconds, nanoseconds).UTC().Format("2006-01-02 15:04:05.999999999")
}

func unsigned(v parquet.Value) string {
	if v.Kind() == parquet.Int32 {
		return strconv.FormatUint(uint64(v.Uint32()), 10)
	}
	return strconv.FormatUint(v.Uint64(), 10)
}

// decimal writes numbers with some digits behind the point.
func decimal(scale int) func(parquet.Value) string {
	return func(v parquet.Value) string {
		n := new(big.Int)
		switch v.Kind() {
		case parquet.Int32:
			n.SetInt64(int64(v.Int32()))
		case parquet.Int64:
			n.SetInt64(v.Int64())
		default:
			b := v.Bytes()
			if len(b) > 32 || scale < 0 || scale > 80 {
				return hex.EncodeToString(b[:min(len(b), 32)])
			}
			if n.SetBytes(b); len(b) > 0 && b[0] >= 0x80 { // negative, as the complement of two
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		}
		if scale <= 0 || scale > 80 {
			return n.String()
		}
		return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(scale)
	}
}

// plain writes a value as what it is stored as. Bytes that are no text are in hexadecimal.
func plain(v parquet.Value) string {
	switch v.Kind() {
	case parquet.ByteArray, parquet.FixedLenByteArray:
		b := v.Bytes()
		if !utf8.Valid(b) {
			return hex.EncodeToString(b[:min(len(b), 32)])
		}
		return string(b[:min(len(b), parquetCell)])
	case parquet.Int96: // nanoseconds of a day, and its number from 4713 BC
		i := v.Int96()
		return at((int64(i[2])-2_440_588)*86400, int64(uint64(i[1])<<32|uint64(i[0])))
	}
	return v.String()
}
