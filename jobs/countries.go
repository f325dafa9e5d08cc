package jobs

import (
	"fmt"
	"net/netip"
	"os"

	"github.com/oschwald/maxminddb-golang/v2"
)

// Countries tells countries by address, from a file in MaxMind's format (GeoLite2-Country and others of its shape). The nil
// one knows none. Its methods are safe for concurrent use.
type Countries struct{ db *maxminddb.Reader }

const (
	countriesMost   = 256 << 20 // bytes of a file
	countryNameMost = 100       // bytes of a name; a longer one is none
)

// OpenCountries opens a file of countries; without a path the answer is nil.
func OpenCountries(path string) (*Countries, error) {
	if path == "" {
		return nil, nil
	}
	if info, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("cannot read country_database: %w", err)
	} else if info.Size() > countriesMost {
		return nil, fmt.Errorf("cannot read country_database: %s has more than %d MiB", path, countriesMost>>20)
	}
	b, err := os.ReadFile(path) // not mapped: the file may be written again in place
	if err != nil {
		return nil, fmt.Errorf("cannot read country_database: %w", err)
	}
	db, err := maxminddb.OpenBytes(b)
	if err != nil {
		return nil, fmt.Errorf("cannot read country_database: %s is no file of countries in MaxMind's format: %w", path, err)
	}
	return &Countries{db}, nil
}

// Of is the English name of the country of an address, "" where it is not known.
func (c *Countries) Of(address string) string {
	if c == nil {
		return ""
	}
	at, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	var name string
	found := c.db.Lookup(at.Unmap().WithZone(""))
	if found.DecodePath(&name, "country", "names", "en") != nil || len(name) > countryNameMost {
		return ""
	}
	return name
}
