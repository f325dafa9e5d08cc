package dir

import (
	"alcove/blobs"
	"io/fs"
	"os"
	"runtime"
	"sync"
)

// openFiles are blobs that stay open for a while after they were read: ranges of one file
// are often asked for one after another, and to open it costs more than to read some of it. An open
// blob says nothing about what lies in its place: each use looks there first,
// and takes what is open only if it is that very file, with the same size and time.
type openFiles struct {
	sync.Mutex
	of   map[blobs.Ref]*openFile
	tick uint64 // how often one was asked for
}

// openFile is one open file.
type openFile struct {
	file  *os.File
	info  fs.FileInfo // as it was opened
	place *place      // where it lies, nil where looking there is not made easier
	users int
	last  uint64 // the tick of who asked last
	gone  bool   // closed by its last user
}

// maxShared is how many files stay open.
const maxShared = 64

// keepsOpen reports whether a file that is open may be renamed over and removed.
const keepsOpen = runtime.GOOS != "windows"

// Share is Read of a descriptor that others may have as well: ReadAt and Check are for it, and
// nothing that moves its offset. Alone makes it the caller's own.
func (s *Store) Share(ref blobs.Ref, size int64, crc uint32) (blobs.Blob, error) {
	if have := s.openFiles.take(ref); have != nil {
		if have.info.Size() == size && s.inPlace(ref, have) && !s.isDamaged(ref, have.info) {
			return &blob{File: have.file, store: s, ref: ref, size: size, crc: crc, info: have.info, openFile: have}, nil
		}
		s.openFiles.drop(ref)
		s.openFiles.give(have)
	}
	b, err := s.read(ref, size, crc)
	if err != nil {
		return nil, err
	}
	if keepsOpen {
		b.openFile = s.openFiles.put(ref, b.File, b.info, s.placeOf(ref, b.info))
	}
	return b, nil
}

// inPlace reports whether what is open is the very file at the blob's place, as it was.
func (s *Store) inPlace(ref blobs.Ref, have *openFile) bool {
	if have.place != nil {
		return have.place.still()
	}
	now, err := s.lstat(ref)
	return err == nil && os.SameFile(have.info, now) && have.info.Size() == now.Size() && have.info.ModTime().Equal(now.ModTime())
}

// Alone opens a blob that came from Share again, for the caller alone. Its errors are those of
// Read; the caller closes the blob in any case.
func (b *blob) Alone() error {
	if b.openFile == nil {
		return nil
	}
	own, err := b.store.read(b.ref, b.size, b.crc)
	if err != nil {
		return err
	}
	b.Close()
	*b = *own
	return nil
}

// Close lets go of the blob.
func (b *blob) Close() error {
	if b.openFile == nil {
		return b.File.Close()
	}
	b.store.openFiles.give(b.openFile)
	b.File, b.openFile = nil, nil
	return nil
}

// take is an open file, nil for none. The caller gives it back.
func (k *openFiles) take(ref blobs.Ref) *openFile {
	k.Lock()
	defer k.Unlock()
	h := k.of[ref]
	if h == nil {
		return nil
	}
	k.tick++
	h.users, h.last = h.users+1, k.tick
	return h
}

// put keeps a file open that the caller has opened and gives back.
func (k *openFiles) put(ref blobs.Ref, f *os.File, info fs.FileInfo, at *place) *openFile {
	k.Lock()
	defer k.Unlock()
	k.remove(ref)
	if len(k.of) >= maxShared {
		var oldest blobs.Ref
		least := k.tick + 1
		for r, h := range k.of {
			if h.last < least {
				oldest, least = r, h.last
			}
		}
		k.remove(oldest)
	}
	k.tick++
	h := &openFile{file: f, info: info, place: at, users: 1, last: k.tick}
	if k.of == nil {
		k.of = map[blobs.Ref]*openFile{}
	}
	k.of[ref] = h
	return h
}

func (k *openFiles) give(h *openFile) {
	k.Lock()
	defer k.Unlock()
	if h.users--; h.gone && h.users == 0 {
		h.close()
	}
}

func (h *openFile) close() {
	h.file.Close()
	if h.place != nil {
		h.place.close()
	}
}

// drop closes a file that is going to be removed or replaced, as soon as it is used no more: its space
// is free then.
func (k *openFiles) drop(ref blobs.Ref) {
	k.Lock()
	defer k.Unlock()
	k.remove(ref)
}

func (k *openFiles) dropAll() {
	k.Lock()
	defer k.Unlock()
	for ref := range k.of {
		k.remove(ref)
	}
}

func (k *openFiles) remove(ref blobs.Ref) {
	h := k.of[ref]
	if h == nil {
		return
	}
	delete(k.of, ref)
	if h.gone = true; h.users == 0 {
		h.close()
	}
}
