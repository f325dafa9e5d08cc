package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// apartMark tells the program that it runs apart already.
const apartMark = "TORTURE_APART"

// apart runs a mode that mounts something in name spaces of its own: whatever becomes of this
// program, the kernel ends its servers and takes its mounts and loop devices away. A signal to
// end this process is passed to the one that does the work.
func apart(mode string) (done bool, err error) {
	if !mounts[mode] {
		return false, nil
	}
	if os.Getenv(apartMark) != "" {
		err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount("proc", "/proc", "proc", 0, ""))
		return err != nil, err
	}
	if os.Getuid() != 0 {
		return true, fmt.Errorf("the mode %s mounts file systems: it must be run as root", mode)
	}
	asked := make(chan os.Signal, 4)
	signal.Notify(asked, unix.SIGINT, unix.SIGTERM)
	self, err := os.Executable()
	if err != nil {
		return true, fmt.Errorf("cannot find this program: %w", err)
	}
	cmd := exec.Command(self, append([]string{mode}, os.Args[1:]...)...)
	cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdout, os.Stderr, append(os.Environ(), apartMark+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID, Pdeathsig: unix.SIGKILL}
	runtime.LockOSThread() // with the thread that starts it, it would be ended
	if err := cmd.Start(); err != nil {
		return true, fmt.Errorf("cannot run apart from other mounts: %w", err)
	}
	go func() { // ends with the process
		for s := range asked {
			_ = cmd.Process.Signal(s) // an error means that it has ended
		}
	}()
	if err := cmd.Wait(); err != nil {
		os.Exit(1) // it has told why
	}
	return true, nil
}

// disk is a file system in a file, mounted through a loop device.
type disk struct {
	image, mnt string
	system     string // ext4 or xfs
	options    string // of mount, may be empty
	size       int64  // of the image in bytes; what was never written takes no room
	mounted    bool
}

// tool runs a program that is quiet unless it fails.
func tool(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w: %s", name, args, err, out)
	}
	return nil
}

// make makes the file system again and mounts it.
func (d *disk) make() error {
	if err := d.unmount(); err != nil {
		return err
	}
	if err := os.MkdirAll(d.mnt, 0o700); err != nil {
		return fmt.Errorf("cannot make the mount point: %w", err)
	}
	if err := os.RemoveAll(d.image); err != nil {
		return fmt.Errorf("cannot remove the last file system: %w", err)
	}
	f, err := os.Create(d.image)
	if err != nil {
		return fmt.Errorf("cannot make the file system: %w", err)
	}
	err = errors.Join(f.Truncate(d.size), f.Close())
	if err != nil {
		return fmt.Errorf("cannot make the file system: %w", err)
	}
	if err := tool("mkfs."+d.system, "-q", d.image); err != nil {
		return err
	}
	return d.mount()
}

func (d *disk) mount() error {
	options := "loop"
	if d.options != "" {
		options += "," + d.options
	}
	if err := tool("mount", "-t", d.system, "-o", options, d.image, d.mnt); err != nil {
		return err
	}
	d.mounted = true
	return nil
}

// unmount takes the file system away. The kernel may need a moment after its last user
// has ended.
func (d *disk) unmount() error {
	if !d.mounted {
		return nil
	}
	var err error
	for range 250 {
		if err = unix.Unmount(d.mnt, 0); !errors.Is(err, unix.EBUSY) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("cannot unmount %s: %w", d.mnt, err)
	}
	d.mounted = false
	return nil
}

// The ioctl that shuts a file system down (ext4 and xfs), and the way to do it that
// writes nothing more, the journal neither: what a power cut leaves.
const (
	shutdownRequest = 0x8004587d // _IOR('X', 125, __u32)
	shutdownNoFlush = 2
)

// cut cuts the power: from now on nothing reaches the file system, and everything that
// asks it for something is told of an error.
func (d *disk) cut() error {
	dir, err := os.Open(d.mnt)
	if err != nil {
		return fmt.Errorf("cannot cut the power: %w", err)
	}
	defer dir.Close()
	if err := unix.IoctlSetPointerInt(int(dir.Fd()), shutdownRequest, shutdownNoFlush); err != nil {
		return fmt.Errorf("cannot cut the power: %w", err)
	}
	return nil
}

// disk is the file system of the flags, which is not made yet.
func (b *bench) disk() *disk {
	return &disk{image: filepath.Join(b.dir, "image"), mnt: filepath.Join(b.dir, "mnt"), system: b.system, options: b.options, size: 4 << 30}
}

// runPower cuts the power under load (security.md K02).
func runPower(ctx context.Context, b *bench) error { return b.power(ctx, nil) }

// runLies cuts the power of a server whose fsync and fdatasync do nothing and say that they have:
// the oracle must see what was lost, or it proves nothing (security.md K24).
func runLies(ctx context.Context, b *bench) error {
	return b.power(ctx, []string{"strace", "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null",
		"-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:retval=0"})
}

func (b *bench) power(ctx context.Context, wrap []string) (err error) {
	d := b.disk()
	var st *store
	defer func() {
		b.leave(st)
		err = errors.Join(err, d.unmount())
	}()
	for n := 0; n < b.cycles && ctx.Err() == nil; n++ {
		if n%b.renew == 0 {
			b.leave(st)
			if st, err = b.freshDisk(ctx, d); err != nil {
				return err
			}
			st.srv.Wrap = wrap
			if err := st.srv.Start(ctx); err != nil {
				return err
			}
		}
		err := st.under(ctx, b.span(st.r), func() error {
			st.o.broken.Store(true)
			err := d.cut()
			time.Sleep(time.Duration(st.r.IntN(30)) * time.Millisecond)
			st.srv.Kill()
			return err
		})
		if err != nil {
			return err
		}
		if err := d.remount(); err != nil {
			return err
		}
		if _, err := st.breakStarts(func() error { return d.lose(st.srv) }); err != nil {
			return err
		}
		if err := b.again(ctx, st); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// freshDisk makes a store on a new file system. The very first start of the server loses
// its power, and is to leave nothing behind that is in the way.
func (b *bench) freshDisk(ctx context.Context, d *disk) (*store, error) {
	if err := d.make(); err != nil {
		return nil, err
	}
	data := filepath.Join(d.mnt, "data")
	first, err := newServer(b.bin, data, filepath.Join(b.dir, "server.log"))
	if err != nil {
		return nil, err
	}
	if err := first.Launch(); err != nil {
		return nil, err
	}
	time.Sleep(time.Duration(rand.New(rand.NewPCG(b.seed, uint64(b.total.Cycles))).IntN(100)) * time.Millisecond)
	if err := d.lose(first); err != nil {
		return nil, err
	}
	st, err := b.fresh(ctx, data)
	if err != nil {
		return nil, fmt.Errorf("after a power cut in the very first start: %w", err)
	}
	return st, nil
}

// lose cuts the power of a server, and mounts what is left.
func (d *disk) lose(s *server) error {
	err := d.cut()
	s.Kill()
	return errors.Join(err, d.remount())
}

func (d *disk) remount() error {
	if err := d.unmount(); err != nil {
		return err
	}
	return d.mount()
}
