package record

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FileBody starts a file: a link to where it stays, or the name, size and md5 of bytes that will
// be uploaded, never both. Hexadecimal digits of an md5 may be capitals; they are kept small.
type FileBody struct {
	Link   *string `json:"link"`
	Name   *string `json:"name"`
	Size   *int64  `json:"size"`
	MD5    *string `json:"md5"`
	Folder *string `json:"folder_path"`
}

const (
	maxFileName = 4096 // bytes
	maxLink     = 8192
	maxFolder   = 4096
)

var md5Form = regexp.MustCompile(`^[0-9a-fA-F]{32}$`)

// Check refuses what cannot become a file (422).
func (b *FileBody) Check() error {
	if b.Folder != nil {
		if err := checkFolder(*b.Folder); err != nil {
			return err
		}
	}
	if b.Name != nil && len(*b.Name) > maxFileName {
		return Wrong("name", "must have at most 4096 bytes")
	}
	if b.Linked() {
		switch { // the server does not have the bytes: what is said of them would be shown as its own word
		case b.Name != nil && *b.Name != "":
			return Wrong("name", "goes with an upload, not with a link")
		case b.Size != nil && *b.Size != 0:
			return Wrong("size", "goes with an upload, not with a link")
		case b.MD5 != nil && *b.MD5 != "":
			return Wrong("md5", "goes with an upload, not with a link")
		}
		return checkLink(*b.Link)
	}
	switch {
	case b.Name == nil || *b.Name == "":
		return Wrong("name", "is required")
	case b.Size == nil:
		return Wrong("size", "is required")
	case *b.Size < 0:
		return Wrong("size", "must not be negative")
	case b.MD5 != nil && *b.MD5 != "" && !md5Form.MatchString(*b.MD5):
		return Wrong("md5", "must have 32 hexadecimal digits")
	}
	return nil
}

// checkLink takes only addresses that a browser may safely be sent to. The server
// itself never fetches them.
func checkLink(link string) error {
	u, err := url.Parse(link)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil || len(link) > maxLink ||
		strings.ContainsFunc(link, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		return Wrong("link", "must be an http or https address")
	}
	return nil
}

// FolderPath is the name of a folder as files have it: no slash at its ends. It refuses what no file can be uploaded to.
func FolderPath(text string) (string, error) {
	return strings.Trim(text, "/"), checkFolder(text)
}

func checkFolder(folder string) error {
	if len(folder) > maxFolder {
		return Wrong("folder_path", "must have at most 4096 bytes")
	}
	for _, part := range strings.Split(folder, "/") {
		if part == "." || part == ".." || strings.ContainsAny(part, "\\\x00") {
			return Wrong("folder_path", "must name folders, with / between them")
		}
	}
	return nil
}

// Linked reports whether the file stays elsewhere.
func (b *FileBody) Linked() bool { return b.Link != nil && *b.Link != "" }

// Apply makes the file that the body describes. It must follow Check.
func (b *FileBody) Apply(f *File) {
	if b.Folder != nil {
		f.Folder, _ = FolderPath(*b.Folder)
	}
	if b.Linked() {
		f.Link = *b.Link
		f.Name = linkName(f.Link)
		f.Status = FileAvailable
		return
	}
	set(&f.Name, b.Name)
	set(&f.Size, b.Size)
	set(&f.SuppliedMD5, b.MD5)
	f.SuppliedMD5 = strings.ToLower(f.SuppliedMD5)
	f.Status = FileCreated
}

// linkName is the last piece of a link's path, or its host. A piece that does not decode
// to text stays as it is in the link.
func linkName(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return link
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	piece := path[strings.LastIndexByte(path, '/')+1:]
	if piece == "" {
		return u.Host
	}
	name, err := url.PathUnescape(piece)
	if err != nil || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return piece
	}
	return name
}
