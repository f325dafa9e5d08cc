package browser

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"alcove/tests/world"
)

var pictures = flag.String("pictures", "", "folder to write pictures of the pages to")

// scene is a repository with a page of each kind and state.
type scene struct {
	*world.Server
	pages []place
	item  string // address of the page of an item with files
	id    int64  // of it
}

// place is the address of a page, and how it is called.
type place struct {
	name, at string
	refused  bool // it is no 200
}

func (s *scene) add(name, at string) { s.pages = append(s.pages, place{name: name, at: at}) }

const words = `"description": "<p>Daily sums of <b>rain</b> and snow, measured by hand at one place.</p><ul><li>The first series ends in 1998.</li></ul><p>See <a href=\"https://example.org/method\">how it was measured</a>.</p>"`

// newScene makes the repository.
func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{Server: world.Start(t)}
	made := s.Ada.Article(`{"title": "Rainfall in Ny-Ålesund, 1974–2025", "defined_type": "dataset", ` + words + `, "tags": ["rain", "snow", "Arctic"],
		"authors": [{"name": "Ada Lovelace", "orcid_id": "0000-0002-1825-0097"}, {"name": "Grace Hopper"}], "categories": [37], "license": 1,
		"references": ["https://example.org/paper"], "custom_fields": {"Depth": "2 m"}, "funding": "A fund"}`)
	files := s.files(made)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	s.Ada.Send("PATCH", made, `{"title": "Rainfall in Ny-Ålesund, 1974–2026"}`).Is(205)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	s.id = world.LastNumber(t, made)
	s.item = s.page(s.id)
	s.add("item", s.item)
	s.add("item-version", s.item+"/1")
	s.add("item-changes", s.item+"?changes=1")
	s.add("item-folder", s.item+"?folder=raw")
	s.add("folder", s.item+"/files/")
	for _, f := range files {
		s.add("view-"+f.name, f.at)
	}

	held := s.Ada.Article(`{"title": "Held back until a paper is out", "defined_type": "dataset", ` + words + `, "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Upload(held, "secret.csv", []byte("a,b\n1,2\n"))
	s.Ada.Send("PUT", held+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-05-04", "embargo_title": "Wait", "embargo_reason": "A paper comes first"}`).Is(205)
	s.Ada.Do("POST", held+"/publish", nil).Is(201)
	s.add("item-embargo", s.page(world.LastNumber(t, held)))

	for n := range 25 {
		a := s.Ada.Article(fmt.Sprintf(`{"title": "Snow depth at station %d", "defined_type": "%s", `+words+`, "tags": ["snow"], "authors": [{"name": "Grace Hopper"}], "categories": [37]}`, n, []string{"dataset", "figure", "software"}[n%3]))
		s.Ada.Do("POST", a+"/publish", nil).Is(201)
	}

	set := s.Ada.Wrote("/v2/account/collections", fmt.Sprintf(`{"title": "Weather of the Arctic", `+words+`, "authors": [{"name": "Ada Lovelace"}], "tags": ["rain"], "categories": [37], "articles": [%d]}`, s.id))
	s.Ada.Do("POST", set+"/publish", nil).Is(201)
	s.add("collection", fmt.Sprintf("/collections/Weather_of_the_Arctic/%d", world.LastNumber(t, set)))
	project := s.Ada.Wrote("/v2/account/projects", `{"title": "Weather of the north", "description": "Stations", "funding": "A fund"}`)
	s.Ada.Do("POST", project+"/publish", nil).Is(201)
	s.add("project", fmt.Sprintf("/projects/Weather_of_the_north/%d", world.LastNumber(t, project)))

	draft := s.Ada.Article(`{"title": "To be reviewed", "defined_type": "dataset", ` + words + `, "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Upload(draft, "one.csv", []byte("one,two\n1,2\n"))
	s.add("link", "/s/"+s.Ada.Link(draft, ""))
	s.add("link-anonymous", "/s/"+s.Ada.Link(draft, `{"anonymous": true}`))

	gone := s.Ada.Article(`{"title": "Withdrawn in the end", "defined_type": "dataset", ` + words + `, "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Do("POST", gone+"/publish", nil).Is(201)
	was := s.page(world.LastNumber(t, gone))
	s.Ada.Send("POST", gone+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	s.pages = append(s.pages, place{"withdrawn", was, true}, place{"not-found", "/nowhere/at/all", true})

	s.add("sign-in", "/sign-in")
	s.add("forgot", "/sign-in/forgot")
	s.add("home", "/")
	s.add("search-all", "/search")
	s.add("search", "/search?q=snow")
	s.add("search-narrowed", "/search?q=snow&type=figure&page=1")
	s.add("search-second", "/search?page=2")
	s.add("search-misspelt", "/search?q=rainfal")
	s.add("search-nothing", "/search?q=zzyzx")
	s.add("search-refused", "/search?q=ab")
	return s
}

func (s *scene) page(id int64) string { return at(s.Server, id) }

// files uploads a file of each family, and answers the pages that show them.
func (s *scene) files(made string) (list []place) {
	s.T.Helper()
	add := func(folder, name string, data []byte) {
		file, upload := s.Ada.BeginAs(made, fmt.Sprintf(`{"name": %q, "size": %d, "folder_path": %q}`, name, len(data), folder))
		s.Ada.Do("PUT", upload+"/1", bytes.NewReader(data)).Is(200)
		s.Ada.Do("POST", file, nil).Is(202)
		s.Ada.Until(file, "available")
		list = append(list, place{name: name, at: fmt.Sprintf("/files/%d/view", world.LastNumber(s.T, file))})
	}
	var rows strings.Builder
	rows.WriteString("station,date,mm\n")
	for n := range 300 {
		fmt.Fprintf(&rows, "NYA,1974-%02d-%02d,%d.%d\n", n/28%12+1, n%28+1, n%40, n%10)
	}
	add("", "rainfall.csv", []byte(rows.String()))
	add("", "README.md", []byte("# Rainfall\n\nMeasured *daily*.\n\n- by hand\n- at one place\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"))
	add("", "station.json", []byte(`{"name": "Ny-Ålesund", "height": 8, "years": [1974, 2025], "open": true, "note": null}`))
	add("raw", "read.py", []byte("import csv\n\ndef total(path):\n    # the sum of a file\n    return sum(float(r['mm']) for r in csv.DictReader(open(path)))\n"))
	add("raw", "work.ipynb", []byte(`{"nbformat": 4, "metadata": {"language_info": {"name": "python"}}, "cells": [{"cell_type": "markdown", "source": "# Steps"}, {"cell_type": "code", "source": ["import os\n", "1 + 1"], "outputs": [`+
		`{"output_type": "execute_result", "data": {"text/html": "<table><tr><th>a</th></tr><tr><td>2</td></tr></table>", "text/plain": "2"}}, {"output_type": "stream", "text": "a line"}]}]}`))
	add("raw", "map.geojson", []byte(`{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "Ny-Ålesund"}, "geometry": {"type": "Point", "coordinates": [11.93, 78.92]}}, {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [[[10, 78], [14, 78], [14, 79.5], [10, 79.5], [10, 78]]]}}]}`))
	add("raw/plots", "plot.png", picture())
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"one.txt", "deep/two.txt"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte("text of " + name + "\n"))
		}
		if err != nil {
			s.T.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		s.T.Fatal(err)
	}
	add("raw", "both.zip", b.Bytes())
	return list
}

func picture() []byte {
	m := image.NewRGBA(image.Rect(0, 0, 320, 200))
	for x := range 320 {
		for y := range 200 {
			m.Set(x, y, color.RGBA{uint8(x / 2), uint8(y), 120, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}
