package dir

import (
	"alcove/blobs"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// Fill stores the bytes that the name says, or nothing.
func TestFill(t *testing.T) {
	s, dir, _ := stage(t)
	data := noise(700_000, 9)
	ref := sumsOf(data).SHA256
	var tapped []byte
	n, err := s.Fill(t.Context(), iotest.HalfReader(bytes.NewReader(data)), ref, func(p []byte) { tapped = append(tapped, p...) })
	if err != nil || n != int64(len(data)) || !bytes.Equal(tapped, data) {
		t.Fatal(n, err)
	}
	if !s.shards[ref[0]].filled {
		t.Error("Settle would not sync the directory")
	}
	if err := s.SyncNames(); err != nil || s.shards[ref[0]].filled {
		t.Error(err)
	}
	mustHold(t, s, data)

	// Again, over something else that has come to its place.
	if err := os.WriteFile(filepath.Join(dir, pathOf(ref)), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fill(t.Context(), bytes.NewReader(data), ref, nil); err != nil {
		t.Error(err)
	}
	mustHold(t, s, data)

	broken := errors.New("broken")
	ended, end := context.WithCancelCause(t.Context())
	end(broken)
	for name, try := range map[string]func() error{
		"other bytes": func() error {
			_, err := s.Fill(t.Context(), bytes.NewReader(data[1:]), sumsOf(data[:9]).SHA256, nil)
			return err
		},
		"broken": func() error {
			_, err := s.Fill(t.Context(), iotest.ErrReader(broken), sumsOf(data[:9]).SHA256, nil)
			return err
		},
		"ended": func() error {
			_, err := s.Fill(ended, bytes.NewReader(data[:9]), sumsOf(data[:9]).SHA256, nil)
			return err
		},
	} {
		err := try()
		if want := map[bool]error{true: blobs.ErrDamaged, false: broken}[name == "other bytes"]; !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Stat(sumsOf(data[:9]).SHA256); err == nil {
			t.Errorf("%s: it is there", name)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(dir, temp)); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
