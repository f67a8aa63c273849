package main

import (
	"time"
)

// scheduleSlack is the additional time for which an open load may send. The last request is due exactly when the time is up, so a delay
// of a millisecond there would lose it. Requests in the slack are due outside of every measured window.
const scheduleSlack = 50 * time.Millisecond

// pacer schedules the requests of a load, from an instant that all loads of a block share. The due times are those of
// vegeta's and ghz's own pacers: request n, from 0, at n+1 intervals.
type pacer struct {
	start    time.Time
	length   time.Duration
	interval time.Duration // 0 in a closed loop.
	jitter   *uint32       // nil for an even schedule.
	share    *share        // nil for the whole schedule.
}

func newPacer(l load, start time.Time) pacer {
	if l.Kind == "saturate" {
		return pacer{start: start, length: duration(l.Seconds)}
	}
	interval := time.Second / time.Duration(l.RatePerSecond)
	return pacer{start: start, length: duration(l.Seconds) + scheduleSlack, interval: interval, jitter: l.JitterSeed, share: l.Share}
}

// Pace returns the wait before the next request; stop is true after the last one. It ignores the time that vegeta passes, which counts from
// another instant.
func (p pacer) Pace(_ time.Duration, hits uint64) (wait time.Duration, stop bool) {
	elapsed := time.Since(p.start)
	due := p.due(hits)
	if elapsed > p.length || due > p.length {
		return 0, true
	}
	return max(due-elapsed, 0), false
}

// due returns when a request is due, from the start. With jitter that is a random moment of the request's own interval, the same
// for the same seed.
func (p pacer) due(hits uint64) time.Duration {
	at := p.share.place(hits)
	if p.jitter == nil {
		return time.Duration(at+1) * p.interval
	}
	return time.Duration((float64(at) + randomAt(*p.jitter, at)) * float64(p.interval))
}

// randomAt is randomAt of src/foundation/random.ts: the number at an index of a seed's sequence, from 0 (inclusive) to 1 (exclusive).
func randomAt(seed uint32, place uint64) float64 {
	state := seed + uint32(place+1)*0x6d2b79f5
	mixed := (state ^ state>>15) * (state | 1)
	mixed ^= mixed + (mixed^mixed>>7)*(mixed|61)
	return float64(mixed^mixed>>14) / (1 << 32)
}

// Rate is part of vegeta's interface; nothing reads it during an attack.
func (p pacer) Rate(time.Duration) float64 {
	if p.interval == 0 {
		return 0
	}
	return float64(time.Second) / float64(p.interval)
}
