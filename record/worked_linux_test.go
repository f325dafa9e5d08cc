package record

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// worked is the processor time that a call takes, which does not depend on what else wants the machine.
func worked(call func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
			panic(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	call()
	return used() - before
}
