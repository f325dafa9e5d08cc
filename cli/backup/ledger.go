package backup

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"alcove/blobs"
)

// The ledger says when the bytes of each blob of the backups were last compared with their digest,
// and what came of it. It is a text: a line with its form, a line "SHA-256 TIME STATE" for each blob,
// ascending, TIME in Unix seconds, and at its end "sum" and the SHA-256 of all before. One that cannot be
// read is as if there were none: then nothing counts as read.
const (
	ledgerName = "ledger.txt"
	ledgerNext = "ledger.next"
	ledgerForm = "alcove-ledger-1\n"
	ledgerSum  = "sum "
)

// The states of a blob in the ledger.
const (
	wasCopied  = "copied"  // compared while it was copied, and not read since
	wasRead    = "read"    // read, and right
	wasDamaged = "damaged" // read, and wrong; or it was not there
)

// noted is a line of the ledger.
type noted struct {
	ref   blobs.Ref
	at    time.Time
	state string
}

func (n noted) String() string {
	return n.ref.String() + " " + strconv.FormatInt(n.at.Unix(), 10) + " " + n.state + "\n"
}

func parseNoted(line string) (n noted, err error) {
	f := strings.Split(line, " ")
	if len(f) != 3 || !slices.Contains([]string{wasCopied, wasRead, wasDamaged}, f[2]) {
		return n, errors.New("cannot read the ledger: a line has another form")
	}
	if n.ref, err = blobs.ParseRef(f[0]); err != nil {
		return n, fmt.Errorf("cannot read the ledger: %w", err)
	}
	seconds, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return n, fmt.Errorf("cannot read the ledger: %.40q is no time", f[1])
	}
	n.at, n.state = time.Unix(seconds, 0).UTC(), f[2]
	return n, nil
}

// due reports whether a blob must be read again: it was never read, or longer ago than every. Those
// that were read together are not due together, but spread over the second half of that time.
func (n noted) due(now time.Time, every time.Duration) bool {
	if n.state == "" || n.state == wasDamaged || n.at.After(now.Add(time.Minute)) {
		return true
	}
	part := time.Duration(binary.BigEndian.Uint16(n.ref[:2])) * (every / 2 >> 16)
	return now.Sub(n.at) >= every-part
}

// ledger is the old ledger, read in order, and the next one, written in the same order.
type ledger struct {
	d     *dest
	old   *os.File
	lines *bufio.Scanner
	now   noted // the next line of the old one
	more  bool

	carry bool     // the next one keeps lines that are not noted
	next  *os.File // nil where none is written
	out   *bufio.Writer
	sha   hash.Hash
	err   error
}

// openLedger opens the ledger to look into it, and to write the next one where write is set.
func (d *dest) openLedger(write, carry bool) (*ledger, error) {
	l := &ledger{d: d, carry: carry}
	if f, err := d.wholeLedger(); err == nil {
		l.old, l.lines = f, bufio.NewScanner(f)
		l.lines.Scan() // its form
		l.advance()
	}
	if !write {
		return l, nil
	}
	var err error
	if l.next, err = d.root.OpenFile(ledgerNext, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
		l.close()
		return nil, fmt.Errorf("cannot write the ledger: %w", err)
	}
	l.sha = sha256.New()
	l.out = bufio.NewWriterSize(io.MultiWriter(l.next, l.sha), 64<<10)
	_, l.err = l.out.WriteString(ledgerForm)
	return l, nil
}

// wholeLedger opens the ledger, at its beginning, after all of it was compared with its sum.
func (d *dest) wholeLedger() (*os.File, error) {
	f, size, err := d.openFile(ledgerName)
	if err != nil {
		return nil, err
	}
	tail := int64(len(ledgerSum) + 64 + 1)
	sha, end := sha256.New(), make([]byte, max(tail, 0))
	if size < tail+int64(len(ledgerForm)) {
		err = errors.New("cannot read the ledger: it is cut off")
	}
	if err == nil {
		_, err = io.CopyN(sha, f, size-tail)
	}
	if err == nil {
		_, err = io.ReadFull(f, end)
	}
	if err == nil && string(end) != ledgerSum+hex.EncodeToString(sha.Sum(nil))+"\n" {
		err = errors.New("cannot read the ledger: its sum is wrong")
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// advance goes to the next line of the old ledger.
func (l *ledger) advance() {
	l.more = false
	if l.lines == nil || !l.lines.Scan() {
		return
	}
	n, err := parseNoted(l.lines.Text())
	l.now, l.more = n, err == nil // its end is no such line
}

// look is what the old ledger says of a blob, the zero noted but for ref where it says nothing. Blobs
// are looked up in ascending order.
func (l *ledger) look(ref blobs.Ref) noted {
	for l.more && slices.Compare(l.now.ref[:], ref[:]) < 0 {
		if l.carry {
			l.write(l.now)
		}
		l.advance()
	}
	if l.more && l.now.ref == ref {
		n := l.now
		l.advance()
		return n
	}
	return noted{ref: ref}
}

// note writes what the next ledger says of a blob that was looked up last.
func (l *ledger) note(ref blobs.Ref, at time.Time, state string) { l.write(noted{ref, at, state}) }

func (l *ledger) write(n noted) {
	if l.next != nil && l.err == nil {
		_, l.err = l.out.WriteString(n.String())
	}
}

// finish puts the next ledger in the place of the old one, durably.
func (l *ledger) finish() error {
	for l.carry && l.more {
		l.write(l.now)
		l.advance()
	}
	if l.err == nil {
		l.err = l.out.Flush()
	}
	if l.err == nil {
		_, l.err = io.WriteString(l.next, ledgerSum+hex.EncodeToString(l.sha.Sum(nil))+"\n")
	}
	if l.err == nil {
		l.err = l.next.Sync()
	}
	if l.err == nil {
		l.err = l.d.root.Rename(ledgerNext, ledgerName)
	}
	if l.err == nil {
		l.err = syncDir(l.d.root, ".")
	}
	if l.err != nil {
		return fmt.Errorf("cannot write the ledger: %w", l.err)
	}
	return nil
}

// close closes it. An unfinished line is gone.
func (l *ledger) close() {
	if l.old != nil {
		l.old.Close()
	}
	if l.next != nil {
		l.next.Close()
		_ = l.d.root.Remove(ledgerNext) // unless it has its name
	}
}
