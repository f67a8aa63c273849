package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm wakes its one waiter at an instant, to some tens of microseconds. time.Sleep is no such thing in a program that is otherwise
// idle: the runtime then waits in whole milliseconds, so that requests left up to 1 ms late, with services that answer in 1 to 3 ms.
type alarm struct {
	timer *os.File
	raw   int
	rings [8]byte
}

// newAlarm takes a timer of the kernel that the runtime waits for as it waits for a socket.
func newAlarm() (*alarm, error) {
	raw, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("the kernel gives no timer to pace requests by: %w", err)
	}
	return &alarm{timer: os.NewFile(uintptr(raw), "timer"), raw: raw}, nil
}

// wait returns after a time, at once where there is none.
func (a *alarm) wait(length time.Duration) error {
	if length <= 0 {
		return nil
	}
	if err := a.set(length); err != nil {
		return err
	}
	return a.rung()
}

// set has the alarm ring after a time, and no more when it was to ring before; as soon as can be if there is no time left.
func (a *alarm) set(length time.Duration) error {
	// The kernel takes 0 as an alarm that is off.
	once := unix.ItimerSpec{Value: unix.NsecToTimespec(max(length, 1).Nanoseconds())}
	if err := unix.TimerfdSettime(a.raw, 0, &once, nil); err != nil {
		return fmt.Errorf("the timer that paces requests: %w", err)
	}
	return nil
}

// rung returns when the alarm rings.
func (a *alarm) rung() error {
	_, err := a.timer.Read(a.rings[:])
	return err
}

func (a *alarm) close() { _ = a.timer.Close() }

// punctual is a pacer that sees to the wait itself. It is a vegeta.Pacer whose waits are all over when it answers.
type punctual struct {
	pacer
	alarm  *alarm
	failed error
}

// byAlarm makes a pacer wait by an alarm of its own until it is closed.
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
