package files

import (
	"encoding/binary"
	"strings"

	"alcove/bucket"
	"alcove/record"
)

// versionSpan is which public versions have a file, as the value of an index: a list passes
// over what is in none of its versions without reading it.
func versionSpan(added, removed int) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(added))
	return binary.BigEndian.AppendUint32(b, uint32(removed))
}

// InVersion reports whether a file belongs to a public version, by the value that
// PublicFilesByArticle and PublicFilesByFolder have of it.
func InVersion(value []byte, version int) bool {
	f := record.PublicFile{Added: int(binary.BigEndian.Uint32(value)), Removed: int(binary.BigEndian.Uint32(value[4:]))}
	return f.In(version)
}

// FolderKey is what the sort keys of PublicFilesByFolder begin with for a folder of an article and
// all folders in it. A blank text follows for the files of the folder itself, then their name.
func FolderKey(article int64, folder string) []byte {
	key := bucket.SortKey(article)
	for name := range strings.SplitSeq(folder, "/") {
		if name != "" {
			key = append(key, bucket.SortKey(name)...)
		}
	}
	return key
}

// IndexedSize is the size in bytes of a file, by the value that PublicFilesByFolder has of it.
func IndexedSize(value []byte) int64 { return int64(binary.BigEndian.Uint64(value[8:])) }
