package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm wakes its one waiter at an instant, within some tens of microseconds. time.Sleep does not in an otherwise idle program: the
// runtime then waits in whole milliseconds, so that requests left up to 1 ms late, with services that answer in 1 to 3 ms.
type alarm struct {
	timer *os.File
	raw   int
	rings [8]byte
}

// newAlarm creates a kernel timer that the runtime waits for like a socket.
func newAlarm() (*alarm, error) {
	raw, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("the timer that paces requests cannot be created: %w", err)
	}
	return &alarm{timer: os.NewFile(uintptr(raw), "timer"), raw: raw}, nil
}

// wait returns after a time; immediately if it is not positive.
func (a *alarm) wait(length time.Duration) error {
	if length <= 0 {
		return nil
	}
	if err := a.set(length); err != nil {
		return err
	}
	return a.rung()
}

// set makes the alarm ring after a time, replacing an earlier setting; as soon as possible if no time is left.
func (a *alarm) set(length time.Duration) error {
	// The kernel takes 0 as a disabled alarm.
	once := unix.ItimerSpec{Value: unix.NsecToTimespec(max(length, 1).Nanoseconds())}
	if err := unix.TimerfdSettime(a.raw, 0, &once, nil); err != nil {
		return fmt.Errorf("the timer that paces requests cannot be set: %w", err)
	}
	return nil
}

// rung returns when the alarm rings.
func (a *alarm) rung() error {
	_, err := a.timer.Read(a.rings[:])
	return err
}

func (a *alarm) close() { _ = a.timer.Close() }

// punctual is a pacer that waits itself. It is a vegeta.Pacer whose waits are over when it returns.
type punctual struct {
	pacer
	alarm  *alarm
	failed error
}

// byAlarm makes a pacer wait by its own alarm until it is closed.
func byAlarm(p pacer) (*punctual, error) {
	alarm, err := newAlarm()
	if err != nil {
		return nil, err
	}
	return &punctual{pacer: p, alarm: alarm}, nil
}

// Pace waits until the next request is due; stop is true after the last one. A failed timer ends the load, and its error stays in failed.
func (p *punctual) Pace(elapsed time.Duration, hits uint64) (wait time.Duration, stop bool) {
	wait, stop = p.pacer.Pace(elapsed, hits)
	if !stop {
		p.failed = p.alarm.wait(wait)
	}
	return 0, stop || p.failed != nil
}

func (p *punctual) close() { p.alarm.close() }
