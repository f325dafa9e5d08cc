package preview

import (
	"archive/zip"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// size is how much text a preview has.
func (p *Preview) size() (n int) {
	if p.Text != nil {
		for _, l := range p.Text.Lines {
			n += len(l) + 1
		}
	}
	if p.Table != nil {
		for _, r := range append(p.Table.Rows, p.Table.Header) {
			for _, c := range r {
				n += len(c) + 1
			}
		}
	}
	var walk func(*Node)
	walk = func(t *Node) {
		n += len(t.Name) + len(t.Text) + 1
		for _, c := range t.Nodes {
			walk(c)
		}
	}
	if p.Tree != nil {
		walk(p.Tree)
	}
	if m := p.Map; m != nil {
		n += len(m.Dots) + len(m.Lines) + len(m.Areas) + 20*len(m.Meridians) + 20*len(m.Parallels)
	}
	for _, f := range p.Fields {
		n += len(f.Name) + len(f.Value)
	}
	for _, m := range p.Members {
		n += len(m.Name)
	}
	return n
}

// packed is an archive with a member.
func packed(t testing.TB) string {
	var b strings.Builder
	z := zip.NewWriter(&b)
	w, err := z.Create("folder/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, strings.Repeat("snow", 100)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever a file holds, its preview is made soon, is bounded, and is whole text.
func FuzzOf(f *testing.F) {
	netCDF := "CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x00\x04time\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x0b\x00\x00\x00\x01\x00\x00\x00\x01h\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x04\x00\x00\x00\x00"
	for name, content := range map[string]string{
		"a.csv": "a,b\n1,\"x\"\n", "a.tsv": "a\tb\n1\t2\n", "a.json": `{"a": [1, null]}`, "a.geojson": `{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 0]]]}}]}`, "a.xml": "<a b='c'>d</a>", "a.txt": "text\n", "a.nc": netCDF,
		"a.fits": "SIMPLE  =                    T" + strings.Repeat(" ", 50) + "END", "a.zip": "PK\x05\x06" + strings.Repeat("\x00", 18), "a.tar": strings.Repeat("\x00", 1024), "a.tar.gz": "\x1f\x8b",
		"b.zip": packed(f), "b.tar": "a.txt" + strings.Repeat("\x00", 95) + "0000600\x000000000\x000000000\x0000000000004\x0000000000000\x00006043\x00 0" + strings.Repeat("\x00", 355) + "snow" + strings.Repeat("\x00", 508+1024),
	} {
		f.Add(name, content)
	}
	f.Fuzz(func(t *testing.T, name, content string) {
		start := time.Now()
		p, err := Of(File{strings.NewReader(content), name, "text/plain", int64(len(content))})
		if took := time.Since(start); took > 10*time.Second {
			t.Fatalf("it took %v", took)
		}
		if err != nil {
			if !errors.Is(err, ErrNone) && !errors.Is(err, ErrBroken) {
				t.Fatal(err)
			}
			return
		}
		if n := p.size(); n > 2<<20 {
			t.Fatalf("%d bytes are shown", n)
		}
		for _, m := range p.Members[:min(len(p.Members), 3)] {
			if m.Number == 0 {
				continue
			}
			x, err := Extract(File{strings.NewReader(content), name, "text/plain", int64(len(content))}, m.Number)
			if err != nil {
				continue
			}
			if n, err := io.Copy(io.Discard, io.LimitReader(x, 4<<20)); n > x.Size || err == nil && n != min(x.Size, 4<<20) {
				t.Fatalf("%d bytes of %d, %v", n, x.Size, err)
			}
		}
		if p.Text != nil && !utf8.ValidString(strings.Join(p.Text.Lines, "")) {
			t.Fatal("no text")
		}
	})
}

// The header of a classic file of NetCDF is read as it is written.
func TestNetCDF(t *testing.T) {
	word := func(s string) string {
		return "\x00\x00\x00" + string(rune(len(s))) + s + strings.Repeat("\x00", (4-len(s)%4)%4)
	}
	content := "CDF\x01\x00\x00\x00\x02" + "\x00\x00\x00\x0a\x00\x00\x00\x02" + word("time") + "\x00\x00\x00\x00" + word("x") + "\x00\x00\x00\x03" +
		"\x00\x00\x00\x0c\x00\x00\x00\x01" + word("title") + "\x00\x00\x00\x02" + word("Tides") +
		"\x00\x00\x00\x0b\x00\x00\x00\x01" + word("height") + "\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01" +
		"\x00\x00\x00\x0c\x00\x00\x00\x01" + word("valid") + "\x00\x00\x00\x05\x00\x00\x00\x01\x3f\x80\x00\x00" + "\x00\x00\x00\x06\x00\x00\x00\x18\x00\x00\x01\x00"
	p, err := Of(File{strings.NewReader(content), "tides.nc", "application/x-netcdf", int64(len(content))})
	if err != nil {
		t.Fatal(err)
	}
	want := []Field{{"time", "unlimited"}, {"x", "3"}, {"title", "Tides"}, {"height: valid", "1 × float"}, {"height", "double(time, x)"}}
	if p.Cut || len(p.Fields) != len(want) {
		t.Fatalf("%v, cut %v", p.Fields, p.Cut)
	}
	for i := range want {
		if p.Fields[i] != want[i] {
			t.Errorf("%v, not %v", p.Fields[i], want[i])
		}
	}
}
