// Command licences lists the modules that are linked into a program, each with its licences, and
// fails when one has a licence that is not allowed, or none that it knows.
//
//	go run ./licences [-q] DIRECTORY
//
// The licences are those of the files in the module cache, beside each linked package and above it.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// allowed are licences that ask for no more than that their text goes along.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

type linked struct {
	Dir        string
	ImportPath string
	Standard   bool
	Module     *struct {
		Path, Version, Dir string
		Main               bool
	}
}

func main() {
	quiet := flag.Bool("q", false, "print nothing when all are allowed")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: licences [-q] DIRECTORY")
	}
	table, err := list(flag.Arg(0))
	if !*quiet {
		fmt.Print(table)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// list is a line for each module that the program in a directory is linked with. The error names
// those whose licence is not allowed.
func list(dir string) (string, error) {
	found, err := licences(dir)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	var wrong []error
	for _, module := range slices.Sorted(maps.Keys(found)) {
		names := slices.Sorted(maps.Keys(found[module]))
		fmt.Fprintf(&text, "%s\t%s\n", module, strings.Join(names, ", "))
		if err := check(module, names); err != nil {
			wrong = append(wrong, err)
		}
	}
	return text.String(), errors.Join(wrong...)
}

// check fails when one of a module's licences is not allowed, or none was found.
func check(module string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("%s has no licence", module)
	}
	for _, name := range names {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("%s: the licence %s is not allowed", module, name)
		}
	}
	return nil
}

// licences are the names of the licences of each linked module, by path and version.
func licences(dir string) (map[string]map[string]bool, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,ImportPath,Standard,Module", ".")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as the program is built
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cannot list the packages: %w", err)
	}
	found := map[string]map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p linked
		if err := d.Decode(&p); err == io.EOF {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("cannot read the packages: %w", err)
		}
		if p.Standard || p.Module == nil {
			continue
		}
		if p.Module.Main {
			if err := readData(p, found); err != nil {
				return nil, err
			}
			continue
		}
		name := p.Module.Path + "\t" + p.Module.Version
		if found[name] == nil {
			found[name] = map[string]bool{}
		}
		for at := p.Dir; ; at = filepath.Dir(at) {
			if err := read(at, found[name]); err != nil {
				return nil, err
			}
			if at == p.Module.Dir {
				break
			}
		}
	}
}

// readData adds the licences of data of others that a package of the program itself embeds.
func readData(p linked, found map[string]map[string]bool) error {
	names := map[string]bool{}
	if p.Dir == p.Module.Dir {
		return nil // the licence of the program
	}
	if err := read(p.Dir, names); err != nil || len(names) == 0 {
		return err
	}
	found[p.ImportPath+"\tdata"] = names
	return nil
}

var isLicence = regexp.MustCompile(`(?i)^(licen[cs]e|copying)([-._].*)?$`)

// read adds the licences in the files of a directory.
func read(dir string, found map[string]bool) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("cannot look for licences: %w", err)
	}
	for _, f := range files {
		if f.IsDir() || !isLicence.MatchString(f.Name()) || strings.HasSuffix(f.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return fmt.Errorf("cannot read a licence: %w", err)
		}
		for _, name := range recognise(string(text)) {
			found[name] = true
		}
	}
	return nil
}

// recognise names the licences whose words are in a text: more than one where parts of a module
// have others.
func recognise(text string) (names []string) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	has := func(words string) bool { return strings.Contains(text, words) }
	if has("apache license version 2.0") || has("apache license, version 2.0") {
		names = append(names, "Apache-2.0")
	}
	if has("permission is hereby granted, free of charge, to any person") {
		names = append(names, "MIT")
	}
	if has("redistribution and use in source and binary forms") {
		if has("endorse or promote products") {
			names = append(names, "BSD-3-Clause")
		} else {
			names = append(names, "BSD-2-Clause")
		}
	}
	if has("permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted") ||
		has("permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that") {
		names = append(names, "ISC")
	}
	for _, other := range []string{"gnu affero general public license", "gnu general public license", "gnu lesser general public license",
		"mozilla public license", "business source license", "server side public license"} {
		if has(other) {
			names = append(names, other)
		}
	}
	if len(names) == 0 {
		names = append(names, "unknown")
	}
	return names
}
