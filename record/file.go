package record

import "time"

// FileStatus is the state of a file.
type FileStatus string

// The states of a file: created → ic_checking → moving_to_final → available, or → ic_failed
// for good when the bytes on the disk are not what was announced.
const (
	FileCreated   FileStatus = "created"
	FileChecking  FileStatus = "ic_checking"
	FileMoving    FileStatus = "moving_to_final"
	FileAvailable FileStatus = "available"
	FileFailed    FileStatus = "ic_failed"
)

// File is a file of an article's working copy and, once published, of its versions.
type File struct {
	ID          int64      `json:"id"`
	ArticleID   int64      `json:"article_id"`
	AccountID   int64      `json:"account_id"`
	Name        string     `json:"name"` // a label: never a name on disk
	Folder      string     `json:"folder"`
	Size        int64      `json:"size"` // bytes, 0 for links
	Link        string     `json:"link"` // where a file that is not hosted here is
	SuppliedMD5 string     `json:"supplied_md5"`
	MD5         string     `json:"md5"`
	SHA256      string     `json:"sha256"` // names the blob
	CRC32       uint32     `json:"crc32"`
	MIME        string     `json:"mime"`
	Token       string     `json:"token"` // upload token, UUID
	Status      FileStatus `json:"status"`
	Failure     string     `json:"failure"` // why the integrity check failed
	Added       int        `json:"added"`   // first public version that has it, 0 for none
	Dropped     bool       `json:"dropped"` // deleted from the working copy, still in public versions
	Removed     int        `json:"removed"` // first public version without it, 0 for none
	Held        bool       `json:"held"`    // the held publication adds it, or removes it when Added is set
	Submitted   Submitted  `json:"submitted"`
	Hidden      bool       `json:"hidden"` // all public versions that have it withhold their files
	Preview     Preview    `json:"preview"`
	Withdrawn   bool       `json:"withdrawn"` // Dropped, and only withdrawn versions have it
	Created     time.Time  `json:"created"`
	Modified    time.Time  `json:"modified"`
}

// In reports whether the file belongs to a public version.
func (f *File) In(version int) bool { return f.Added > 0 && inVersion(f.Added, f.Removed, version) }

func inVersion(added, removed, version int) bool {
	return added <= version && (removed == 0 || version < removed)
}

// Linked reports whether the file stays elsewhere.
func (f *File) Linked() bool { return f.Link != "" }

// Finished reports whether the file can be published.
func (f *File) Finished() bool { return f.Status == FileAvailable }

// BeingChecked reports whether its integrity check is due or not finished.
func (f *File) BeingChecked() bool { return f.Status == FileChecking || f.Status == FileMoving }

// Part notes that a part of an upload is on the disk.
type Part struct {
	CRC32C uint32 `json:"crc32c"`
	Size   int64  `json:"size"` // bytes, 0 when it was not noted

	Arrived time.Time `json:"arrived"` // zero when it was not noted
}

// PublicFile is a file as readers of public versions know it.
type PublicFile struct {
	ID          int64     `json:"id"`
	ArticleID   int64     `json:"article_id"`
	Name        string    `json:"name"`
	Folder      string    `json:"folder"`
	Size        int64     `json:"size"`
	Link        string    `json:"link"`
	SuppliedMD5 string    `json:"supplied_md5"`
	MD5         string    `json:"md5"`
	SHA256      string    `json:"sha256"`
	CRC32       uint32    `json:"crc32"`
	MIME        string    `json:"mime"`
	Added       int       `json:"added"`
	Removed     int       `json:"removed"`
	Published   time.Time `json:"published"` // of the version that added it
	Preview     Preview   `json:"preview"`
}

// In reports whether the file belongs to a public version.
func (f *PublicFile) In(version int) bool { return inVersion(f.Added, f.Removed, version) }

// Public is the file as readers know it after it was added in a version.
func (f *File) Public(published time.Time) *PublicFile {
	return &PublicFile{
		ID: f.ID, ArticleID: f.ArticleID, Name: f.Name, Folder: f.Folder, Size: f.Size, Link: f.Link,
		SuppliedMD5: f.SuppliedMD5, MD5: f.MD5, SHA256: f.SHA256, CRC32: f.CRC32, MIME: f.MIME,
		Added: f.Added, Removed: f.Removed, Published: published, Preview: f.Preview,
	}
}
