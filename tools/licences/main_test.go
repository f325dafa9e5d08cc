package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRecognise(t *testing.T) {
	for text, want := range map[string][]string{
		"Apache License\n   Version 2.0, January 2004":                                                                                          {"Apache-2.0"},
		"Permission is hereby granted, free of charge, to any\nperson obtaining":                                                                {"MIT"},
		"Redistribution and use in source and\nbinary forms":                                                                                    {"BSD-2-Clause"},
		"Redistribution and use in source and binary forms ... endorse or promote\nproducts":                                                    {"BSD-3-Clause"},
		"GNU GENERAL PUBLIC LICENSE Version 3":                                                                                                  {"gnu general public license"},
		"Permission is hereby granted, free of charge, to any person. Mozilla Public License, v. 2.0":                                           {"MIT", "mozilla public license"},
		"Permission to use, copy, modify, and distribute this software for any\npurpose with or without fee is hereby granted":                  {"ISC"},
		"Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that": {"ISC"},
		"All rights reserved.": {"unknown"},
	} {
		if got := recognise(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, wrong := range [][]string{nil, {"unknown"}, {"MIT", "mozilla public license"}} {
		if check("module", wrong) == nil {
			t.Errorf("%q is allowed", wrong)
		}
	}
	if err := check("module", []string{"Apache-2.0", "BSD-3-Clause"}); err != nil {
		t.Error(err)
	}
}

// A directory's licence is found under the names that modules give it; code with such a name is none.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"COPYING": "Redistribution and use in source and binary forms", "License.txt": "Apache License, Version 2.0",
		"license.go": "GNU General Public License", "README": "GNU General Public License",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found := map[string]bool{}
	if err := read(dir, found); err != nil || len(found) != 2 || !found["BSD-2-Clause"] || !found["Apache-2.0"] {
		t.Errorf("%v, %v", found, err)
	}
}

// All modules of the program have allowed licences.
func TestProgram(t *testing.T) {
	table, err := list("../..")
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(table, "go.etcd.io/bbolt\t") {
		t.Errorf("bbolt is not in the list:\n%s", table)
	}
}
