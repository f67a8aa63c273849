package main

import "golang.org/x/sys/unix"

// cpuTimes reads CPU time in nanoseconds, including all ended threads. /proc only has it in ticks of 10 ms, or by thread without ended ones.
func cpuTimes(r request) cpuAnswer {
	answer := cpuAnswer{ID: r.ID, CPUNs: make([]int64, len(r.Pids)), OwnNs: cpuTime(unix.CLOCK_PROCESS_CPUTIME_ID), AtNs: cpuTime(unix.CLOCK_REALTIME)}
	for i, pid := range r.Pids {
		answer.CPUNs[i] = cpuTime(processClock(pid))
	}
	return answer
}

// processClock is the CPU clock of a process, with the number defined by clock_getcpuclockid(3).
func processClock(pid int) int32 {
	const schedulerClock = 2
	return int32(^pid)<<3 | schedulerClock
}

func cpuTime(clock int32) int64 {
	var now unix.Timespec
	if unix.ClockGettime(clock, &now) != nil {
		return -1
	}
	return now.Nano()
}
