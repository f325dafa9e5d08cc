package preview

import (
	"errors"
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
	for _, f := range p.Fields {
		n += len(f.Name) + len(f.Value)
	}
	for _, m := range p.Members {
		n += len(m.Name)
	}
	return n
}

// Whatever a file holds, its preview is made soon, is bounded, and is whole text.
func FuzzOf(f *testing.F) {
	netCDF := "CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x00\x04time\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x0b\x00\x00\x00\x01\x00\x00\x00\x01h\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x04\x00\x00\x00\x00"
	for name, content := range map[string]string{
		"a.csv": "a,b\n1,\"x\"\n", "a.tsv": "a\tb\n1\t2\n", "a.json": `{"a": [1, null]}`, "a.xml": "<a b='c'>d</a>", "a.txt": "text\n", "a.nc": netCDF,
		"a.fits": "SIMPLE  =                    T" + strings.Repeat(" ", 50) + "END", "a.zip": "PK\x05\x06" + strings.Repeat("\x00", 18), "a.tar": strings.Repeat("\x00", 1024), "a.tar.gz": "\x1f\x8b",
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
