package record

import (
	"slices"
	"time"
)

// Choices are what administrators of the institution choose on its pages.
type Choices struct {
	LicencesOff []int64   `json:"licences_off"` // values of licences that are not offered
	TypesOff    []int64   `json:"types_off"`    // ids of types of items that are not offered
	Banner      Banner    `json:"banner"`
	Modified    time.Time `json:"modified"`
}

// Banner is what stands above every page for some time.
type Banner struct {
	English string    `json:"en"` // for readers of all languages that have no text of their own
	German  string    `json:"de"`
	Until   time.Time `json:"until"` // zero for as long as there is a text
}

// MaxBanner bounds a text of a banner, in characters.
const MaxBanner = 500

// Text is what a banner says to readers of a language at a time, "" for nothing.
func (b *Banner) Text(language string, now time.Time) string {
	switch {
	case !b.Until.IsZero() && !now.Before(b.Until):
		return ""
	case language == "de" && b.German != "":
		return b.German
	case b.English == "":
		return b.German
	}
	return b.English
}

// OffersLicence reports whether a licence may be chosen.
func (c *Choices) OffersLicence(value int64) bool { return !slices.Contains(c.LicencesOff, value) }

// OffersType reports whether a type of items may be chosen.
func (c *Choices) OffersType(id int64) bool { return !slices.Contains(c.TypesOff, id) }
