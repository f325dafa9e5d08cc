package samples

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"go/format"
	"image/gif"
	"image/png"
	"io"
	"math"
	"path"
	"strings"
	"testing"
	"unicode/utf8"
)

// Every file is what its name says.
func TestFilesReadAsTheirFormat(t *testing.T) {
	all, err := made()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range all {
		var err error
		switch path.Ext(path.Base(name)) {
		case ".png":
			m, err := png.Decode(bytes.NewReader(data))
			if err != nil || m.Bounds().Dx() < 200 {
				t.Errorf("%s: %v", name, err)
			}
		case ".gif":
			film, err := gif.DecodeAll(bytes.NewReader(data))
			if err != nil || len(film.Image) != 96 {
				t.Errorf("%s: %v", name, err)
			}
		case ".json", ".geojson":
			if !json.Valid(data) {
				t.Errorf("%s is not JSON", name)
			}
		case ".xml", ".svg":
			for d := xml.NewDecoder(bytes.NewReader(data)); err == nil; {
				_, err = d.Token()
			}
			if err != io.EOF {
				t.Errorf("%s: %v", name, err)
			}
		case ".csv", ".tsv":
			checkTable(t, name, data)
		case ".gz":
			r, err := gzip.NewReader(bytes.NewReader(data))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			plain, err := io.ReadAll(io.LimitReader(r, 4<<20))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			checkTable(t, name, plain)
		case ".go":
			if pretty, err := format.Source(data); err != nil || !bytes.Equal(pretty, data) {
				t.Errorf("%s is not formatted Go: %v", name, err)
			}
		case ".md", ".txt", ".py", ".R", "":
			if !utf8.Valid(data) || len(data) > 0 && data[len(data)-1] != '\n' {
				t.Errorf("%s is not UTF-8 text in lines", name)
			}
		case ".wav":
			checkWave(t, data)
		case ".nc":
			checkGrid(t, data)
		case ".f32":
			checkFloats(t, data)
		default:
			t.Errorf("%s: no test knows what this is", name)
		}
	}
}

func checkTable(t *testing.T, name string, data []byte) {
	t.Helper()
	if strings.Contains(name, "latin1") {
		if utf8.Valid(data) {
			t.Errorf("%s is UTF-8", name)
		}
	} else if !utf8.Valid(data) {
		t.Errorf("%s is not UTF-8", name)
	}
	r := csv.NewReader(bytes.NewReader(data))
	for _, comma := range ";\t" {
		if bytes.ContainsRune(data, comma) {
			r.Comma = comma
		}
	}
	rows, err := r.ReadAll() // refuses rows of different lengths
	if err != nil || len(rows) < 2 || len(rows[0]) < 2 {
		t.Errorf("%s: %d rows, %v", name, len(rows), err)
	}
}

func checkWave(t *testing.T, data []byte) {
	t.Helper()
	little := binary.LittleEndian
	if string(data[:4]) != "RIFF" || string(data[8:16]) != "WAVEfmt " || string(data[36:40]) != "data" ||
		int(little.Uint32(data[4:])) != len(data)-8 || int(little.Uint32(data[40:])) != len(data)-44 {
		t.Fatalf("the header of the sound is %x", data[:44])
	}
	if seconds := float64(len(data)-44) / float64(little.Uint32(data[28:])); math.Abs(seconds-3.2) > 1e-9 {
		t.Errorf("the sound lasts %v s", seconds)
	}
}

func checkFloats(t *testing.T, data []byte) {
	t.Helper()
	// One number in 61 tells enough, and is quick with the race detector on.
	const stride = 4 * 61
	sum, n := 0.0, 0
	for i := 0; i < len(data); i += stride {
		x := math.Float32frombits(binary.LittleEndian.Uint32(data[i:]))
		if !(x >= 0 && x < 1) {
			t.Fatalf("number %d is %v", i/4, x)
		}
		sum += float64(x)
		n++
	}
	// The mean of a hundred thousand has a standard deviation below 0.001.
	if mean := sum / float64(n); len(data) != 24<<20 || math.Abs(mean-0.5) > 0.005 {
		t.Errorf("%d bytes with the mean %v", len(data), mean)
	}
}

