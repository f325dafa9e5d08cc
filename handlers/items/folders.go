package items

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/record"
)

// Folder is a part of what a folder of a public version has: the folders in it by name, then its files by name,
// or in the order that a person gave them.
type Folder struct {
	Folders []Subfolder
	Files   []*record.PublicFile
	Next    Row // where the next part begins; zero when there is nothing more
}

// Row is a place in a folder, which one of its folders or files has. The zero Row is its beginning.
type Row struct {
	Folder string
	File   int64
}

// Subfolder is a folder in a folder. Files and Size, in bytes, are those of the files at any depth in
// it, and -1 where counting them would take too long.
type Subfolder struct {
	Name        string
	Files, Size int64
}

// countedFiles is how many files are counted for the folders of one part.
const countedFiles = 5000

// ReadFolder reads a part of a folder of a public version, of at most take rows; "" is the folder of
// all others. The cost depends neither on how many files the version has nor on the place,
// but for files of other versions in this folder, and for those of a folder that a person has ordered. It is blank when an embargo hides the files, and
// record.ErrNotFound when the version has no such folder or place.
func ReadFolder(tx bucket.Reader, v *record.ArticleVersion, folder string, from Row, take int) (part Folder, err error) {
	if v.HidesFiles() {
		return part, nil
	}
	key := files.FolderKey(v.ArticleID, folder)
	if from.File == 0 {
		part.readFolders(tx, v, key, from.Folder, take)
	}
	if part.Next == (Row{}) {
		err = part.readFiles(tx, v, key, from.File, take-len(part.Folders))
	}
	if err == nil && len(part.Folders)+len(part.Files) == 0 && (folder != "" || from != Row{}) {
		err = record.ErrNotFound
	}
	return part, err
}

// readFolders reads the folders from a name on. All files in a folder stand together in the index,
// so that the walk goes on behind them without having seen each.
func (part *Folder) readFolders(tx bucket.Reader, v *record.ArticleVersion, key []byte, name string, take int) {
	counted := 0
	from := append(bytes.Clone(key), name...)
	if name == "" {
		from = append(from, 1) // behind the files of the folder itself
	}
	for from != nil {
		at := from
		from = nil
		var sub *Subfolder
		for hit := range files.PublicFilesByFolder.Walk(tx, key, at, true) {
			is, _, _ := bytes.Cut(hit.Sort[len(key):], []byte{0})
			if sub != nil && sub.Name != string(is) {
				sub = nil
			}
			if !files.InVersion(hit.Value, v.Version) {
				continue
			}
			if sub == nil {
				if len(part.Folders) == take {
					part.Next = Row{Folder: string(is)}
					return
				}
				part.Folders = append(part.Folders, Subfolder{Name: string(is)})
				sub = &part.Folders[len(part.Folders)-1]
			}
			if counted++; counted > countedFiles {
				sub.Files, sub.Size = -1, -1
				from = append(append(bytes.Clone(key), is...), 1)
				break
			}
			sub.Files++
			sub.Size += files.IndexedSize(hit.Value)
		}
	}
}

// readFiles reads the files of the folder itself, from one of them on.
func (part *Folder) readFiles(tx bucket.Reader, v *record.ArticleVersion, key []byte, first int64, take int) error {
	key = append(key, 0)
	if len(v.FileOrder) > 0 {
		return part.readOrdered(tx, v, key, first, take)
	}
	from := key
	if first != 0 {
		f, err := files.PublicFiles.Get(tx, first)
		if errors.Is(err, bucket.ErrNotFound) || err == nil && (f.ArticleID != v.ArticleID || !f.In(v.Version)) {
			return record.ErrNotFound
		}
		if err != nil {
			return err
		}
		from = bytes.Join([][]byte{key, bucket.SortKey(f.Name), bucket.Prefix(first)}, nil)
	}
	for hit := range files.PublicFilesByFolder.Walk(tx, key, from, true) {
		if !files.InVersion(hit.Value, v.Version) {
			continue
		}
		if len(part.Files) >= take {
			part.Next = Row{File: hit.Key}
			return nil
		}
		f, err := files.PublicFiles.Get(tx, hit.Key)
		if err != nil {
			return err
		}
		part.Files = append(part.Files, f)
	}
	return nil
}

// readOrdered is readFiles of a version whose files a person has ordered: it costs an entry of the index for each file
// of the folder.
func (part *Folder) readOrdered(tx bucket.Reader, v *record.ArticleVersion, key []byte, first int64, take int) error {
	var ids []int64
	for hit := range files.PublicFilesByFolder.Walk(tx, key, key, true) {
		if files.InVersion(hit.Value, v.Version) {
			ids = append(ids, hit.Key)
		}
	}
	files.Arrange(v.FileOrder, ids, func(id int64) int64 { return id })
	if first != 0 {
		at := slices.Index(ids, first)
		if at < 0 {
			return record.ErrNotFound
		}
		ids = ids[at:]
	}
	for _, id := range ids {
		if len(part.Files) >= take {
			part.Next = Row{File: id}
			return nil
		}
		f, err := files.PublicFiles.Get(tx, id)
		if err != nil {
			return err
		}
		part.Files = append(part.Files, f)
	}
	return nil
}

// FileAt is the id of the file of a public version that has a name in a folder, 0 for none. Of
// several it is the one whose id is in only, or the first.
func FileAt(tx bucket.Reader, v *record.ArticleVersion, folder, name, only string) int64 {
	if v.HidesFiles() {
		return 0
	}
	key := append(files.FolderKey(v.ArticleID, folder), bucket.SortKey("", name)...)
	for hit := range files.PublicFilesByFolder.Walk(tx, key, nil, true) {
		if files.InVersion(hit.Value, v.Version) && (only == "" || only == strconv.FormatInt(hit.Key, 10)) {
			return hit.Key
		}
	}
	return 0
}
