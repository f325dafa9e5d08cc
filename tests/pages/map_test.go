package pages

import (
	"testing"

	"alcove/tests/world"
)

// GeoJSON is a map above its tree, which says in words what it shows.
func TestPreviewOfGeoJSON(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	text := view(t, s, "<b>.geojson", []byte(`{"type": "Feature", "properties": {"name": "<script>"}, "geometry": {"type": "LineString", "coordinates": [[-1.5, 50], [0.5, 52]]}}`))
	holds(t, text, `<svg class="map" viewBox="0 0 `, `<title id="map-title">Map of &lt;b&gt;.geojson</title>`, `0 points, 1 lines and 0 areas, between 1.5° W and 0.5° E and between 50° N and 52° N.`,
		`<path class="map-line" d="M`, ">1° W</text>", "<b>geometry</b>", "&lt;script&gt;")
	lacks(t, text, "ZgotmplZ", "style=")
	lacks(t, view(t, s, "metres.geojson", []byte(`{"type": "Point", "coordinates": [400000, 5700000]}`)), "<svg")
}
