package handlers

// archiveKey is a public version and a folder of it, empty for all.
type archiveKey struct {
	article int64
	version int
	folder  string
}

// archiveLayout is an archive, which is not modified, with its entity tag.
type archiveLayout struct {
	archive *Archive
	tag     string
}

// archiveCacheBytes is about how many bytes all layouts take that are cached: enough for an archive of
// 100,000 files.
const archiveCacheBytes = 24 << 20

// bytes is about how much memory a layout takes.
func (p *archiveLayout) bytes() (n int) {
	for i := range p.archive.Len() {
		n += 128 + len(p.archive.Name(i))
	}
	return n
}
