package config

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
)

// Texts of the pages stand on these, light and dark: the tokens ground and paper of site/assets/site.css.
var (
	lightGrounds = []string{"#ffffff", "#fbfaf8"}
	darkGrounds  = []string{"#1d1f23", "#141518"}
)

// textContrast is the least that a text has on its ground (WCAG 2.2, 1.4.6).
const textContrast = 7

// lightAccent and darkAccent check a colour of links and buttons. A refusal names the nearest shade
// that can be read.
func lightAccent(text string) (string, error) { return accent(text, lightGrounds, "#000000") }
func darkAccent(text string) (string, error)  { return accent(text, darkGrounds, "#ffffff") }

// accent is a colour that can be read on all grounds, or the refusal of one that cannot.
func accent(text string, grounds []string, towards string) (string, error) {
	if text == "" {
		return "", nil
	}
	if _, err := luminance(text); err != nil {
		return "", err
	}
	if least := contrastOn(text, grounds); least < textContrast {
		return "", fmt.Errorf("must be a colour that can be read on the pages: %s has a contrast of %.1f:1 there, and texts need %d:1; %s has it", text, least, textContrast, readable(text, grounds, towards))
	}
	return strings.ToLower(text), nil
}

// Readable is the shade of a colour nearest to it that can be read on dark pages.
func Readable(colour string) string { return readable(colour, darkGrounds, "#ffffff") }

// readable mixes a colour with another one until it can be read.
func readable(colour string, grounds []string, towards string) string {
	for percent := range 101 {
		mixed := "#"
		for i := 1; i < 7; i += 2 {
			from, _ := strconv.ParseUint(colour[i:i+2], 16, 8) // both were read before
			to, _ := strconv.ParseUint(towards[i:i+2], 16, 8)
			mixed += fmt.Sprintf("%02x", (int(from)*(100-percent)+int(to)*percent)/100)
		}
		if contrastOn(mixed, grounds) >= textContrast {
			return mixed
		}
	}
	return towards
}

func contrastOn(colour string, grounds []string) float64 {
	least := math.Inf(1)
	for _, g := range grounds {
		c, err := Contrast(colour, g)
		if err != nil {
			return 0
		}
		least = min(least, c)
	}
	return least
}

// Contrast is that of two colours such as #0b5c66, from 1 to 21 (WCAG 2.2, contrast ratio).
func Contrast(a, b string) (float64, error) {
	x, err := luminance(a)
	if err != nil {
		return 0, err
	}
	y, err := luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05), err
}

// luminance is the relative luminance of a colour, from 0 to 1 (WCAG 2.2).
func luminance(colour string) (float64, error) {
	wrong := fmt.Errorf("must be a colour such as #0b5c66, and %q is none", colour)
	if len(colour) != 7 || colour[0] != '#' {
		return 0, wrong
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return 0, wrong
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum, nil
}

// footerLink checks a link of the footer: its words, and an address behind them.
func footerLink(text string) (string, error) {
	words, address, _ := FooterLink(text)
	u, err := url.Parse(address)
	if err != nil || words == "" || u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "mailto" || u.Scheme != "mailto" && u.Host == "" {
		return "", fmt.Errorf(`must be words and an address behind them, such as "Our library https://library.example.org/", and %q is not`, text)
	}
	return text, nil
}

// FooterLink splits a link of the footer at its last space.
func FooterLink(text string) (words, address string, ok bool) {
	text = strings.TrimSpace(text)
	at := strings.LastIndexByte(text, ' ')
	if at < 0 {
		return "", text, false
	}
	return strings.TrimSpace(text[:at]), text[at+1:], true
}
