package bucket

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"alcove/bucket/kv"
)

// The format of what is stored has a number, which grows with every change that an older program would not
// keep up: a table, or a member of a record that decides something. A file notes in its bucket
// meta, under the checksum of that bucket,
//
//	format         "2"; programs that know none of the numbers below read "1" only
//	schema number  the highest of the programs that have prepared it
//	least reader   the lowest that may open it
//
// and a program that opens it, for reading, repairing, copying or restoring too, refuses it when its own
// number is lower than the least reader. A program that adds what an older one may leave alone
// raises the schema number only: records keep the members that a program does not know, see
// unknown.go, and tables that it does not know stay as they are.
const (
	format      = "2"
	firstFormat = "1" // of files from before these numbers; preparing makes it format

	schemaNumber = 1
	leastReader  = 1
)

var (
	formatKey = []byte("format")
	numberKey = []byte("schema number")
	readerKey = []byte("least reader")
)

// ErrNewer says that a newer version of Alcove has written a database, in a way that this one
// would damage. Nothing was changed.
var ErrNewer = errors.New("a newer version of Alcove has written it; use that version, or restore a backup from before it")

// checkFormat fails when a file is not for this program, with ErrNewer when it is for a newer one. The
// numbers count only where their checksum is right.
func checkFormat(m kv.Bucket) error {
	if m == nil {
		return errors.New("it is not one of Alcove's")
	}
	switch f := string(m.Get(formatKey)); f {
	case firstFormat:
		return nil
	case format:
	default:
		return fmt.Errorf("its format is %q, this program reads %q and %q", f, firstFormat, format)
	}
	if !bytes.Equal(m.Get(sumKey), settingsSum(m)) {
		return nil // it is damaged, which is told by who looks at that
	}
	return fits(m.Get(numberKey), m.Get(readerKey))
}

// fits compares the numbers of a file with those of this program.
func fits(number, reader []byte) error {
	if least := numbered(reader); least > schemaNumber {
		return fmt.Errorf("its schema number is %d, and this program has %d where at least %d is needed: %w", numbered(number), schemaNumber, least, ErrNewer)
	}
	return nil
}

// numbered reads a number of a file, 0 where it has none.
func numbered(text []byte) int {
	n, err := strconv.Atoi(string(text))
	if err != nil {
		return 0
	}
	return n
}

// newer reports whether a program with a higher number has prepared a file: it may hold what this
// program does not know.
func newer(number []byte) bool { return numbered(number) > schemaNumber }

// putFormat notes the numbers of this program, or higher ones that are there.
func putFormat(b kv.Tx) error {
	m, err := b.Create(metaBucket)
	if err != nil {
		return err
	}
	return putNumbers(m, m.Get(numberKey), m.Get(readerKey))
}

// putFormatOnce is putFormat of an engine that has nothing yet, and reports whether it is one.
func putFormatOnce(s kv.Store) (fresh bool, err error) {
	err = kv.View(s, func(tx kv.Tx) error {
		fresh = len(tx.Buckets()) == 0
		return nil
	})
	if err == nil && fresh {
		err = kv.Update(s, putFormat)
	}
	return fresh, err
}

func putNumbers(m kv.Bucket, number, reader []byte) error {
	text := func(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }
	return errors.Join(
		m.Put(formatKey, []byte(format)),
		m.Put(numberKey, text(max(numbered(number), schemaNumber))),
		m.Put(readerKey, text(max(numbered(reader), leastReader))),
	)
}

// numbersNoted reports whether a file has numbers at least as high as those of this program.
func numbersNoted(m kv.Bucket) bool {
	return string(m.Get(formatKey)) == format && numbered(m.Get(numberKey)) >= schemaNumber && numbered(m.Get(readerKey)) >= leastReader
}
