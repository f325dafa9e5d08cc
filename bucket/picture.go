package bucket

import "alcove/record"

// Pictures has the pictures of profiles; the key is the id of the person.
var Pictures = &Table[int64, record.Picture]{name: "pictures", codec: intKeys}
