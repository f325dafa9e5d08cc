package main

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says which of our packages a package may import: the drawing in
// docs/architecture.md. A package also may import what lies below it in the tree, and one that is
// not named here what its top-level folder may.
var arrows = map[string][]string{
	"":    {"cli", "handlers", "site"},
	"cli": {"handlers", "auth", "jobs", "check", "config", "bucket", "index", "uploads", "blobs", "record", "latency", "formats", "docs"},

	"cli/command": {"cli/sentence", "config", "docs"},
	"cli/own":     {"cli/command", "cli/deposit", "cli/fetch", "cli/remote"},
	"cli/operate": {"handlers/accounts", "handlers/audit", "handlers/items", "auth", "jobs", "bucket", "record"},
	"cli/erasure": {"cli/operate", "handlers/accounts", "handlers/items", "auth", "bucket", "record"},

	"handlers": {"auth", "jobs", "index", "bucket", "uploads", "blobs", "formats", "record", "latency"},
	"site":     {"handlers", "auth", "formats", "bucket", "blobs", "record"},
	"auth":     {"bucket", "record"},
	"jobs":     {"auth", "check", "handlers/accounts", "handlers/items", "bucket", "uploads", "blobs", "record"},
	"check":    {"index", "bucket", "blobs", "record"},
	"index":    {"bucket", "record"},
	"bucket":   {"latency", "record"},
	"uploads":  {"blobs", "latency"},
	"blobs":    {"latency"},
	"latency":  {},
	"tests":    {"cli", "formats", "handlers", "jobs", "site", "config", "bucket", "index", "uploads", "blobs", "record", "latency", "check", "auth"},
	"config":   {},
	"formats":  {"record"},
	"record":   {},

	"record/secrets": {},

	"index/segments": {},

	"tests/disk":    {},
	"tests/routes":  {"tests/disk", "handlers", "site", "record"},
	"tests/world":   {"tests/disk", "tests/routes", "cli", "check", "config", "bucket", "record"},
	"tests/stage":   {"tests/disk", "tests/routes", "tests/world", "handlers", "config", "bucket", "record"},
	"tests/doubles": {"tests/disk", "tests/world", "config"},
	"tests/soak":    {"tests/world", "record"},

	"handlers/present": {"record"},
	"handlers/apidoc":  {"handlers/present", "record"},
	"handlers/lists":   {"handlers/accounts", "bucket", "record"},
	"handlers/items":   {"handlers/accounts", "handlers/present", "bucket", "uploads", "record"},

	"handlers/endpoint": {
		"handlers/apidoc", "handlers/items", "handlers/lists", "handlers/present", "handlers/wire", "auth", "jobs", "index", "bucket", "uploads",
		"blobs", "record",
	},
	"handlers/mirrors": {"handlers/endpoint", "handlers/lists", "bucket", "record"},
	"handlers/people": {
		"handlers/accounts", "handlers/endpoint", "handlers/export", "handlers/items", "handlers/lists", "handlers/present", "handlers/wire",
		"auth", "jobs", "bucket", "record",
	},
	"handlers/reports": {
		"handlers/audit", "handlers/described", "handlers/endpoint", "handlers/lists", "handlers/present", "handlers/wire", "bucket", "record",
	},

	"handlers/described": {"handlers/present", "formats", "record"},

	"handlers/oai": {"handlers/described", "handlers/items", "handlers/present", "bucket", "formats", "record"},

	"handlers/accounts": {"auth", "bucket", "record"},

	"handlers/audit": {"handlers/accounts", "bucket", "record"},

	"site/account": {"site", "site/words", "handlers", "auth", "bucket", "record"},
	"site/own":     {"site", "site/words", "handlers", "bucket", "record"},
	"site/admin":   {"site", "site/words", "handlers", "bucket", "record"},
	"site/words":   {"record"},
}

