package uploads

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestATebibyteDeclaredTakesNoSpace(t *testing.T) {
	d := newDesk(t)
	layout := NewLayout(1 << 40)
	if err := d.put(t.Context(), layout, layout.Count(), endlessOf(6<<20)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(d.path())
	if err != nil || info.Size() != 1<<40 {
		t.Fatal(info.Size(), err)
	}
	if sys := info.Sys().(*syscall.Stat_t); sys.Blocks*512 > 7<<20 {
		t.Errorf("%d bytes are taken on disk", sys.Blocks*512)
	}
}

func TestFullDiskIsTold(t *testing.T) {
	// /dev/full takes no byte; it stands in for the staged file of a full disk.
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	_, err = full.WriteAt([]byte("x"), 0)
	if err = bare(err); !IsNoSpace(err) || strings.Contains(err.Error(), "/dev") {
		t.Error(err)
	}
}
