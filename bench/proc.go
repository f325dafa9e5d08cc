package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of times in /proc: Linux counts them in hundredths of a second for
// programs whatever its own clock is (proc_pid_stat(5), USER_HZ).
const tick = time.Second / 100

// cpuTime is the processor time that a process has taken, in its code and in the kernel.
func cpuTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("cannot tell the processor time: %w", err)
	}
	return parseStat(string(text))
}

// parseStat adds utime and stime, fields 14 and 15 of proc_pid_stat(5). The second field
// is the name in parentheses, and may hold spaces and parentheses itself.
func parseStat(text string) (time.Duration, error) {
	end := strings.LastIndexByte(text, ')')
	if end < 0 {
		return 0, errors.New("cannot read the state of a process: it has no name")
	}
	f := strings.Fields(text[end+1:])
	if len(f) < 13 {
		return 0, errors.New("cannot read the state of a process: it ends too early")
	}
	var sum time.Duration
	for _, s := range f[11:13] {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("cannot read the state of a process: %w", err)
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}

// rssAnon is the anonymous memory of a process in bytes.
func rssAnon(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, fmt.Errorf("cannot tell the memory: %w", err)
	}
	return parseKiB(string(text), "RssAnon")
}

// parseKiB is a value of proc_pid_status(5) or proc_meminfo(5), in bytes.
func parseKiB(text, name string) (int64, error) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == name+":" && f[2] == "kB" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("cannot read %s: %w", name, err)
			}
			return n << 10, nil
		}
	}
	return 0, fmt.Errorf("cannot find %s", name)
}

// machine describes the machine in a line.
func machine(goVersion string) string {
	read := func(path string) string { text, _ := os.ReadFile(path); return string(text) } // unknown stays empty
	cpu, cores := parseCPU(read("/proc/cpuinfo"))
	memory, _ := parseKiB(read("/proc/meminfo"), "MemTotal") // 0 when it is not known
	return fmt.Sprintf("%d cores of %s, %.0f GiB, Linux %s, %s", cores, cpu,
		float64(memory)/(1<<30), strings.TrimSpace(read("/proc/sys/kernel/osrelease")), goVersion)
}

// parseCPU is the model and the number of processors in proc_cpuinfo(5).
func parseCPU(text string) (model string, cores int) {
	model = "an unnamed processor"
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "processor":
			cores++
		case "model name":
			model = strings.TrimSpace(value)
		}
	}
	return model, cores
}

// load is how many processes wanted a processor in the last minute, on average.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	first, _, ok := strings.Cut(string(text), " ")
	if err != nil || !ok {
		return "unknown"
	}
	return first
}
