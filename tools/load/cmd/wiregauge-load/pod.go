package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// podAnswer has the resource use of the programs of a pod, and the kernel's texts about its network and its machine;
// src/runtime/kubernetes/reading.ts reads them.
type podAnswer struct {
	AtNs int64 `json:"atNs"`
	// CPUNs is the CPU time of all programs except this one, including ended children.
	CPUNs int64 `json:"cpuNs"`
	// MemoryKiB and PeakKiB are the sums of the programs' current and peak resident memory.
	MemoryKiB int64 `json:"memoryKiB"`
	PeakKiB   int64 `json:"peakKiB"`
	Cores     int   `json:"cores"`
	// Files are texts by path below /proc.
	Files map[string]string `json:"files"`
}

// podFiles are the kernel's texts about the network of the pod and its machine. A number limits the lines that are sent.
var podFiles = map[string]int{
	"stat": 1, "pressure/cpu": 1, "net/dev": 0, "net/netstat": 0, "net/sockstat": 0, "net/tcp": 0, "net/tcp6": 0, "cpuinfo": 30, "meminfo": 1,
	"sys/kernel/osrelease": 1, "self/cgroup": 1,
}

// tick is in nanoseconds: USER_HZ is 100 wherever Linux runs on x64 and arm64.
const tick = int64(time.Second / 100)

// watchPod answers each line with the resource use of the programs of the pod, whose process namespace it shares.
func watchPod(in io.Reader, out io.Writer) error {
	answers := json.NewEncoder(out)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if err := answers.Encode(readPod("/proc")); err != nil {
			return err
		}
	}
	return lines.Err()
}

func readPod(proc string) podAnswer {
	answer := podAnswer{AtNs: time.Now().UnixNano(), Cores: runtime.NumCPU(), Files: map[string]string{}}
	pids, _ := fs.Glob(os.DirFS(proc), "[0-9]*")
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		name, reaped := processTimes(textOf(proc, text, "stat"))
		if err != nil || name == "" || name == driverName {
			continue
		}
		// The first process of the pod only waits, including for programs whose own parents have ended.
		if pid == 1 {
			answer.CPUNs += reaped * tick
			continue
		}
		if used := cpuTime(processClock(pid)); used > 0 {
			answer.CPUNs += used + reaped*tick
		}
		status := textOf(proc, text, "status")
		answer.MemoryKiB += kibibytes(status, "VmRSS:")
		answer.PeakKiB += kibibytes(status, "VmHWM:")
	}
	for path, lines := range podFiles {
		text := textOf(proc, path)
		if lines > 0 {
			text = strings.Join(strings.SplitN(text, "\n", lines+1)[:min(lines, strings.Count(text, "\n")+1)], "\n")
		}
		answer.Files[path] = text
	}
	return answer
}

// driverName is the kernel's name for this program.
const driverName = "wiregauge-load"

// processTimes reads the name of a process and the ticks of its ended children from /proc/<pid>/stat (proc_pid_stat(5)).
func processTimes(stat string) (name string, reaped int64) {
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return "", 0
	}
	columns := strings.Fields(stat[end+1:])
	if len(columns) < 15 {
		return "", 0
	}
	user, _ := strconv.ParseInt(columns[13], 10, 64)
	system, _ := strconv.ParseInt(columns[14], 10, 64)
	return stat[open+1 : end], user + system
}

func kibibytes(status, name string) (kib int64) {
	if _, after, found := strings.Cut(status, "\n"+name); found {
		_, _ = fmt.Sscan(after, &kib)
	}
	return kib
}

func textOf(path ...string) string {
	text, _ := os.ReadFile(filepath.Join(path...))
	return string(text)
}
