// Package present turns records into the JSON of the API: one struct a shape, each field said
// once in the smallest shape that has it, in the order of docs/reference/api.md#representations.
//
// Blank values are null and keys are never left out. The setting EmptyBlanks sends "" for blank
// texts, and Figshare also 0 for ids and {} for timelines that are blank, as the public service
// does.
package present

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"
)

// Settings are everything but the record that a representation depends on.
type Settings struct {
	BaseURL       string // of the API, without /v2 and without a slash at the end
	SiteURL       string // of the pages for people
	DownloadURL   string // in front of /files/{id}
	UploadURL     string // in front of /{upload token}
	Publisher     string // named in citations
	EmptyBlanks   bool   // "" instead of null for blank texts
	Figshare      bool   // 0 instead of null for blank ids, and only the steps of a timeline that were taken; goes with EmptyBlanks
	FilesInDetail int    // how many files the detail of an item lists
}

// Hash names the settings and how documents look under them. A stored document with another hash is
// out of date, and rendered again.
func (s Settings) Hash() uint64 {
	settings, err := json.Marshal(s)
	if err != nil {
		panic(err) // a struct of texts and numbers always encodes
	}
	documents, err := sampleDocuments(s)
	if err != nil {
		panic(err) // a test renders the samples
	}
	sum := sha256.Sum256(append(settings, documents...))
	return binary.BigEndian.Uint64(sum[:])
}

// text is a text that may be blank.
func (s Settings) text(v string) *string {
	if v == "" && !s.EmptyBlanks {
		return nil
	}
	return &v
}

// nullable is a text that is null when blank, whatever the settings say: those few of which
// the public description of the API says so.
func nullable(v string) *string {
	if v == "" {
		return nil
	}
	return &v
}

// id is an id that may be blank, which 0 stands for in records.
func (s Settings) id(id int64) *int64 {
	if id == 0 && !s.Figshare {
		return nil
	}
	return &id
}

// bound is a number that is null where there is none, whatever the settings say.
func bound(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// list is a list that is empty, not null, when there is none.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// stamp is a time as items show it: 2006-01-02T15:04:05Z.
func stamp(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	v := t.UTC().Format("2006-01-02T15:04:05Z")
	return &v
}

// bare is a time as timelines show it, without a zone.
func bare(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	v := t.UTC().Format("2006-01-02T15:04:05")
	return &v
}

// API is an address of the API: path begins with a slash.
func (s Settings) API(format string, args ...any) string {
	return s.BaseURL + "/v2" + fmt.Sprintf(format, args...)
}
