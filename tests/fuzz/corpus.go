package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// How much of what a target has found is kept beside it: enough to begin the next run with,
// and little enough to be carried along for ever.
const (
	keptInputs = 40
	keptInput  = 2 << 10  // bytes of one
	keptBytes  = 20 << 10 // of a target
)

// keep copies small inputs that reached new code from the cache of the go command to the
// folder where it looks for seeds. The cache has them under names made of their contents.
func keep(cache string, t target) error {
	from := filepath.Join(cache, "fuzz", "alcove", t.folder, t.name)
	to := filepath.Join(t.folder, "testdata", "fuzz", t.name)
	found, err := inputs(from)
	if err != nil || len(found) == 0 {
		return err
	}
	here, err := inputs(to)
	if err != nil {
		return err
	}
	n, size := len(here), int64(0)
	for _, i := range here {
		size += i.size
	}
	slices.SortFunc(found, func(a, b input) int { return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.name, b.name)) })
	for _, i := range found {
		if i.size > keptInput || n >= keptInputs || size+i.size > keptBytes {
			break
		}
		if slices.Contains(here, i) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(from, i.name))
		if err == nil {
			err = os.MkdirAll(to, 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, i.name), b, 0o644)
		}
		if err != nil {
			return fmt.Errorf("cannot keep an input of %s: %w", t, err)
		}
		n, size = n+1, size+i.size
	}
	return nil
}

// input is a file with an input.
type input struct {
	name string
	size int64
}

// inputs lists a folder, which need not be there.
func inputs(folder string) (found []input, err error) {
	entries, err := os.ReadDir(folder)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list inputs: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, fmt.Errorf("cannot look at an input: %w", err)
		}
		found = append(found, input{e.Name(), info.Size()})
	}
	return found, nil
}
