package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// plantPause is the time between two readings of the program's CPU time: short, so that every request is slowed down rather than some; but each
// reading interrupts the program, whose caches are then cold: with 1 ms, 5% made a Python service take 9% more CPU time, with 4 ms 5.7%.
const plantPause = 4 * time.Millisecond

// longestPause is the time between two readings if plantPause alone would take up the share.
const longestPause = 32 * time.Millisecond

// plantSlice is the longest time for which the program gets no turn, for example after a long time in which the plant
// got none.
const plantSlice = 10 * time.Millisecond

// plantLook is the interval of the search for child processes of the program.
const plantLook = 500 * time.Millisecond

// plant runs a program and adds a cost of known size, in the same control group: a share of its CPU time ("5%"), a delay before its start
// ("200ms"), memory ("20MB"), or memory for each request ("leak=400B"). It returns the exit code of the program.
func plant(text string, command []string) (int, error) {
	size, unit, err := plantSize(text)
	if err != nil || len(command) == 0 {
		return 0, fmt.Errorf("plant takes a size, like 5%%, 200ms, 20MB or leak=400B, and a command")
	}
	switch unit {
	case "ms":
		return 0, startLater(time.Duration(size*float64(time.Millisecond)), command)
	case "MB":
		return holdMemory(int(size*1e6), command)
	case "B":
		return leakMemory(size, command)
	default:
		return takeShare(size/100, command)
	}
}

func plantSize(text string) (float64, string, error) {
	text, isLeak := strings.CutPrefix(text, "leak=")
	for _, unit := range []string{"%", "ms", "MB", "B"} {
		if digits, ok := strings.CutSuffix(text, unit); ok && isLeak == (unit == "B") {
			size, err := strconv.ParseFloat(digits, 64)
			if err != nil || !(size > 0) || math.IsInf(size, 0) {
				break
			}
			return size, unit, nil
		}
	}
	return 0, "", fmt.Errorf("%q is not a size", text)
}

// startLater becomes the program after a delay.
func startLater(delay time.Duration, command []string) error {
	time.Sleep(delay)
	program, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	return syscall.Exec(program, command, os.Environ())
}

// holdMemory runs a program as a child and keeps memory allocated until it ends. The memory of this process is part of the size.
func holdMemory(size int, command []string) (int, error) {
	held, err := unix.Mmap(-1, 0, max(size-residentBytes(), os.Getpagesize()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return 0, err
	}
	for place := 0; place < len(held); place += os.Getpagesize() {
		held[place] = 1
	}
	child, ended, err := startChild(command)
	if err != nil {
		return 0, err
	}
	forwardSignals(child)
	code := <-ended
	return code, unix.Munmap(held)
}

func residentBytes() int {
	text, _ := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}

// startChild returns a started program, and its exit code once it has ended.
func startChild(command []string) (*os.Process, <-chan int, error) {
	started, ended := make(chan startedChild, 1), make(chan int, 1)
	go func() {
		// The child ends with the thread that started it, which only waits for it.
		runtime.LockOSThread()
		child, err := startPlanted(command)
		started <- startedChild{child, err}
		if err == nil {
			ended <- reapUntil(child.Pid)
		}
	}()
	child := <-started
	return child.process, ended, child.err
}

// takeShare runs a program as a child and uses an additional share of its CPU time, on the same cores. The readings are part of
// the share.
func takeShare(share float64, command []string) (int, error) {
	child, ended, err := startChild(command)
	if err != nil {
		return 0, err
	}
	forwardSignals(child)
	tree, pause, before := newCPUTree(child.Pid), plantPause, ownCPU()
	for {
		time.Sleep(pause)
		select {
		case code := <-ended:
			return code, nil
		default:
		}
		if due := time.Duration(share*float64(tree.read())) - (ownCPU() - before); due <= 0 {
			pause = min(2*pause, longestPause)
		} else {
			pause = max(pause/2, plantPause)
			burnUntil(ownCPU() + min(due, plantSlice))
		}
	}
}

type startedChild struct {
	process *os.Process
	err     error
}

func startPlanted(command []string) (*os.Process, error) {
	program, err := exec.LookPath(command[0])
	if err != nil {
		return nil, err
	}
	return os.StartProcess(program, command, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
}

func forwardSignals(child *os.Process) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for one := range signals {
			_ = child.Signal(one)
		}
	}()
}

// reapUntil waits for the end of a child, and meanwhile reaps other ended processes, as the first process of a container
// must.
func reapUntil(pid int) int {
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 1
		case ended == pid && status.Signaled():
			return 128 + int(status.Signal())
		case ended == pid:
			return status.ExitStatus()
		}
	}
}

func ownCPU() time.Duration {
	return time.Duration(cpuTime(unix.CLOCK_PROCESS_CPUTIME_ID))
}

func burnUntil(target time.Duration) {
	var work uint64 = 1
	for ownCPU() < target {
		for range 500 {
			work = work*6364136223846793005 + 1
		}
	}
	runtime.KeepAlive(work)
}

// cpuTree has the CPU time of a process and its descendants. Ended ones keep their last known time.
type cpuTree struct {
	root   int
	seen   map[int]time.Duration
	looked time.Time
}

func newCPUTree(root int) *cpuTree {
	return &cpuTree{root: root, seen: map[int]time.Duration{root: 0}}
}

func (t *cpuTree) read() time.Duration {
	if time.Since(t.looked) >= plantLook {
		t.add(t.root)
		t.looked = time.Now()
	}
	var sum time.Duration
	for pid, before := range t.seen {
		// The clock of an ended process is gone, and its number may belong to another one.
		if now := time.Duration(cpuTime(processClock(pid))); now > before {
			t.seen[pid], before = now, now
		}
		sum += before
	}
	return sum
}

func (t *cpuTree) add(pid int) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for _, name := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(name); err == nil {
				if _, known := t.seen[child]; !known {
					t.seen[child] = 0
				}
				t.add(child)
			}
		}
	}
}
