package bucket

import "alcove/record"

// Orphans has the blobs that no record named when they were last looked at, under their
// SHA-256 in hex. It tells nothing of the repository, so it is not in the change log.
var Orphans = &Table[string, record.Orphan]{name: "orphans", codec: nameKeys, quiet: true}
