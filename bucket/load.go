package bucket

import "alcove/record"

// Loads has the lines of bulk loads that have become articles, so that loading them again
// makes none. It tells nothing that a record does not, so it is not in the change log.
// The keys are LoadKey's.
var Loads = &Table[string, record.Load]{name: "loads", codec: nameKeys, quiet: true}
