package ocfl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Fault is a rule of the specification that a root or an object breaks.
type Fault struct {
	Path   string // of the object or directory
	Code   string // as the specification counts them: E001 …
	Reason string
}

// Validation goes through a root.
type Validation struct {
	Pace  func(n int)   // is called with each number of bytes before they are read, and may wait
	Found func(f Fault) // is called with each fault
	// Object is called with each object whose inventory can be read.
	Object func(dir string, inv *Inventory)
}

// maxDepth bounds how deep objects may lie, in directories.
const maxDepth = 32

// Validate reads everything in a root and compares it with the specification. It fails only when it cannot go on, or with
// its context.
func (r *Root) Validate(ctx context.Context, v Validation) error {
	w := &walk{Root: r, Validation: v, ctx: ctx}
	names, err := r.list(".")
	if err != nil {
		return err
	}
	declared := []string{}
	for _, name := range names {
		if strings.HasPrefix(name, "0=") {
			declared = append(declared, name)
		}
	}
	w.declaration(".", declared, rootDeclaration, [3]string{"E069", "E076", "E080"})
	w.layout()
	for _, name := range names {
		info, err := r.root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case name == extensions && info.IsDir():
			err = w.extensions(extensions, "E112")
		case info.IsDir():
			err = w.hierarchy(name, 1)
		case !info.Mode().IsRegular():
			w.fault(name, "E090", "it is neither a file nor a directory")
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// walk is a validation that runs.
type walk struct {
	*Root
	Validation
	ctx context.Context
}

func (w *walk) fault(dir, code, format string, args ...any) {
	w.Found(Fault{dir, code, fmt.Sprintf(format, args...)})
}

// list is names in order.
func (r *Root) list(dir string) ([]string, error) {
	names, err := r.names(dir)
	slices.Sort(names)
	return names, err
}

// declaration tests the files that begin with 0= in a directory; codes are those of none, of several or another, and of
// another text.
func (w *walk) declaration(dir string, names []string, want string, codes [3]string) {
	if len(names) == 0 {
		w.fault(dir, codes[0], "it has no file %s", want)
		return
	}
	if len(names) > 1 || names[0] != want {
		w.fault(dir, codes[1], "it has %s in place of %s", strings.Join(names, " and "), want)
		return
	}
	if text, err := w.read(path.Join(dir, want), 1<<10); err != nil || string(text) != want[2:]+"\n" {
		w.fault(dir, codes[2], "%s has another text than its name", want)
	}
}

// layout tests ocfl_layout.json, which may be missing.
func (w *walk) layout() {
	text, err := w.read(layoutFile, 1<<16)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	keys, bad := object(text)
	if err != nil || bad != nil || keys["extension"] == nil || keys["description"] == nil {
		w.fault(".", "E070", "%s has no extension and description", layoutFile)
		return
	}
	if string(keys["extension"]) != `"`+layoutName+`"` {
		w.fault(".", "E071", "%s names the layout %s, not %s", layoutFile, keys["extension"], layoutName)
	}
}

// extensions tests that a directory of extensions has nothing but a directory for each.
func (w *walk) extensions(dir, code string) error {
	names, err := w.list(dir)
	for _, name := range names {
		if info, err := w.root.Lstat(path.Join(dir, name)); err == nil && !info.IsDir() {
			w.fault(dir, code, "%s is no directory of an extension", name)
		}
	}
	return err
}

// hierarchy tests a directory between the root and objects, and the objects below it.
func (w *walk) hierarchy(dir string, depth int) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	names, err := w.list(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // taken away meanwhile
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "0=") }) {
		return w.object(dir, names)
	}
	if len(names) == 0 {
		w.fault(dir, "E073", "it is empty")
	}
	if slices.Contains(names, inventoryFile) {
		w.fault(dir, "E003", "it has no file %s", objectDeclaration)
		return nil
	}
	if depth == maxDepth {
		w.fault(dir, "E085", "there is no object in %d directories", maxDepth)
		return nil
	}
	for _, name := range names {
		at := path.Join(dir, name)
		info, err := w.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		case info.IsDir():
			err = w.hierarchy(at, depth+1)
		case info.Mode().IsRegular():
			w.fault(dir, "E084", "%s belongs to no object", name)
		default:
			w.fault(dir, "E090", "%s is neither a file nor a directory", name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
