//go:build unix

package child

import "syscall"

// ownGroup lets a command and what it starts be killed together.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process group; one that has ended is none.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
