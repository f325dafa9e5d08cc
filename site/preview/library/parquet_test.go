package library

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"alcove/site/preview"
)

// parquetOf writes rows in groups of some.
func parquetOf[T any](t *testing.T, rows []T, group int) preview.File {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, parquet.Compression(&parquet.Zstd))
	for from := 0; from < len(rows); from += group {
		if _, err := w.Write(rows[from:min(from+group, len(rows))]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return preview.File{ReaderAt: bytes.NewReader(b.Bytes()), Name: "a.parquet", Size: int64(b.Len())}
}

// A file in Parquet is shown with its schema, and its rows as people write their values.
func TestParquet(t *testing.T) {
	type row struct {
		Station string    `parquet:"station"`
		MM      *float64  `parquet:"mm,optional"`
		Day     int32     `parquet:"day,date"`
		At      time.Time `parquet:"at,timestamp(microsecond)"`
		Price   int64     `parquet:"price,decimal(2:10)"`
		Marks   []string  `parquet:"marks,list"`
		Raw     []byte    `parquet:"raw"`
		Big     uint64    `parquet:"big"`
		OK      bool      `parquet:"ok"`
	}
	mm := 0.4
	rows := []row{{"NYA", &mm, 19431, time.Date(1969, 12, 31, 23, 59, 59, 5e8, time.UTC), -1234, []string{"a", "b"}, []byte{0xff, 1}, 1<<64 - 1, true}, {Station: "<b>"}}
	for len(rows) < 500 {
		rows = append(rows, row{Station: fmt.Sprint(len(rows))})
	}
	p, err := parquetHead(parquetOf(t, rows, 120))
	if err != nil {
		t.Fatal(err)
	}
	want := `["NYA" "0.4" "2023-03-15" "1969-12-31 23:59:59.5" "-12.34" "a, b" "ff01" "18446744073709551615" "true"]`
	if got := fmt.Sprintf("%q", p.Table.Rows[0]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(p.Table.Rows) != 200 || p.Rows != 500 || !p.Cut || p.Table.Rows[1][1] != "" || p.Table.Rows[199][0] != "199" || p.Table.Columns[1].Missing != 199 {
		t.Errorf("%d of %d rows, the last %q, %v", len(p.Table.Rows), p.Rows, p.Table.Rows[199], p.Table.Columns[1])
	}
	schema := fmt.Sprint(p.Fields)
	if schema != "[{station STRING} {mm DOUBLE, optional} {day DATE} {at TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)} {price DECIMAL(10,2)} "+
		"{marks.list.element STRING, repeated} {raw BYTE_ARRAY} {big INT(64,false)} {ok BOOLEAN}]" {
		t.Errorf("the schema is %s", schema)
	}
	whole := parquetOf(t, rows, 120)
	for _, cut := range []int64{1, 8, 12, whole.Size / 2, whole.Size - 1} {
		whole.Size = cut
		if _, err := parquetHead(whole); !errors.Is(err, preview.ErrBroken) {
			t.Errorf("the first %d bytes: %v", cut, err)
		}
	}
}
