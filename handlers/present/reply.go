package present

import "strconv"

// Location is the acknowledgement of a write.
type Location struct {
	Location string `json:"location"`
}

// LocationWarnings is the acknowledgement of an update.
type LocationWarnings struct {
	Location string   `json:"location"`
	Warnings []string `json:"warnings"`
}

// Created is the acknowledgement of a new item. The id comes before the address, and
// nothing but warnings after it: public scripts take the last number behind a slash.
type Created struct {
	EntityID int64 `json:"entity_id"`
	LocationWarnings
}

// NewCreated is the acknowledgement of an item that was made.
func NewCreated(id int64, location string, warnings []string) Created {
	return Created{id, NewUpdated(location, warnings)}
}

// NewUpdated is the acknowledgement of an item that was updated.
func NewUpdated(location string, warnings []string) LocationWarnings {
	if warnings == nil {
		warnings = []string{}
	}
	return LocationWarnings{location, warnings}
}

// ArticleVersion is a public version in the list of versions.
type ArticleVersion struct {
	Version int    `json:"version"`
	URL     string `json:"url"`
}

// ArticleVersions are the versions from the oldest to the latest; 0 is 1.
func (s Settings) ArticleVersions(id int64, oldest, latest int) []ArticleVersion {
	out := []ArticleVersion{}
	for v := max(oldest, 1); v <= latest; v++ {
		out = append(out, ArticleVersion{v, s.API("/articles/%d/versions/", id) + strconv.Itoa(v)})
	}
	return out
}

// Feed is the acknowledgement of a feed of people. The keys besides the message are additions to
// the public API.
type Feed struct {
	Message  string   `json:"message"`
	DryRun   bool     `json:"dry_run"`
	Created  int      `json:"created"`
	Changed  int      `json:"changed"`  // accounts that were there
	Disabled int      `json:"disabled"` // of those
	Confirm  *string  `json:"confirm"`  // word by which the same feed is confirmed, after a dry run
	Warnings []string `json:"warnings"`
}

// Outcome is the acknowledgement of some writes that make nothing with an address.
type Outcome struct {
	Code     int      `json:"code"`
	Message  string   `json:"message"`
	Warnings []string `json:"warnings"`
}

// NewOutcome is the acknowledgement of what was done.
func NewOutcome(warnings []string) Outcome {
	if warnings == nil {
		warnings = []string{}
	}
	return Outcome{200, "OK", warnings}
}

// Error is the body of every refusal (docs/reference/api.md#refusals).
type Error struct {
	Message string         `json:"message"`
	Code    string         `json:"code"`
	Data    map[string]any `json:"data"`
}

// State is whether the server answers, or is ready to; else in one word why not.
type State struct {
	Status string `json:"status"`
}
