// Command crossvet type-checks the program in a directory for every system that it is released for:
// what does not compile there is named, from this machine and in seconds. It reads the sources of all
// that is linked in, and compiles nothing, which for six systems would take a quarter of an hour.
//
//	go run ./crossvet DIRECTORY [SYSTEM/PROCESSOR...]
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"alcove/tools/release/targets"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: crossvet DIRECTORY [SYSTEM/PROCESSOR...]")
	}
	all := targets.All
	if len(os.Args) > 2 {
		all = os.Args[2:]
	}
	failed := false
	for _, target := range all {
		wrong, err := check(os.Args[1], target)
		if err != nil {
			log.Fatalf("%s: %v", target, err)
		}
		for _, w := range wrong {
			log.Printf("%s: %s", target, w)
		}
		failed = failed || len(wrong) > 0
	}
	if failed {
		os.Exit(1)
	}
}

// check is what is wrong with the program in a directory when it is built for a target.
func check(dir, target string) ([]string, error) {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return nil, errors.New("a target is SYSTEM/PROCESSOR")
	}
	env := append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	own, err := ownPackages(dir, env)
	if err != nil {
		return nil, err
	}
	loaded, err := packages.Load(&packages.Config{
		// NeedDeps without NeedTypesInfo has the bodies of other modules' functions skipped.
		Mode:      packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes | packages.NeedModule,
		Dir:       dir,
		Env:       env,
		Fset:      files,
		ParseFile: parse,
	}, own...)
	if err != nil {
		return nil, err
	}
	var wrong []string
	seen := map[string]bool{}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if line := fmt.Sprint(e); !seen[line] {
				seen[line] = true
				wrong = append(wrong, line)
			}
		}
	})
	if len(loaded) == 0 {
		return nil, errors.New("there is no package")
	}
	return wrong, nil
}

// The targets have most files in common: each is read once.
var (
	files  = token.NewFileSet()
	parsed sync.Map // path → func() (*ast.File, error)
)

func parse(_ *token.FileSet, path string, text []byte) (*ast.File, error) {
	once, _ := parsed.LoadOrStore(path, sync.OnceValues(func() (*ast.File, error) {
		return parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	}))
	return once.(func() (*ast.File, error))()
}

// ownPackages are the packages below a directory that are linked into the program in it.
func ownPackages(dir string, env []string) ([]string, error) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}", ".")
	list.Dir, list.Env, list.Stderr = dir, env, os.Stderr
	out, err := list.Output()
	return strings.Fields(string(out)), err
}
