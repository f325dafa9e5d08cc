package handlers

import (
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"alcove/auth"
	"alcove/handlers/items"
)

// Secrets are as many random bits as they look (security.md B09). Of a hundred thousand of each
// kind no two are the same, and in every place each digit is as frequent as any other, by a χ²
// test with 15 degrees of freedom at p = 0.001, once more for places that fail it by chance.
func TestThreatEntropy(t *testing.T) {
	for _, kind := range []struct {
		name   string
		make   func() string
		skip   int // characters that are always the same
		digits int
	}{
		{"token", auth.NewToken, len("alc_"), 64},
		{"private link", items.NewLinkToken, 0, 32},
	} {
		t.Run(kind.name, func(t *testing.T) {
			suspects := uneven(t, kind.make, kind.skip, kind.digits)
			if len(suspects) == 0 {
				return
			}
			for _, place := range uneven(t, kind.make, kind.skip, kind.digits) {
				if slices.Contains(suspects, place) {
					t.Errorf("the digits at %d are uneven, twice", place)
				}
			}
		})
	}
}

// uneven makes many secrets and returns the places where digits are not equally frequent.
func uneven(t *testing.T, make func() string, skip, digits int) (places []int) {
	t.Helper()
	const n, limit = 100000, 37.697 // of χ², 15 degrees of freedom, p = 0.001
	seen := map[string]bool{}
	counts := [64][16]int{}
	for range n {
		s := make()
		if seen[s] || len(s) != skip+digits {
			t.Fatalf("%q came before, or has not %d digits", s, digits)
		}
		seen[s] = true
		for place, c := range s[skip:] {
			counts[place][strings.IndexRune("0123456789abcdef", c)]++
		}
	}
	for place := range digits {
		sum := 0.0
		for _, count := range counts[place] {
			sum += math.Pow(float64(count)-n/16.0, 2) / (n / 16.0)
		}
		if sum > limit {
			places = append(places, place)
		}
	}
	return places
}

// math/rand is only used where nothing must be hard to guess (security.md B09).
func TestThreatRandomSources(t *testing.T) {
	allowed := []string{"cli/deposit/retry.go"}
	programs := []string{"bench/", "cli/demo/samples/", "tests/", "tools/"} // that test the server or make samples
	found := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, "../"))
		if slices.ContainsFunc(programs, func(p string) bool { return strings.HasPrefix(name, p) }) {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			lib, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if strings.HasPrefix(lib, "math/rand") && !slices.Contains(allowed, name) {
				t.Errorf("%s imports %s", name, lib)
			} else if strings.HasPrefix(lib, "math/rand") {
				found++
			}
		}
		return nil
	})
	if err != nil || found != len(allowed) {
		t.Errorf("%d files import math/rand: %v", found, err)
	}
}
