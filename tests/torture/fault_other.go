//go:build !linux

package main

import "context"

func runDiskFull(context.Context, *bench) error { return errLinux }
