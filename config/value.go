package config

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ValueType says how a setting is written.
type ValueType string

const (
	Text     ValueType = "text"     // any characters but control characters
	Number   ValueType = "number"   // decimal digits, with a sign or not
	Size     ValueType = "size"     // bytes: a whole number, alone or with B, kB, MB, GB, TB, KiB, MiB, GiB, TiB
	Switch   ValueType = "switch"   // true or false
	Duration ValueType = "duration" // as time.ParseDuration reads it: 5s, 1m30s, 168h
	Networks ValueType = "networks" // IP addresses and CIDR networks; with commas between them outside TOML
	Names    ValueType = "names"    // host names and the like; with commas between them outside TOML
)

// maxText bounds every value given as text, in bytes.
const maxText = 4096

// field is one setting: its names, its meaning, and where its value is stored.
type field struct {
	key   string
	at    any // *string, *int, *int64 (a size), *bool, *time.Duration, *[]netip.Prefix or *[]string
	def   string
	help  string
	again bool // SIGHUP has a server read it again

	min, max int64                        // bounds of a number, a size or a duration, both included
	of       []string                     // the only values a text may have
	fix      func(string) (string, error) // checks a text, or each name, and returns its normal form
}

func (f field) valueType() ValueType {
	switch f.at.(type) {
	case *int:
		return Number
	case *int64:
		return Size
	case *bool:
		return Switch
	case *time.Duration:
		return Duration
	case *[]netip.Prefix:
		return Networks
	case *[]string:
		return Names
	}
	return Text
}

// set parses a value, checks it by itself, and stores it. An error reads as the
// end of a sentence that begins with the key.
func (f field) set(text string) error {
	if len(text) > maxText {
		return fmt.Errorf("must not be longer than %d bytes", maxText)
	}
	switch at := f.at.(type) {
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("must be a whole number, not %q", text)
		}
		if err := f.within(int64(n), strconv.FormatInt); err != nil {
			return err
		}
		*at = n
	case *int64:
		n, err := parseSize(text)
		if err != nil {
			return err
		}
		if err := f.within(n, formatSize); err != nil {
			return err
		}
		*at = n
	case *bool:
		if text != "true" && text != "false" {
			return fmt.Errorf("must be true or false, not %q", text)
		}
		*at = text == "true"
	case *time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf(`must be a duration such as "30s", "5m" or "168h", not %q`, text)
		}
		if err := f.within(int64(d), formatDuration); err != nil {
			return err
		}
		*at = d
	case *[]netip.Prefix:
		list, err := parseNetworks(text)
		if err != nil {
			return err
		}
		*at = list
	case *[]string:
		list, err := f.names(text)
		if err != nil {
			return err
		}
		*at = list
	case *string:
		text, err := f.text(text)
		if err != nil {
			return err
		}
		*at = text
	}
	return nil
}

func (f field) text(text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", errors.New("must be valid UTF-8")
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "", errors.New("must not contain control characters")
	}
	if f.of != nil && !slices.Contains(f.of, text) {
		return "", fmt.Errorf("must be one of %q, not %q", f.of, text)
	}
	if f.fix != nil {
		return f.fix(text)
	}
	return text, nil
}

// names reads names with commas between them, each once.
func (f field) names(text string) ([]string, error) {
	var list []string
	for _, name := range strings.Split(text, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		name, err := f.text(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list, nil
}

func (f field) within(n int64, format func(int64, int) string) error {
	if n < f.min || n > f.max {
		return fmt.Errorf("must be between %s and %s, not %s", format(f.min, 10), format(f.max, 10), format(n, 10))
	}
	return nil
}

// formatDuration writes 10m and 168h where Duration.String has 10m0s and 168h0m0s.
func formatDuration(n int64, _ int) string {
	s := time.Duration(n).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// units are the accepted endings of a size. The longer ones come first, because
// "B" is the end of them all.
var units = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// parseSize reads a number of bytes that is not negative: "1048576", "1MiB" or
// "20 GB".
// ParseSize reads a size: a whole number of bytes, alone or with a unit such as KiB, MB or GiB.
func ParseSize(text string) (int64, error) { return parseSize(text) }

func parseSize(text string) (int64, error) {
	digits, factor := text, int64(1)
	for _, u := range units {
		if rest, found := strings.CutSuffix(text, u.name); found {
			digits, factor = strings.TrimSuffix(rest, " "), u.bytes
			break
		}
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || int64(n) > math.MaxInt64/factor {
		return 0, fmt.Errorf(`must be a size such as "64KiB", "20GiB" or a whole number of bytes, not %q`, text)
	}
	return int64(n) * factor, nil
}

// formatSize writes a size in the largest unit of 1024 that loses nothing.
func formatSize(n int64, _ int) string {
	for i := 3; i >= 0 && n > 0; i-- {
		if n%units[i].bytes == 0 {
			return strconv.FormatInt(n/units[i].bytes, 10) + units[i].name
		}
	}
	return strconv.FormatInt(n, 10)
}

// parseNetworks reads addresses and networks with commas between them. A network that holds every
// address is refused: trust in all proxies is trust in every client to say where it comes from.
func parseNetworks(text string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, entry := range strings.Split(text, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		p, err := netip.ParsePrefix(entry)
		if err != nil {
			addr, err := netip.ParseAddr(entry)
			if err != nil || addr.Zone() != "" {
				return nil, fmt.Errorf(`must list IP addresses or networks such as "192.0.2.1" or "10.0.0.0/8", not %q`, entry)
			}
			addr = addr.Unmap()
			p = netip.PrefixFrom(addr, addr.BitLen())
		}
		if p.Addr().Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		if p.Bits() == 0 {
			return nil, fmt.Errorf("must not contain %q, which would trust every client", entry)
		}
		list = append(list, p.Masked())
	}
	return list, nil
}