// checkGrid reads the netCDF header by the format's grammar, not by the code
// that wrote it, and looks whether the data stand where the header says.
func checkGrid(t *testing.T, data []byte) {
	t.Helper()
	at := 4
	number := func() int {
		at += 4
		return int(binary.BigEndian.Uint32(data[at-4:]))
	}
	name := func() string {
		n := number()
		s := string(data[at : at+n])
		at += (n + 3) / 4 * 4
		return s
	}
	attributes := func() map[string]string {
		all := map[string]string{}
		if tag, n := number(), number(); tag == 0x0c {
			for range n {
				key := name()
				if number() != 2 {
					t.Fatalf("attribute %s is not text", key)
				}
				all[key] = name()
			}
		}
		return all
	}
	if string(data[:4]) != "CDF\x01" || number() != 0 || number() != 0x0a {
		t.Fatalf("the file begins %x", data[:12])
	}
	lengths := make([]int, number())
	for i := range lengths {
		name()
		lengths[i] = number()
	}
	if a := attributes(); !strings.Contains(a["source"], "demonstration") {
		t.Errorf("attributes %v", a)
	}
	if number() != 0x0b {
		t.Fatal("no variables")
	}
	units, end := map[string]string{}, 0
	for range number() {
		variable, size := name(), 4
		for range number() {
			size *= lengths[number()]
		}
		units[variable] = attributes()["units"]
		kind, vsize, begin := number(), number(), number()
		if kind != 5 || vsize != size || begin != end && end != 0 {
			t.Errorf("%s: type %d, %d bytes from %d, want %d bytes from %d", variable, kind, vsize, begin, size, end)
		}
		if end == 0 {
			end = begin
			defer func(first int) {
				if at != first {
					t.Errorf("the header ends at %d, the data begin at %d", at, first)
				}
			}(begin)
		}
		end += size
	}
	if end != len(data) || units["zos"] != "m" || units["lat"] != "degrees_north" {
		t.Errorf("data end at %d of %d, units %v", end, len(data), units)
	}
	if highest := math.Float32frombits(binary.BigEndian.Uint32(data[end-4:])); math.Abs(float64(highest)) > 1.01 {
		t.Errorf("the sea stands at %v m", highest)
	}
}

// The island's coast is closed and runs anticlockwise (RFC 7946, 3.1.6).
func TestCoastIsARing(t *testing.T) {
	ring := coast()
	if ring[0] != ring[len(ring)-1] {
		t.Error("the ring is open")
	}
	area := 0.0
	for i := range len(ring) - 1 {
		area += ring[i][0]*ring[i+1][1] - ring[i+1][0]*ring[i][1]
	}
	if area <= 0 {
		t.Errorf("twice the area is %v", area)
	}
}

// The pond's two tables differ in the stuck week and nowhere else.
func TestSecondPondTableCorrectsOneWeek(t *testing.T) {
	first, _ := pondFirst()
	second, _ := pondSecond()
	a, b := strings.Split(string(first), "\n"), strings.Split(string(second), "\n")
	if len(a) != 3653+2 || len(b) != len(a) {
		t.Fatalf("%d and %d lines", len(a), len(b))
	}
	var days []string
	for i := range a {
		if a[i] != b[i] {
			days = append(days, a[i][:10])
			if !strings.Contains(b[i], ",,") || !strings.HasSuffix(b[i], "sensor stuck") {
				t.Errorf("%s became %s", a[i], b[i])
			}
		}
	}
	if len(days) == 0 {
		t.Fatal("the tables are the same")
	}
	if len(days) != 7 || days[0] != "2019-07-08" {
		t.Errorf("%d days changed, the first is %s", len(days), days[0])
	}
	for _, r := range pond() {
		if r.celsius < 0.2 || r.celsius > 25 || r.level < 0 || r.level > 100 {
			t.Errorf("%+v does not fit the chart", r)
		}
	}
}

// Counts that descriptions state.
func TestStatedCounts(t *testing.T) {
	if n := len(primes()) - 1; n != 2262 {
		t.Errorf("%d primes", n)
	}
	table, err := fixed("greetings.tsv")()
	if err != nil {
		t.Fatal(err)
	}
	scripts := map[string]bool{}
	lines := strings.Split(strings.TrimSpace(string(table)), "\n")[1:]
	for _, line := range lines {
		scripts[strings.Split(line, "\t")[2]] = true
	}
	if len(lines) != 24 || len(scripts) != 14 {
		t.Errorf("%d languages in %d scripts", len(lines), len(scripts))
	}
	if len(stars()) != 400 || len(cabinet().Sheets) != 60 {
		t.Errorf("%d stars, %d mosses", len(stars()), len(cabinet().Sheets))
	}
}