// homes says where each library of the store, the search and the command line may appear, and
// each engine that could be another one.
var homes = map[string][]string{
	"go.etcd.io/bbolt":                    {"bucket/bolt"},
	"github.com/blevesearch/":             {"index"},
	"github.com/RoaringBitmap/":           {"index"},
	"github.com/julienschmidt/httprouter": {"", "tests"},
	"github.com/spf13/pflag":              {"cli"},
	"github.com/spf13/cobra":              {"cli"},
	"alcove/bucket/bolt":                  {"bucket"},
	"alcove/blobs/dir":                    {"cli", "tests"},
	"github.com/microcosm-cc/bluemonday":  {"site", "record/markup"},
	"github.com/yuin/goldmark":            {"site"},
	"github.com/wneessen/go-mail":         {"jobs"},
	"github.com/oschwald/":                {"jobs"},
	"rsc.io/qr":                           {"site"},
	"github.com/go-webauthn/webauthn":     {"auth"},
	"github.com/coreos/go-oidc/":          {"auth/oidc"},
	"golang.org/x/oauth2":                 {"auth/oidc"},
	"github.com/go-ldap/ldap/":            {"auth/ldap"},
	"github.com/alecthomas/chroma/":       {"site/preview/library"},
	"github.com/parquet-go/parquet-go":    {"site/preview/library"},
	"go.yaml.in/yaml/":                    {"cli/deposit/metadata"},
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
			seen[libraryOf(name)] = true
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

func libraryOf(name string) string {
	for lib := range homes {
		if strings.HasPrefix(name, lib) {
			return lib
		}
	}
	return ""
}

// forbidden says why a package may not import another; empty when it may.
func forbidden(pkg, name string) string {
	if lib := libraryOf(name); lib != "" && !slices.ContainsFunc(homes[lib], func(home string) bool { return pkg == home || home != "" && strings.HasPrefix(pkg, home+"/") }) {
		return "it belongs in " + strings.Join(homes[lib], ", ")
	}
	other, ours := strings.CutPrefix(name, "alcove/")
	allowed, named := arrows[pkg]
	if !ours || strings.HasPrefix(other, pkg+"/") || pkg != "" && topFolder(other) == topFolder(pkg) && !named {
		return ""
	}
	if !named {
		allowed = arrows[topFolder(pkg)]
	}
	if !slices.Contains(allowed, other) && (topFolder(other) == topFolder(pkg) || !slices.Contains(allowed, topFolder(other))) {
		return "there is no such arrow in the design"
	}
	return ""
}

// topFolder is the top-level folder of a package.
func topFolder(pkg string) string {
	top, _, _ := strings.Cut(pkg, "/")
	return top
}

// finished are the files whose comments and names are in common words and cite
// only what is in the repository. The list grows until it is all of them.
var finished = []string{"*.go", "tests/*/*.go", "record/*.go", "record/*/*.go", "cli/*.go",
	"cli/backup/*.go", "cli/certs/*.go", "cli/command/*.go", "cli/own/*.go", "cli/demo/*.go", "cli/demo/*/*.go", "cli/deposit/*.go", "cli/deposit/metadata/*.go",
	"handlers/*.go", "handlers/*/*.go", "handlers/*/*/*.go", "cli/fetch/*.go", "cli/remote/*.go", "cli/osfile/*.go", "cli/sentence/*.go", "docs/*.go", "cli/pack/*.go", "jobs/*.go", "check/*.go", "cli/operate/*.go", "cli/erasure/*.go", "cli/load/*.go", "formats/*.go", "uploads/*.go", "config/*.go", "bench/*.go", "bench/*/*.go",
	"blobs/*.go", "blobs/*/*.go", "bucket/*.go", "bucket/*/*.go", "index/*.go", "index/*/*.go", "bucket/kv/*/*.go", "site/*.go", "site/account/*.go", "site/admin/*.go", "site/own/*.go", "site/words/*.go", "auth/*.go", "auth/*/*.go", "tools/*/*.go", "tools/*/*/*.go"}

// privateWords are words for which the field has others, and persons where a client is meant.
var privateWords = regexp.MustCompile(`(?i)\b(somebody|nobody|anybody|everybody|whoever|whom|he|his|him|who asks?|` +
	`mend(s|ed|ing)?|settle[sd]?|settling|shelf|shelve[sd]?|canaries|witness(es)?|errands?|bundles?|rivals?|realm)\b|` +
	`(?-i:(^|[.;:] )(What|Who|That) )`)

// privateNames are such words as parts of names.
var privateNames = regexp.MustCompile(`(?i)^(somebody|nobody|anybody|everybody|whoever|mend(ed|s)?|settle[sd]?|shelf|shelve[sd]?|` +
	`canary|canaries|witness|errands?|bundles?|rivals|realm)$`)

// tolerated are words by file: keys of JSON that stays as it is, and HTTP's own terms.
var tolerated = map[string][]string{
	"stories_test.go": {"anybody"}, // a name in the stories
}

var nameParts = regexp.MustCompile(`[A-Z]?[a-z]+`)

// Comments and names of the finished files are in common words. Names of tests are left as they
// are, because tables and documents have them.
func TestWords(t *testing.T) {
	eachComment(t, finished, func(path, text string) {
		for _, word := range privateWords.FindAllString(text, -1) {
			if !slices.Contains(tolerated[filepath.Base(path)], strings.ToLower(word)) {
				t.Errorf("%s: a comment says %q: %.60s", path, word, text)
			}
		}
	}, func(path string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || strings.HasPrefix(id.Name, "Test") {
				return true
			}
			for _, part := range nameParts.FindAllString(id.Name, -1) {
				if privateNames.MatchString(part) && !slices.Contains(tolerated[filepath.Base(path)], strings.ToLower(part)) {
					t.Errorf("%s: the name %s", path, id.Name)
				}
			}
			return true
		})
	})
}

