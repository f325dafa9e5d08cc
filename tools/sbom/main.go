// Command sbom tells what a Go binary is made of: a software bill of materials in the JSON
// form of CycloneDX 1.6, from what the linker has recorded in the binary itself.
//
//	go run ./sbom BINARY
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime/debug"
)

type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	URL        string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: sbom BINARY")
	}
	b, err := describe(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	if err := e.Encode(b); err != nil {
		log.Fatalf("cannot write: %v", err)
	}
}

func describe(path string) (*bill, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the binary: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return nil, fmt.Errorf("cannot read the binary: %w", err)
	}
	main := component{Type: "application", Name: filepath.Base(info.Path), Version: info.Main.Version, Hashes: []hash{{"SHA-256", fmt.Sprintf("%x", sum.Sum(nil))}}}
	for _, s := range info.Settings {
		main.Properties = append(main.Properties, property{"go:" + s.Key, s.Value})
	}
	b := &bill{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{main}}
	b.Components = append(b.Components, component{Type: "library", Name: "std", Version: info.GoVersion, URL: "pkg:golang/std@" + info.GoVersion})
	for _, d := range info.Deps {
		b.Components = append(b.Components, library(d))
	}
	return b, nil
}

// library is a module as it was linked: what replaces it, where something does.
func library(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	return component{Type: "library", Name: m.Path, Version: m.Version, URL: "pkg:golang/" + m.Path + "@" + m.Version,
		Properties: []property{{"go:sum", m.Sum}}}
}
