package bucket

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc64"

	"alcove/record"
)

// versionSpan is which public versions have a file, as the value of an index: a list passes
// over what is in none of its versions without reading it.
func versionSpan(added, removed int) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(added))
	return binary.BigEndian.AppendUint32(b, uint32(removed))
}

// InVersion reports whether a file belongs to a public version, by the value that
// PublicFilesByArticle and FilesPublished have of it.
func InVersion(value []byte, version int) bool {
	f := record.PublicFile{Added: int(binary.BigEndian.Uint32(value)), Removed: int(binary.BigEndian.Uint32(value[4:]))}
	return f.In(version)
}

var crcTable = crc64.MakeTable(crc64.ECMA)

// VersionsLettingIn sorts, by article, the public versions that withhold their files from all
// but some. Versions with the same value let in the same people, so that who is to be let in
// is asked once for each value, however many versions there are.
var VersionsLettingIn = addIndex(&ArticleVersions.Table, "letting_in", 1, func(v *record.ArticleVersion) []IndexEntry {
	if !v.HidesFiles() || len(v.Embargo.Options) == 0 {
		return nil
	}
	who, err := json.Marshal([]any{v.Embargo.Options, v.InstitutionID, v.GroupID})
	if err != nil { // these can always be encoded
		who = binary.BigEndian.AppendUint64(nil, uint64(v.Version))
	}
	return []IndexEntry{{Sort: SortKey(v.ArticleID), Value: binary.BigEndian.AppendUint64(nil, crc64.Checksum(who, crcTable))}}
})
