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

// plantPause is the time between two looks at the CPU time of the program: short, so that each request is slowed down, and not some of them.
const plantPause = time.Millisecond

// longestPause is the same if the looks alone take the share.
const longestPause = 16 * time.Millisecond

// plantSlice is the longest time for which the program gets no turn, as after a long time in which the plant got none.
const plantSlice = 10 * time.Millisecond

// plantLook is how often programs that the program started are looked for.
const plantLook = 500 * time.Millisecond

// plant runs a program as a child and takes a share of its CPU time more, on the same cores and in the same control group. The looks are
// part of the share. It gives the exit code of the program.
func plant(text string, command []string) (int, error) {
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || share <= 0 || math.IsInf(share, 0) || len(command) == 0 {
		return 0, fmt.Errorf("plant takes a share, like 0.05, and a command")
	}
	started, ended := make(chan startedChild, 1), make(chan int, 1)
	go func() {
		// The child ends with the thread that started it, which waits for nothing else.
		runtime.LockOSThread()
		child, err := startPlanted(command)
		started <- startedChild{child, err}
		if err == nil {
			ended <- reapUntil(child.Pid)
		}
	}()
	child := <-started
	if child.err != nil {
		return 0, child.err
	}
	forwardSignals(child.process)
	tree, pause, before := newCPUTree(child.process.Pid), plantPause, ownCPU()
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

// reapUntil waits for the end of a child, and meanwhile for whatever else ends, as the first process of a container has to.
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

// cpuTree is the CPU time of a process and of whatever it started. What has ended keeps the time that was last seen of it.
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
		// The clock of a process that has ended is gone, and its number may be that of another one.
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
