package site

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A day is said in the words of a language; what is no date is no day.
func TestDays(t *testing.T) {
	if got := english.ReadDay("2026-05-04T10:00:00Z").Words; got != "4 May 2026" {
		t.Errorf("the day is %q", got)
	}
	if got := byLanguage["de"].ReadDay("2026-05-04").Words; got != "4. Mai 2026" {
		t.Errorf("in German %q", got)
	}
	if got := english.ReadDay("soon"); got != (Day{}) {
		t.Errorf("what is no date is %v", got)
	}
}

// Texts have a contrast of 7:1 in both themes, edges of controls 3:1.
func TestContrast(t *testing.T) {
	css, err := os.ReadFile("assets/site.css")
	if err != nil {
		t.Fatal(err)
	}
	token := regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`)
	light, dark := map[string]string{}, map[string]string{}
	at := strings.Index(string(css), "prefers-color-scheme: dark")
	for _, m := range token.FindAllSubmatchIndex(css, -1) {
		name, value := string(css[m[2]:m[3]]), string(css[m[4]:m[5]])
		if m[0] < at {
			light[name] = value
		} else {
			dark[name] = value
		}
	}
	for theme, colours := range map[string]map[string]string{"light": light, "dark": dark} {
		for _, c := range []struct {
			text, ground string
			least        float64
		}{
			{"ink", "paper", 7}, {"ink", "ground", 7}, {"quiet", "paper", 7}, {"quiet", "ground", 7}, {"accent", "paper", 7}, {"accent", "ground", 7},
			{"on-accent", "accent", 7}, {"embargo", "embargo-ground", 7}, {"closed", "closed-ground", 7}, {"keyword", "paper", 7}, {"string", "paper", 7}, {"comment", "paper", 7}, {"figure", "paper", 7}, {"name", "paper", 7},
			{"edge", "paper", 3}, {"edge", "ground", 3},
		} {
			if got := contrast(t, colours[c.text], colours[c.ground]); got < c.least {
				t.Errorf("%s: %s on %s has %.2f:1, want %v:1", theme, c.text, c.ground, got, c.least)
			}
		}
	}
}

// contrast is that of WCAG 2.
func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	if len(colour) != 7 {
		t.Fatalf("%q is no colour", colour)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}