var (
	reference    = regexp.MustCompile(`\b(docs/[\w./-]+\.md)(?:#([\w-]+))?`)
	threatCited  = regexp.MustCompile(`security\.md (?:[A-N]\d\d[, ]*(?:to )?)+`)
	threatNumber = regexp.MustCompile(`[A-N]\d\d`)
	heading      = regexp.MustCompile(`(?m)^#+ (.+)$|<a id="([\w-]+)">`)
	notAnchor    = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	// deadCitation is a page that is not in the repository.
	deadCitation = regexp.MustCompile(`(?i)\b(api-facts|api-beyond|specification \d|decisions? \d|threats? [A-N]\d\d|section \d)`)
)

// Each page, heading and threat that a comment cites is there; comments of the finished files
// cite nothing else.
func TestReferencesOpen(t *testing.T) {
	threats, err := os.ReadFile("docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string][]string{}
	all := []string{"*.go"}
	for _, depth := range []string{"*/", "*/*/", "*/*/*/"} {
		all = append(all, depth+"*.go")
	}
	eachComment(t, all, func(path, text string) {
		for _, m := range reference.FindAllStringSubmatch(text, -1) {
			anchors, read := pages[m[1]]
			if !read {
				anchors = anchorsOf(m[1])
				pages[m[1]] = anchors
			}
			if anchors == nil || m[2] != "" && !slices.Contains(anchors, m[2]) {
				t.Errorf("%s cites %s, which is not there", path, m[0])
			}
		}
		for _, cited := range threatCited.FindAllString(text, -1) {
			for _, id := range threatNumber.FindAllString(cited, -1) {
				if !strings.Contains(string(threats), "\n| "+id+" |") {
					t.Errorf("%s cites %s of docs/security.md, which is not there", path, id)
				}
			}
		}
	})
	eachComment(t, finished, func(path, text string) {
		if dead := deadCitation.FindString(text); dead != "" {
			t.Errorf("%s cites %q, which a reader cannot open: %.60s", path, dead, text)
		}
	})
}

// eachComment calls comment for each group of comments in the files of the patterns, in one line,
// and file for each file.
func eachComment(t *testing.T, patterns []string, comment func(path, text string), file ...func(path string, f *ast.File)) {
	t.Helper()
	for _, p := range patterns {
		paths, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if ast.IsGenerated(f) {
				continue // a copy of what is read already
			}
			for _, g := range f.Comments {
				comment(filepath.ToSlash(path), strings.Join(strings.Fields(g.Text()), " "))
			}
			for _, fn := range file {
				fn(filepath.ToSlash(path), f)
			}
		}
	}
}

