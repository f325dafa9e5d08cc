package articles

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// With a file of countries a breakdown tells where readers were; who has no country is Unknown, and no address is stored.
func TestCountries(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "countries.mmdb")
	disk.WriteFile(t, file, countries(map[string]string{"203.0.113.0/24": "Norway", "198.51.100.0/24": "Kenya", "192.0.2.0/24": strings.Repeat("x", 101)}))
	s := world.StartWithin(t, func(c *config.Config) {
		c.TrustedProxies, c.CountryDatabase = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, file
	})
	id := s.Ada.Published("Depths of a lake")
	for _, from := range []string{"203.0.113.7", "203.0.113.8", "203.0.113.8", "198.51.100.9", "10.0.0.1", "2001:db8::7", "192.0.2.1"} {
		s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id), "X-Forwarded-For", from, "User-Agent", "Mozilla/5.0 Firefox/140.0").Is(200)
	}
	want := `{"breakdown": {"total": {"Kenya": {"Unknown": 1, "total": 1}, "Norway": {"Unknown": 2, "total": 2}, "Unknown": {"Unknown": 3, "total": 3}}}}`
	got := ""
	s.Soon("the breakdown has six views", func() bool {
		got = string(s.Anon.Get(fmt.Sprintf("/stats/breakdown/total/views/article/%d", id)).Is(200).Bytes)
		return got == want
	})
	if got := string(s.Anon.Get(fmt.Sprintf("/stats/timeline/total/views/article/%d", id)).Is(200).Bytes); got != `{"timeline": {"total": 6}}` {
		t.Errorf("the timeline is %s", got)
	}
	s.Stop()
	stored, err := os.ReadFile(filepath.Join(s.Cfg.Data, "alcove.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"203.0.113.8", "198.51.100.9"} {
		if bytes.Contains(stored, []byte(address)) {
			t.Errorf("%s is stored", address)
		}
	}
	// A file that is none is refused at the start, by its name.
	disk.WriteFile(t, file, []byte("no database"))
	_, msg, status := world.AlcoveRun(t, "serve", "--data", s.Cfg.Data, "--listen", "127.0.0.1:0", "--tls", "off", "--country-database", file)
	if status != 1 || !strings.Contains(msg, "country_database") || !strings.Contains(msg, file) {
		t.Errorf("a wrong file: %d, %s", status, msg)
	}
}

// countries is a file of countries in MaxMind's format (its specification, version 2.0): a tree of bits of addresses whose
// leaves point at records.
func countries(names map[string]string) []byte {
	type node [2]int // the next node; -1 for nothing, -2-n for the record at n
	tree, records := []node{{-1, -1}}, new(bytes.Buffer)
	text := func(b *bytes.Buffer, s string) { // of up to 284 bytes
		if len(s) < 29 {
			b.WriteByte(2<<5 | byte(len(s)))
		} else {
			b.Write([]byte{2<<5 | 29, byte(len(s) - 29)})
		}
		b.WriteString(s)
	}
	for _, prefix := range slices.Sorted(maps.Keys(names)) {
		at := records.Len()
		for _, key := range []string{"country", "names", "en"} {
			records.WriteByte(7<<5 | 1) // a map with one key
			text(records, key)
		}
		text(records, names[prefix])
		p := netip.MustParsePrefix(prefix)
		address, here := p.Addr().As4(), 0
		for n := range p.Bits() {
			bit := address[n/8] >> (7 - n%8) & 1
			switch {
			case n == p.Bits()-1:
				tree[here][bit] = -2 - at
			case tree[here][bit] < 0:
				tree = append(tree, node{-1, -1})
				tree[here][bit] = len(tree) - 1
				here = len(tree) - 1
			default:
				here = tree[here][bit]
			}
		}
	}
	var out bytes.Buffer
	for _, n := range tree {
		for _, next := range n {
			switch {
			case next == -1:
				next = len(tree)
			case next < 0:
				next = len(tree) + 16 + (-2 - next)
			}
			out.Write(binary.BigEndian.AppendUint32(nil, uint32(next))[1:]) // 24 bits
		}
	}
	out.Write(make([]byte, 16))
	out.Write(records.Bytes())
	out.WriteString("\xab\xcd\xefMaxMind.com")
	out.WriteByte(7<<5 | 9)
	for _, number := range []struct {
		key  string
		kind byte // of its value: 5 for 16 bits, 6 for 32
		n    int
	}{{"binary_format_major_version", 5, 2}, {"binary_format_minor_version", 5, 0}, {"ip_version", 5, 4}, {"record_size", 5, 24}, {"node_count", 6, len(tree)}} {
		text(&out, number.key)
		out.Write([]byte{number.kind<<5 | 2, byte(number.n >> 8), byte(number.n)})
	}
	text(&out, "build_epoch")
	out.Write([]byte{1, 9 - 7, 1}) // a number of 64 bits in one byte
	text(&out, "database_type")
	text(&out, "GeoLite2-Country")
	text(&out, "languages")
	out.Write([]byte{1, 11 - 7}) // a list of one
	text(&out, "en")
	text(&out, "description")
	out.WriteByte(7 << 5) // an empty map
	return out.Bytes()
}
