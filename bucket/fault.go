package bucket

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrFault says that a page of the database could not be read: the file was cut off, or the disk
// does not give it. The process goes on, because every goroutine that reads the map asks for a
// panic instead of its end.
var ErrFault = errors.New("cannot read the database: a page of its file is not there")

// isFault reports whether a panic is that of a page that could not be read. Of the run time's
// errors only this one knows an address.
func isFault(p any) bool {
	_, ok := p.(interface{ Addr() uintptr })
	return ok
}

// faulted is deferred by each goroutine that reads the map. It makes an error of a
// page that cannot be read, after which the store takes no more writes; other panics go on.
func (db *DB) faulted(err *error) {
	p := recover()
	if p == nil {
		return
	}
	if damaged, ok := p.(*DamagedError); ok { // in an index, see damagedEntry
		*err = damaged
		return
	}
	if !isFault(p) {
		panic(p)
	}
	*err = fmt.Errorf("%w: %v\n%s", ErrFault, p, debug.Stack())
	db.harmed.Store(true)
}