// anchorsOf are the headings of a page as GitHub writes them in addresses, and nil without one.
func anchorsOf(page string) []string {
	text, err := os.ReadFile(page)
	if err != nil {
		return nil
	}
	list := []string{""}
	for _, m := range heading.FindAllStringSubmatch(string(text), -1) {
		list = append(list, m[2], strings.ReplaceAll(notAnchor.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return list
}

var (
	pathOf  = regexp.MustCompile("`([a-z]+)(/[\\w./-]*)`")
	homeOf  = regexp.MustCompile("`(\\w+)` in `([\\w/]+\\.go)`")
	layerOf = regexp.MustCompile(`(?m)^\t[a-z]+ {2,}([a-z_ ]+)$`)
)

// Each file and folder that a page names is there, and each name that it says a file has.
func TestPagesName(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "SECURITY.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pathOf.FindAllSubmatch(text, -1) {
			if _, err := os.Stat(string(m[1])); err != nil {
				continue // no folder of ours
			}
			if _, err := os.Stat(string(m[1]) + string(m[2])); err != nil {
				t.Errorf("%s names %s%s, which is not there", page, m[1], m[2])
			}
		}
		for _, m := range homeOf.FindAllSubmatch(text, -1) {
			code, err := os.ReadFile(string(m[2]))
			declared := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |var |const |\t)` + string(m[1]) + `\b`)
			if err != nil || !declared.Match(code) {
				t.Errorf("%s says that %s is in %s", page, m[1], m[2])
			}
		}
	}
}

// nothing is what the packages of a file that is only looked at import.
type nothing map[string]*types.Package

func (n nothing) Import(path string) (*types.Package, error) {
	if n[path] == nil {
		n[path] = types.NewPackage(path, filepath.Base(path))
		n[path].MarkComplete()
	}
	return n[path], nil
}

// At most a twentieth of the uses between the files of handlers, handlers/endpoint and bucket run upward: from a
// file of a layer to a name of a higher one. The package comments name the layers.
func TestLayers(t *testing.T) {
	for dir, least := range map[string]int{"handlers": 300, "handlers/endpoint": 500, "bucket": 800} {
		pkg, err := build.ImportDir(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		fset, layers := token.NewFileSet(), map[string]int{}
		var files []*ast.File
		for _, name := range pkg.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
			_, list, _ := strings.Cut(f.Doc.Text(), "Layers, of which")
			for i, m := range layerOf.FindAllStringSubmatch(list, -1) {
				for _, name := range strings.Fields(m[1]) {
					if _, err := os.Stat(filepath.Join(dir, name+".go")); err != nil {
						t.Errorf("%s names %s.go, which is not there", dir, name)
					}
					layers[name+".go"] = i + 1
				}
			}
		}
		if len(layers) == 0 {
			t.Fatalf("the comment of %s names no layers", dir)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		conf := types.Config{Importer: nothing{}, Error: func(error) {}} // of what is imported nothing is known
		own, _ := conf.Check(dir, fset, files, info)
		uses, upward := 0, map[string]int{}
		up := 0
		for id, of := range info.Uses {
			_, method := of.(*types.Func)
			if of.Pkg() != own || of.Parent() != own.Scope() && !method {
				continue
			}
			from, to := filepath.Base(fset.Position(id.Pos()).Filename), filepath.Base(fset.Position(of.Pos()).Filename)
			if from == to {
				continue
			}
			if uses++; layers[from] > layers[to] {
				up++
				upward[from+" uses "+of.Name()+" of "+to]++
			}
		}
		if t.Logf("%s: %d of %d uses run upward", dir, up, uses); uses < least || up*20 > uses {
			t.Errorf("%s: %d of %d uses run upward: %v", dir, up, uses, slices.Sorted(maps.Keys(upward)))
		}
	}
}

// The tests run the router of the program: their copy of it is like it.
func TestRouterCopy(t *testing.T) {
	ours, err := os.ReadFile("router.go")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.ReadFile("tests/routes/router_copy.go")
	if err != nil {
		t.Fatal(err)
	}
	want := "// Code generated from router.go by make router. DO NOT EDIT.\n\n" +
		strings.Replace(string(ours), "package main\n", "package routes\n", 1)
	if string(theirs) != want {
		t.Error("tests/routes/router_copy.go is not router.go any more: run make router")
	}
}

// The glossary has at most 40 words, and each is used in the package that it names.
func TestGlossary(t *testing.T) {
	text, err := os.ReadFile("docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| ([a-z ]+) \\| .+ \\| `([a-z/]+)` \\|$")
	words := row.FindAllStringSubmatch(string(text), -1)
	if lines := strings.Count(string(text), "\n| ") - 1; len(words) != lines || lines > 40 || lines < 20 {
		t.Errorf("%d words in %d rows, want them all, and at most 40", len(words), lines)
	}
	seen := map[string]bool{}
	for _, w := range words {
		if seen[w[1]] {
			t.Errorf("%s stands twice", w[1])
		}
		seen[w[1]] = true
		files, _ := filepath.Glob(filepath.Join(w[2], "*.go"))
		used := false
		for _, f := range files {
			code, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			plain := strings.NewReplacer(" ", "", "_", "", "\n//", "", "\t", "").Replace(strings.ToLower(string(code)))
			used = used || !strings.HasSuffix(f, "_test.go") && strings.Contains(plain, strings.ReplaceAll(w[1], " ", ""))
		}
		if !used {
			t.Errorf("%s is not used in %s", w[1], w[2])
		}
	}
}

// Each module that go.mod requires directly is in docs/dependencies.md with its version, and no other.
func TestDependencies(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	required := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)$`).FindAllStringSubmatch(string(mod), -1) {
		required[m[1]] = m[2]
	}
	told := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\S+)` \\| (v\\S+) \\|").FindAllStringSubmatch(string(page), -1) {
		told[m[1]] = m[2]
	}
	if len(required) == 0 || !maps.Equal(required, told) {
		t.Errorf("go.mod requires %v, docs/dependencies.md tells of %v", required, told)
	}
}

// No package exports more than 60 names, but for those that list what there is: the records, what the API answers, and
// its handlers.
func TestExportedNames(t *testing.T) {
	names := map[string]int{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || path == "tools" || path == "bench" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			for _, name := range declared(decl) {
				if ast.IsExported(name) {
					names[filepath.ToSlash(filepath.Dir(path))]++
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if names["bucket"] < 20 {
		t.Errorf("bucket has %d names: they are not counted", names["bucket"])
	}
	for pkg, n := range names {
		if n > 60 && !slices.Contains([]string{"record", "handlers", "handlers/present"}, pkg) {
			t.Errorf("%s exports %d names", pkg, n)
		}
	}
}

// declared are the names that a declaration gives the package.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names = append(names, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}
