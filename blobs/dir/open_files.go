package dir

import (
	"alcove/blobs"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"
)

// openFiles are the files of blobs that are open. One that was read stays open for the next reader: ranges of one file
// are often asked for one after another, and to open it costs more than to read some of it. It has one reader at a
// time, as the system copies from its offset. An open file says nothing about what lies in its place: each reader looks
// there first, and takes what is open only if it is that very file, with the same size and time.
type openFiles struct {
	sync.Mutex
	idle []*openFile // without a reader; the one that was read last is the last
	busy map[*openFile]bool
}

// openFile is one open file.
type openFile struct {
	*os.File
	ref   blobs.Ref
	info  fs.FileInfo // as it was opened
	place *place      // where it lies, nil where looking there is not made easier
	gone  bool        // closed by its reader
}

// maxIdle is how many files stay open without a reader.
const maxIdle = 64

// keepsOpen reports whether a file that is open may be renamed over and removed.
const keepsOpen = runtime.GOOS != "windows"

// inPlace reports whether what is open is the very file at the blob's place, as it was.
func (s *Store) inPlace(have *openFile) bool {
	if have.place != nil {
		return have.place.still()
	}
	now, err := s.lstat(have.ref)
	if err != nil || !os.SameFile(have.info, now) || have.info.Size() != now.Size() || !have.info.ModTime().Equal(now.ModTime()) {
		return false
	}
	have.place = s.placeOf(have.ref, have.info) // it is read again and again
	return true
}

// take is an open file of a blob, nil for none. The caller gives it back.
func (k *openFiles) take(ref blobs.Ref) *openFile {
	k.Lock()
	defer k.Unlock()
	for i := len(k.idle) - 1; i >= 0; i-- {
		if f := k.idle[i]; f.ref == ref {
			k.idle = slices.Delete(k.idle, i, i+1)
			k.busy[f] = true
			return f
		}
	}
	return nil
}

// add takes in a file that the caller has opened and gives back.
func (k *openFiles) add(f *openFile) *openFile {
	k.Lock()
	defer k.Unlock()
	if k.busy == nil {
		k.busy = map[*openFile]bool{}
	}
	k.busy[f] = true
	return f
}

// give takes a file back from its reader.
func (k *openFiles) give(f *openFile) error {
	k.Lock()
	defer k.Unlock()
	delete(k.busy, f)
	if f.gone || !keepsOpen {
		return f.close()
	}
	if k.idle = append(k.idle, f); len(k.idle) > maxIdle {
		k.idle[0].close()
		k.idle = slices.Delete(k.idle, 0, 1)
	}
	return nil
}

func (f *openFile) close() error {
	if f.place != nil {
		f.place.close()
	}
	return f.File.Close()
}

// drop closes the files of a blob that is going to be removed or replaced, as soon as they are read no more: its
// space is free then.
func (k *openFiles) drop(ref blobs.Ref) {
	k.dropThose(func(f *openFile) bool { return f.ref == ref })
}

func (k *openFiles) dropAll() { k.dropThose(func(*openFile) bool { return true }) }

func (k *openFiles) dropThose(which func(*openFile) bool) {
	k.Lock()
	defer k.Unlock()
	for f := range k.busy {
		f.gone = f.gone || which(f)
	}
	k.idle = slices.DeleteFunc(k.idle, func(f *openFile) bool {
		if !which(f) {
			return false
		}
		f.close()
		return true
	})
}
