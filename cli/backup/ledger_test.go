package backup

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"alcove/blobs"
)

// A ledger says what was noted; one in which any byte was changed says nothing.
func TestLedger(t *testing.T) {
	dir := t.TempDir()
	d, err := openDest(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	var refs []blobs.Ref
	for n := range byte(20) {
		refs = append(refs, blobs.Ref(sha256.Sum256([]byte{n})))
	}
	slices.SortFunc(refs, func(a, b blobs.Ref) int { return bytes.Compare(a[:], b[:]) })
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	write := func(carry bool, state string, which ...int) {
		t.Helper()
		l, err := d.openLedger(true, carry)
		if err != nil {
			t.Fatal(err)
		}
		defer l.close()
		for _, n := range which {
			l.look(refs[n])
			l.note(refs[n], at, state)
		}
		if err := l.finish(); err != nil {
			t.Fatal(err)
		}
	}
	states := func() (text string) {
		l, err := d.openLedger(false, false)
		if err != nil {
			t.Fatal(err)
		}
		defer l.close()
		for _, ref := range refs {
			n := l.look(ref)
			if n.ref != ref || n.state != "" && !n.at.Equal(at) {
				t.Errorf("%+v", n)
			}
			text += n.state[:min(1, len(n.state))] + "."
		}
		return text
	}
	write(false, wasCopied, 0, 3, 4, 19)
	write(true, wasRead, 1, 3, 10)
	if got := states(); got != "c.r..r.c......r.........c." {
		t.Errorf("carried: %s", got)
	}
	write(false, wasDamaged, 4)
	if got := states(); got != "....d................" {
		t.Errorf("again: %s", got)
	}
	name := filepath.Join(dir, ledgerName)
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		bad := bytes.Clone(good)
		bad[n] ^= 4
		if err := os.WriteFile(name, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := states(); got != "...................." {
			t.Fatalf("with byte %d changed: %s", n, got)
		}
	}
	for n := range good {
		if err := os.WriteFile(name, good[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if got := states(); got != "...................." {
			t.Fatalf("cut off at %d: %s", n, got)
		}
	}
}

// Files read together are due again over the second half of the time, and nothing later.
func TestDueAgain(t *testing.T) {
	now := time.Now()
	n := func(first byte, state string, ago time.Duration) noted {
		return noted{blobs.Ref{first}, now.Add(-ago), state}
	}
	month := 30 * 24 * time.Hour
	for _, c := range []struct {
		noted noted
		due   bool
	}{
		{n(0, wasRead, month-time.Hour), false}, {n(0, wasRead, month), true}, {n(255, wasRead, month/2-time.Hour), false},
		{n(255, wasRead, month/2+24*time.Hour), true}, {n(128, wasCopied, month/2+24*time.Hour), false}, {n(0, wasDamaged, 0), true},
		{n(0, "", 0), true}, {n(0, wasRead, -time.Hour), true},
	} {
		if got := c.noted.due(now, month); got != c.due {
			t.Errorf("%+v is due: %v", c.noted, got)
		}
		if !c.noted.due(now, 0) {
			t.Errorf("%+v is not due though all is", c.noted)
		}
	}
}
