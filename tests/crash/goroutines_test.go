package crash

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"alcove/tests/disk"
)

// reviewed are goroutines without a recover of their own, by package, function that begins them
// and what they run, with the reason why a panic in them cannot come from data.
var reviewed = map[string]string{
	"blobs/dir letGo: function":                     "closes a file",
	"blobs Sum: function":                           "writes blocks to a hash",
	"bucket deferWrite: b.run":                      "try recovers, for each deferred write",
	"bucket Open: db.lookOn":                        "reads pages through bounded slices, and what it meets is a finding",
	"bucket lookOn: function":                       "waits for an end",
	"bucket Open: db.writer":                        "run and try recover, and nothing else of it reads data",
	"bucket fatal: db.onFatal":                      "sends the error on a channel",
	"index Close: function":                         "waits for the others",
	"index verifyLater: function":                   "verify reads files from their start to their end",
	"index remove: function":                        "removes files",
	"index swap: function":                          "closes an index in a goroutine that recovers",
	"index freeze: g.stop":                          "closes an index in a goroutine that recovers",
	"cli serve: function":                           "net/http recovers for each connection",
	"cli listenAdmin: function":                     "net/http recovers for each connection",
	"cli listenMetrics: function":                   "net/http recovers for each connection",
	"cli listenChallenges: function":                "net/http recovers for each connection",
	"cli startChecks: function":                     "looks at a clock; the check that it begins recovers",
	"cli loadFor: function":                         "sets a deadline and ends a context",
	"cli/fetch get: function":                       "ends a context",
	"cli start: function":                           "looks at a clock; readAll recovers, for each look at the mirrors",
	"cli mirrorRun: function":                       "readAll recovers",
	"cli/backup Run: function":                      "looks at a clock; the backup that it begins recovers",
	"cli/certs Start: a.keep":                       "asks the certificate manager, and reads nothing that clients send",
	"cli/backup Start: function":                    "create recovers",
	"cli/certs OpenACME: base.CloseIdleConnections": "closes connections",
	"cli/certs RoundTrip: cancel":                   "ends a context",
	"check start: function":                         "each stage of a check recovers",
	"index newSubindex: sd.feed":                    "step recovers, and so do the batches that finish hands on",
	"jobs background: function":                     "survives recovers",
}

// elsewhere are packages that no server runs: a panic ends a command and loses nothing.
var elsewhere = []string{"bench", "tests", "cli/deposit", "cli/demo", "tools", "record/catalogue/gen"}

// No goroutine of the server can end it (security.md N06). Every one recovers from panics, or is
// known to have none that come from data.
func TestGoroutinesRecover(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(disk.Root(), func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		path, err := filepath.Rel(disk.Root(), dir)
		if err != nil {
			return err
		}
		for _, e := range elsewhere {
			if filepath.ToSlash(path) == e {
				return fs.SkipDir
			}
		}
		files, err := sources(dir)
		for _, g := range goroutines(files) {
			key := filepath.ToSlash(path) + " " + g.where + ": " + g.what
			if g.recovers {
				continue
			}
			if reviewed[key] == "" {
				t.Errorf("a goroutine neither recovers nor is reviewed: %q", key)
			}
			used[key] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range reviewed {
		if !used[key] {
			t.Errorf("there is no such goroutine any more: %q", key)
		}
	}
}

// sources are the files of a folder that are no tests, for all systems.
func sources(dir string) (files []*ast.File, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, err
}

// goroutine is where one begins, and what it runs.
type goroutine struct {
	where, what string
	recovers    bool
}

// goroutines are those that a folder's files begin: by a go statement, by the method Go of a group, or
// by a timer or a context that runs a function.
func goroutines(files []*ast.File) (found []goroutine) {
	bodies := map[string][]*ast.BlockStmt{}
	each := func(fn func(*ast.FuncDecl)) {
		for _, f := range files {
			for _, d := range f.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
					fn(fd)
				}
			}
		}
	}
	each(func(fd *ast.FuncDecl) { bodies[fd.Name.Name] = append(bodies[fd.Name.Name], fd.Body) })
	each(func(fd *ast.FuncDecl) {
		ast.Inspect(fd.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = append(found, begun(fd.Name.Name, n.Call.Fun, bodies))
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Go" || sel.Sel.Name == "AfterFunc") && len(n.Args) > 0 {
					found = append(found, begun(fd.Name.Name, n.Args[len(n.Args)-1], bodies))
				}
			}
			return true
		})
	})
	return found
}

// begun is a goroutine that runs something. Of functions and methods of one name all must recover.
func begun(where string, run ast.Expr, bodies map[string][]*ast.BlockStmt) goroutine {
	g := goroutine{where: where, what: "function"}
	var bodiesOf []*ast.BlockStmt
	switch run := run.(type) {
	case *ast.FuncLit:
		bodiesOf = []*ast.BlockStmt{run.Body}
	case *ast.SelectorExpr:
		g.what = fmt.Sprint(run.X, ".", run.Sel.Name)
		bodiesOf = bodies[run.Sel.Name]
	case *ast.Ident:
		g.what = run.Name
		bodiesOf = bodies[run.Name]
	}
	g.recovers = len(bodiesOf) > 0
	for _, b := range bodiesOf {
		g.recovers = g.recovers && recovers(b)
	}
	return g
}

// recovers reports whether a function defers a recover, at its own top level.
func recovers(body *ast.BlockStmt) bool {
	for _, s := range body.List {
		d, ok := s.(*ast.DeferStmt)
		if !ok {
			continue
		}
		found := false
		ast.Inspect(d.Call, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if ok {
				id, named := c.Fun.(*ast.Ident)
				found = found || named && id.Name == "recover"
			}
			return true
		})
		if found {
			return true
		}
	}
	return false
}
