package present

import (
	"strconv"
	"strings"

	"alcove/record"
)

// PublicFile is a file as readers see it.
type PublicFile struct {
	ID          int64   `json:"id"`
	Name        string  `json:"name"`
	Size        int64   `json:"size"`
	IsLinkOnly  bool    `json:"is_link_only"`
	DownloadURL string  `json:"download_url"`
	SuppliedMD5 *string `json:"supplied_md5"`
	ComputedMD5 *string `json:"computed_md5"`
	MIME        *string `json:"mimetype"`
}

// PrivateFile is a file as its owner sees it.
type PrivateFile struct {
	UploadToken  *string `json:"upload_token" link:"hides"`
	UploadURL    *string `json:"upload_url" link:"hides"`
	Status       string  `json:"status" link:"hides"`
	PreviewState string  `json:"preview_state" link:"hides"`
	ViewerType   *string `json:"viewer_type" link:"hides"`
	IsAttached   bool    `json:"is_attached_to_public_version" link:"hides"`
	PublicFile
	// Behind what clients know: why a check failed, and the folder of the file, of which the detail of an item has
	// only those of the files that it shows.
	Failure *string `json:"failure_reason" link:"hides"`
	Folder  *string `json:"folder_path" link:"hides"`
}

// PublicFile is the public form of a file.
func (s Settings) PublicFile(f *record.PublicFile) PublicFile {
	return PublicFile{
		ID: f.ID, Name: f.Name, Size: f.Size, IsLinkOnly: f.Link != "", DownloadURL: s.download(f.ID, f.Link),
		SuppliedMD5: s.text(f.SuppliedMD5), ComputedMD5: s.text(f.MD5), MIME: s.text(f.MIME),
	}
}

// PrivateFile is the owner's form of a file. The upload address is there as long as the
// upload is open.
func (s Settings) PrivateFile(f *record.File) PrivateFile {
	p := PrivateFile{
		UploadToken: s.text(f.Token), UploadURL: s.text(""), Status: string(f.Status),
		PreviewState: PreviewState(f), ViewerType: s.viewer(f), IsAttached: f.Added > 0, Failure: s.text(f.Failure), Folder: s.text(f.Folder),
		PublicFile: PublicFile{
			ID: f.ID, Name: f.Name, Size: f.Size, IsLinkOnly: f.Linked(), DownloadURL: s.download(f.ID, f.Link),
			SuppliedMD5: s.text(f.SuppliedMD5), ComputedMD5: s.text(f.MD5), MIME: s.text(f.MIME),
		},
	}
	if f.Token != "" && f.Status != record.FileAvailable && f.Status != record.FileFailed {
		p.UploadURL = s.text(s.UploadURL + "/" + f.Token)
	}
	return p
}

func (s Settings) download(id int64, link string) string {
	if link != "" {
		return link
	}
	return s.DownloadURL + "/files/" + strconv.FormatInt(id, 10)
}

// UploadInfo is the state of an upload.
type UploadInfo struct {
	Token  string `json:"token"`
	MD5    string `json:"md5"`
	Size   int64  `json:"size"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Parts  []Part `json:"parts"`
}

// Part is the state of a part; the end offset is inclusive.
type Part struct {
	PartNo      int    `json:"partNo"`
	StartOffset int64  `json:"startOffset"`
	EndOffset   int64  `json:"endOffset"`
	Status      string `json:"status"`
	Locked      bool   `json:"locked"`
}

// NewPart is a part from its first to its last byte, with its state.
func NewPart(no int, start, end int64, complete, locked bool) Part {
	out := Part{PartNo: no, StartOffset: start, EndOffset: end, Status: "PENDING", Locked: locked}
	if complete {
		out.Status = "COMPLETE"
	}
	return out
}

// NewUploadInfo is the state of a file's upload with its parts.
func NewUploadInfo(f *record.File, parts []Part) UploadInfo {
	u := UploadInfo{
		Token: f.Token, MD5: f.SuppliedMD5, Size: f.Size, Status: "PENDING", Parts: list(parts),
		Name: strconv.FormatInt(f.ID, 10) + "/" + strings.ReplaceAll(f.Name, "/", ""),
	}
	switch f.Status {
	case record.FileAvailable, record.FileChecking, record.FileMoving:
		u.Status = "COMPLETED"
	case record.FileFailed:
		u.Status = "ABORTED"
	}
	return u
}
