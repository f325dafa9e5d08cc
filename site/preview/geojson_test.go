package preview

import (
	"fmt"
	"strings"
	"testing"
)

// GeoJSON is drawn where it lies, whatever it consists of, and its tree stands beside it.
func TestGeoJSON(t *testing.T) {
	of := func(content string) *Preview {
		t.Helper()
		p, err := Of(File{strings.NewReader(content), "a.geojson", "application/geo+json", int64(len(content))})
		if err != nil {
			t.Fatal(err)
		}
		if p.Tree == nil {
			t.Fatal("there is no tree")
		}
		return p
	}
	m := of(`{"type": "FeatureCollection", "features": [
		{"type": "Feature", "geometry": null, "properties": {}},
		{"type": "Feature", "geometry": {"type": "Point", "coordinates": [-10, 10]}},
		{"type": "Feature", "geometry": {"type": "GeometryCollection", "geometries": [
			{"type": "MultiPoint", "coordinates": [[-10, 10], [10, -10, 300]]}, {"type": "LineString", "coordinates": [[-10, -10], [10, 10]]}]}},
		{"type": "Feature", "geometry": {"type": "MultiLineString", "coordinates": [[[0, 0], [1, 1]], [[0, 0], [0, 0.00001]]]}},
		{"type": "Feature", "geometry": {"type": "MultiPolygon", "coordinates": [[[[0, 0], [5, 0], [5, 5], [0, 0]], [[3, 1], [4, 1], [4, 2], [3, 1]]]]}}]}`).Map
	if m == nil {
		t.Fatal("there is no map")
	}
	if m.Width != 600 || m.Height != 600 || m.West != -10 || m.East != 10 || m.South != -10 || m.North != 10 || m.Points != 3 || m.Strings != 3 || m.Shapes != 1 {
		t.Errorf("%+v", m)
	}
	if m.Dots != "M24 24h0M576 576h0" { // the point that two have is there once
		t.Errorf("dots %q", m.Dots)
	}
	if !strings.HasPrefix(m.Lines, "M24 576l552 -552M300 300l28 -28M300 300") || m.Areas != "M300 300l138 0l0 -138l-138 138zM383 272l27 0l0 -27l-27 27z" {
		t.Errorf("lines %q, areas %q", m.Lines, m.Areas)
	}
	if len(m.Meridians) != 5 || m.Meridians[2] != (Mark{300, 0}) || m.Parallels[0] != (Mark{576, -10}) {
		t.Errorf("grid %v, %v", m.Meridians, m.Parallels)
	}
	if m := of(`{"type": "Point", "coordinates": [7.5, 51]}`).Map; m == nil || m.Dots == "" || len(m.Meridians) == 0 {
		t.Errorf("a single point: %+v", m)
	}
	zigzag := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ",[%d,%d]", i%2*9, i%7)
		}
		return `{"type": "LineString", "coordinates": [` + b.String()[1:] + "]}"
	}
	if of(zigzag(mapPoints)).Map == nil || of(zigzag(mapPoints+1)).Map != nil {
		t.Error("the number of points has another bound")
	}
	for _, none := range []string{
		`{"type": "Point", "coordinates": [400000, 5700000]}`, `{"type": "Point", "coordinates": [1]}`, `{"type": "Point", "coordinates": "x"}`, `{"type": "Point"}`, `{"type": "FeatureCollection", "features": []}`,
		`{"type": "Feature", "geometry": null}`, `{"type": "Topology"}`, `[]`, `{"type": "LineString", "coordinates": [[1, 2], [null, 3], []]}`, `{"type": "LineString", "coordinates": [[1, 1e999]]}`,
		strings.Repeat(`{"type": "Feature", "geometry": `, 20) + `{"type": "Point", "coordinates": [1, 2]}` + strings.Repeat("}", 20),
	} {
		if m := of(none).Map; m != nil {
			t.Errorf("%.80s is drawn: %+v", none, m)
		}
	}
}
