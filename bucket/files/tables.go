// Package files has the tables of files: of working copies, with the parts of their uploads, and of public versions; and which
// blobs they name.
package files

import (
	"encoding/binary"

	"alcove/bucket"
	"alcove/record"
)

var (
	Files = bucket.ByID[record.File]("files").Flat()
	// Parts has a record for every part of an unfinished upload whose bytes are on the
	// disk; the key is file id and part number.
	Parts = bucket.ByPair[record.Part]("parts").Unlogged()

	PublicFiles = bucket.Public(bucket.ByID[record.PublicFile]("public_files").Flat())
)

// Indexes. A name says what sorts; the comment says what the value holds.
var (
	// ByArticle has the files of working copies.
	ByArticle = Files.AddIndex("article", 1, func(f *record.File) []bucket.IndexEntry {
		if f.Dropped {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.ArticleID)}}
	})
	// ToPublish has what the next version of an article changes: files to add, or to remove.
	ToPublish = Files.AddIndex("unpublished", 1, func(f *record.File) []bucket.IndexEntry {
		if (f.Added == 0 && !f.Dropped) || (f.Dropped && f.Removed == 0) {
			return []bucket.IndexEntry{{Sort: bucket.SortKey(f.ArticleID)}}
		}
		return nil
	})
	// Held has what the held publication of an article adds and removes.
	Held = Files.AddIndex("held", 1, func(f *record.File) []bucket.IndexEntry {
		if !f.Held {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.ArticleID)}}
	})
	// Published has the files of an article's public versions, shown or not; the value
	// says which versions those are (InVersion).
	Published = Files.AddIndex("published", 2, func(f *record.File) []bucket.IndexEntry {
		if f.Added == 0 {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.ArticleID), Value: versionSpan(f.Added, f.Removed)}}
	})
	// Submitted has what the submission of an article that waits for its review adds
	// and removes.
	Submitted = Files.AddIndex("submitted", 1, func(f *record.File) []bucket.IndexEntry {
		if f.Submitted == record.NotSubmitted {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.ArticleID)}}
	})
	// Hidden has the published files of an article that readers do not see.
	Hidden = Files.AddIndex("hidden", 1, func(f *record.File) []bucket.IndexEntry {
		if !f.Hidden {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.ArticleID)}}
	})
	// ByToken finds the file of an upload.
	ByToken = Files.AddIndex("token", 1, func(f *record.File) []bucket.IndexEntry {
		if f.Token == "" {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.Token)}}
	}).Secret()
	// Checking has the files whose integrity check is due or not finished; the value is
	// their size as a sort key.
	Checking = Files.AddIndex("checking", 2, func(f *record.File) []bucket.IndexEntry {
		if !f.BeingChecked() {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(""), Value: bucket.SortKey(f.Size)}}
	})
	// BytesAnnounced are those of files whose upload is not over.
	BytesAnnounced = Files.AddTotal("announced", 1, func(f *record.File) int64 {
		if f.Status == record.FileAvailable || f.Status == record.FileFailed {
			return 0
		}
		return f.Size
	})
	// BytesArrived are those of their parts that are on the disk.
	BytesArrived = Parts.AddTotal("arrived", 1, func(p *record.Part) int64 { return p.Size })
	// PublicNumber is how many files readers can get, of all versions, and PublicBytes their size.
	PublicNumber = PublicFiles.Table.AddNumber("number", 1, nil).Public()
	PublicBytes  = PublicFiles.Table.AddTotal("bytes", 1, func(f *record.PublicFile) int64 { return f.Size }).Public()
	// PreviewDue has the files whose thumbnail is due.
	PreviewDue = Files.AddIndex("preview", 1, func(f *record.File) []bucket.IndexEntry {
		if !f.PreviewDue() {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey("")}}
	})
	// Previewed has the files of working copies that have a thumbnail.
	Previewed = Files.AddIndex("previewed", 1, func(f *record.File) []bucket.IndexEntry {
		if f.Dropped || f.Preview != record.PreviewMade {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.ArticleID)}}
	})
	// Unfinished sorts unfinished uploads by their last change.
	Unfinished = Files.AddIndex("open", 1, func(f *record.File) []bucket.IndexEntry {
		if f.Status != record.FileCreated {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.Modified)}}
	})
	// ByBlob finds who needs a blob.
	ByBlob = Files.AddIndex("blob", 1, func(f *record.File) []bucket.IndexEntry {
		if f.SHA256 == "" {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.SHA256)}}
	})
	// PublicFilesByArticle has the files of an article's public versions; the value says
	// which versions those are (InVersion).
	PublicFilesByArticle = PublicFiles.AddIndex("article", 2, func(f *record.PublicFile) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.ArticleID), Value: versionSpan(f.Added, f.Removed)}}
	})
	// PublicFilesByName has the same by the names of an article's files.
	PublicFilesByName = PublicFiles.AddIndex("name", 1, func(f *record.PublicFile) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.ArticleID, f.Name), Value: versionSpan(f.Added, f.Removed)}}
	})
	// PublicFilesByFolder sorts the same by folder and name (FolderKey); the value has the size
	// behind the versions (IndexedSize).
	PublicFilesByFolder = PublicFiles.AddIndex("folder", 1, func(f *record.PublicFile) []bucket.IndexEntry {
		value := binary.BigEndian.AppendUint64(versionSpan(f.Added, f.Removed), uint64(f.Size))
		return []bucket.IndexEntry{{Sort: append(FolderKey(f.ArticleID, f.Folder), bucket.SortKey("", f.Name)...), Value: value}}
	})

	// Withdrawn has the files of an article that only withdrawn versions have.
	Withdrawn = Files.AddIndex("withdrawn", 1, func(f *record.File) []bucket.IndexEntry {
		if !f.Withdrawn {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(f.ArticleID)}}
	})

	// Owners has the article of a file in the place of a project, and so has ReviewOwners that
	// of a review.
	Owners = bucket.AddOwners(Files, func(f *record.File) bucket.Owner { return bucket.Owner{Account: f.AccountID, In: f.ArticleID} })
)
