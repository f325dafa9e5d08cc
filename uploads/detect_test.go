package uploads

import (
	"bytes"
	"strings"
	"testing"
)

func TestDetectType(t *testing.T) {
	bin := "\x00\x01\x02\xff\xfe\x00"
	block := strings.Repeat("\x00", 512)
	longJSON := `{"a": [` + strings.Repeat("1234567, ", 400) // cut off inside
	for _, c := range []struct{ head, name, want string }{
		{"", "", "text/plain"},
		{"", "empty.csv", "text/csv"},
		{"hello", "readme", "text/plain; charset=utf-8"},
		{"hello", "readme.txt", "text/plain; charset=utf-8"},
		{"caf\xe9 cr\xe8me", "readme.txt", "text/plain; charset=iso-8859-1"},
		{"a,b\n1,2\n3,4\n", "data.CSV", "text/csv"},
		{"a,b\n1,2\n3,4\n", "notes.txt", "text/plain"},
		{"a;b\n", "data.csv", "text/csv"},
		{"a\tb\n1\t2\n", "data.tsv", "text/tab-separated-values"},
		{"x <- c(1, 2)\ny <- c(3, 4)\n", "run.R", "text/x-r"},
		{"import numpy\n", "run.py", "text/x-python"},
		{"# Title\n", "README.md", "text/markdown"},
		{`{"a": 1}`, "a.json", "application/json"},
		{`{"a": 1}`, "a", "application/json"},
		{longJSON[:HeadSize], "a", "application/json"},
		{longJSON[:HeadSize], "a.json", "application/json"},
		{`{"type": "FeatureCollection", "features": []}`, "a.geojson", "application/geo+json"},
		{`{"cells": []}`, "a.ipynb", "application/x-ipynb+json"},
		{"<a/>", "a.xml", "application/xml"},
		{"<?xml version=\"1.0\"?><a/>", "a.xml", "text/xml; charset=utf-8"},

		{"\x89HDF\r\n\x1a\n" + bin, "a.h5", "application/x-hdf5"},
		{"\x89HDF\r\n\x1a\n" + bin, "a", "application/x-hdf5"},
		{"\x89HDF\r\n\x1a\n" + bin, "a.nc", "application/x-netcdf"},
		{block + "\x89HDF\r\n\x1a\n" + bin, "a", "application/x-hdf5"},
		{block + "\x89HDF\r\n\x1a\n" + bin, "a.mat", "application/x-matlab-data"},
		{"CDF\x01\x00\x00\x00\x00", "a", "application/x-netcdf"},
		{"CDF\x02\x00\x00\x00\x00", "a.bin", "application/x-netcdf"},
		{"CDF\x09\x00\x00\x00\x00", "a", "application/octet-stream"},
		{"CDF", "a", "text/plain; charset=utf-8"},
		{"PAR1" + bin, "a.parquet", "application/vnd.apache.parquet"},
		{bin, "a.parquet", "application/vnd.apache.parquet"},
		{"%PDF-1.7\n", "a.csv", "application/pdf"},
		{"\x89PNG\r\n\x1a\n" + bin, "a.txt", "image/png"},
		{bin, "a", "application/octet-stream"},

		// The name does not count against other content.
		{bin, "a.csv", "application/octet-stream"},
		{bin, "a.html", "application/octet-stream"},
		{"hello", "a.html", "text/plain; charset=utf-8"},
		{"hello", "a.svg", "text/plain; charset=utf-8"},
		{"hello", "a.parquet", "text/plain; charset=utf-8"},
		{"<!DOCTYPE html><script>", "a.csv", "text/html; charset=utf-8"},

		// Files that name a charset of their own making.
		{"<html><meta charset=\"x\r\nSet-Cookie: a=b\">", "a", "text/html"},
		{"<html><meta charset=\"x; a=b\">", "a", "text/html; charset=x"},
		{"<?xml version=\"1.0\" encoding=\"a b\"?><a/>", "a", "text/xml"},
		{"<html><meta charset=\"" + strings.Repeat("x", 100) + "\">", "a", "text/html"},
		{"<html><meta charset=\"windows-1252\">", "a", "text/html; charset=windows-1252"},
		{"hello", "a.md\r\nX: y", "text/plain; charset=utf-8"},
	} {
		if got := DetectType([]byte(c.head), c.name); got != c.want {
			t.Errorf("%.40q, %q: %s, want %s", c.head, c.name, got, c.want)
		}
	}
}

func TestTypesByNameAreWellFormed(t *testing.T) {
	for _, table := range []map[string]string{texts, binaries, inHDF5} {
		for ext, kind := range table {
			if !oneType.MatchString(kind) || ext != strings.ToLower(ext) || ext[0] != '.' {
				t.Errorf("%s: %s", ext, kind)
			}
		}
	}
	for _, active := range []string{".html", ".htm", ".xhtml", ".svg", ".js", ".mjs", ".pdf", ".swf"} {
		if texts[active] != "" || binaries[active] != "" {
			t.Errorf("a name makes %s run in a browser", active)
		}
	}
}

func FuzzDetectType(f *testing.F) {
	f.Add([]byte("<meta charset=\"\r\n\">"), "a.csv")
	f.Add([]byte("<?xml encoding='a;b'?>"), "a.xml")
	f.Add([]byte("\x89HDF\r\n\x1a\n"), "a.nc")
	f.Add(bytes.Repeat([]byte{0}, 4000), "a\x00.parquet")
	f.Fuzz(func(t *testing.T, head []byte, name string) {
		if got := DetectType(head, name); !oneType.MatchString(got) || strings.ContainsAny(got, "\r\n,\"") {
			t.Errorf("%q", got)
		}
	})
}
