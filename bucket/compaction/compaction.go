// Package compaction is how the file of a database is made again without its free pages, for any engine.
package compaction

// Options say how it goes on.
type Options struct {
	// Floor is how many bytes of the disk stay free beside the new file.
	Floor int64
	// Note is told how far each stage is, in bytes of all that it reads; nil for none.
	Note func(stage string, done, all int64)
	// Check looks at what the old file, and then the new one, holds: see visits all of it, and end says
	// what is damaged or missing.
	Check func() (see func(bucket string, k, v []byte), end func() error)
}

// Stages, in their order. Until the last one has begun it can be interrupted.
const (
	StageLook    = "looking through the database"
	StageCopy    = "copying"
	StageCompare = "comparing"
	StageReplace = "replacing"
)

// Result is what came of it, in bytes.
type Result struct {
	Before  int64 `json:"bytes_before"` // of the file
	After   int64 `json:"bytes_after"`
	Free    int64 `json:"free_before"` // of the pages that nothing used
	Entries int64 `json:"entries"`     // records, documents, entries of indexes and of the change log: how many
}
