package main

import (
	"time"
)

// scheduleSlack is how much longer than planned an open load may send: SCHEDULE_SLACK_MS of src/generators/timing.ts says why.
const scheduleSlack = 50 * time.Millisecond

// pacer says when each request of a load is due, counted from an instant that all loads of a block share. It is a vegeta.Pacer.
// The due times are those of vegeta's and ghz's own pacers: request n, from 0, at n+1 intervals.
type pacer struct {
	start    time.Time
	length   time.Duration
	interval time.Duration // 0 in a closed loop.
}

func newPacer(l load, start time.Time) pacer {
	if l.Kind == "saturate" {
		return pacer{start: start, length: duration(l.Seconds)}
	}
	interval := time.Second / time.Duration(l.RatePerSecond)
	return pacer{start: start, length: duration(l.Seconds) + scheduleSlack, interval: interval}
}

// Pace gives the wait before the next request, or that there is none. The time that vegeta hands over is left unread: it counts
// from another instant.
func (p pacer) Pace(_ time.Duration, hits uint64) (wait time.Duration, stop bool) {
	elapsed := time.Since(p.start)
	due := time.Duration(hits+1) * p.interval
	if elapsed > p.length || due > p.length {
		return 0, true
	}
	return max(due-elapsed, 0), false
}

// Rate is what vegeta's interface asks for besides; nothing reads it during an attack.
func (p pacer) Rate(time.Duration) float64 {
	if p.interval == 0 {
		return 0
	}
	return float64(time.Second) / float64(p.interval)
}
