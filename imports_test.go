package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which of our packages a package may import: the drawing in
// docs/architecture.md. A package also may import what lies below it in the tree, and one that is
// not named here what its top-level folder may.
var arrows = map[string][]string{
	"":         {"cli", "handlers"},
	"cli":      {"handlers", "check", "config", "bucket", "index", "uploads", "blobs", "web", "record", "latency"},
	"handlers": {"check", "index", "bucket", "uploads", "blobs", "record", "web"},
	"check":    {"index", "bucket", "blobs", "record"},
	"index":    {"bucket", "record"},
	"bucket":   {"latency", "record"},
	"uploads":  {"blobs", "latency"},
	"blobs":    {"latency"},
	"latency":  {},
	"config":   {},
	"record":   {},
	"web":      {},

	"handlers/present": {"record"},
	"handlers/apidoc":  {"handlers/present", "record"},
	"handlers/items":   {"handlers/present", "bucket", "uploads", "record"},
}

// homes says where each library of the store, the search and the command line may
// appear.
var homes = map[string][]string{
	"go.etcd.io/bbolt":                    {"bucket"},
	"github.com/blevesearch/":             {"index"},
	"github.com/RoaringBitmap/":           {"index"},
	"github.com/julienschmidt/httprouter": {""},
	"github.com/spf13/pflag":              {"cli"},
}

// The packages of the program depend on each other as the design says, and on no more.
func TestImports(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "tools" || path == "bench" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		if pkg == "." {
			pkg = ""
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			seen[library(name)] = true
			if why := forbidden(pkg, name); why != "" {
				t.Errorf("%s imports %s: %s", path, name, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for lib := range homes {
		if !seen[lib] {
			t.Errorf("nothing imports %s", lib)
		}
	}
}

func library(name string) string {
	for lib := range homes {
		if strings.HasPrefix(name, lib) {
			return lib
		}
	}
	return ""
}

// forbidden says why a package may not import another; empty when it may.
func forbidden(pkg, name string) string {
	if lib := library(name); lib != "" && !slices.Contains(homes[lib], room(pkg)) {
		return "it belongs in " + strings.Join(homes[lib], ", ")
	}
	other, ours := strings.CutPrefix(name, "alcove/")
	allowed, named := arrows[pkg]
	if !ours || strings.HasPrefix(other, pkg+"/") || pkg != "" && room(other) == room(pkg) && !named {
		return ""
	}
	if !named {
		allowed = arrows[room(pkg)]
	}
	if !slices.Contains(allowed, other) && (room(other) == room(pkg) || !slices.Contains(allowed, room(other))) {
		return "there is no such arrow in the design"
	}
	return ""
}

// room is the top-level folder of a package.
func room(pkg string) string {
	top, _, _ := strings.Cut(pkg, "/")
	return top
}
