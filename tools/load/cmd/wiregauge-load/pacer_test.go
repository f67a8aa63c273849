package main

import (
	"math"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

func TestDueTimesAreThoseOfVegeta(t *testing.T) {
	start := time.Now().Add(time.Hour)
	for _, rate := range []int{1, 3, 333, 5000} {
		pace := newPacer(load{Kind: "open", RatePerSecond: rate, Seconds: 10}, start)
		theirs := vegeta.Rate{Freq: rate, Per: time.Second}
		for hits := range uint64(9) {
			wanted, _ := theirs.Pace(0, hits)
			wait, stop := pace.Pace(0, hits)
			// Both relative to the start, which is an hour away.
			got := wait - time.Until(start)
			if stop || (got-wanted).Abs() > time.Minute {
				t.Errorf("at %d/s, request %d is due at %v, and for vegeta at %v", rate, hits, got, wanted)
			}
			if due := time.Duration(hits+1) * pace.interval; due != wanted {
				t.Errorf("at %d/s, request %d is due at %v, and for vegeta at %v", rate, hits, due, wanted)
			}
		}
	}
}

func TestJitterMovesEachRequestWithinItsInterval(t *testing.T) {
	seed := uint32(7)
	pace := newPacer(load{Kind: "open", RatePerSecond: 100, Seconds: 10, JitterSeed: &seed}, time.Now())
	last := time.Duration(-1)
	for hits := range uint64(1000) {
		due := pace.due(hits)
		if due < time.Duration(hits)*pace.interval || due >= time.Duration(hits+1)*pace.interval {
			t.Fatalf("request %d is due at %v", hits, due)
		}
		if due <= last {
			t.Fatalf("request %d is due before the one before it", hits)
		}
		last = due
	}
}

func TestSharesOfALoadAreItsWholeSchedule(t *testing.T) {
	seed := uint32(7)
	for _, jitter := range []*uint32{nil, &seed} {
		whole := load{Kind: "open", RatePerSecond: 333, Seconds: 10, JitterSeed: jitter}
		pace := newPacer(whole, time.Now())
		for of := 1; of <= 3; of++ {
			for hits := range uint64(30) {
				part := whole
				part.Share = &share{int(hits) % of, of}
				if due := newPacer(part, time.Now()).due(hits / uint64(of)); due != pace.due(hits) {
					t.Errorf("with %d shares, request %d is due at %v, not %v", of, hits, due, pace.due(hits))
				}
			}
		}
		part := whole
		part.Share = &share{2, 3}
		rows := []recordRow{{sent: 100}, {sent: 200}}
		due := dueTimes(part, rows)
		if wanted := float64(pace.due(5) - pace.due(2)); due(0) != 100 || math.Abs(due(1)-100-wanted) > 2 {
			t.Errorf("recorded as due at %v and %v, %v apart", due(0), due(1), wanted)
		}
	}
}

// The figures are those of src/foundation/random.ts; tests/unit/foundation/random.test.ts also has them.
func TestRandomNumbersAreThoseOfTheReader(t *testing.T) {
	for place, wanted := range []float64{0.011704753153026104, 0.06195825757458806, 0.97690763277933} {
		if got := randomAt(7, uint64(place)); got != wanted {
			t.Errorf("number %d of seed 7 is %v, not %v", place, got, wanted)
		}
	}
	if got := randomAt(4294967295, 100000); got != 0.981750502018258 {
		t.Errorf("a far place of a large seed gives %v", got)
	}
}

func TestAnOpenLoadEndsAfterItsSlack(t *testing.T) {
	pace := newPacer(load{Kind: "open", RatePerSecond: 100, Seconds: 0.5}, time.Now().Add(time.Hour))
	if _, stop := pace.Pace(0, 54); stop {
		t.Error("the last request that is due in the slack is not sent")
	}
	if _, stop := pace.Pace(0, 55); !stop {
		t.Error("a request is sent that is due after the slack")
	}
}

func TestNothingIsSentAfterTheEnd(t *testing.T) {
	for _, kind := range []string{"open", "saturate"} {
		pace := newPacer(load{Kind: kind, RatePerSecond: 1000, Seconds: 0.5}, time.Now().Add(-time.Second))
		if _, stop := pace.Pace(0, 3); !stop {
			t.Errorf("%s goes on for ever", kind)
		}
	}
}

func TestAClosedLoopWaitsForTheStartOnly(t *testing.T) {
	pace := newPacer(load{Kind: "saturate", Seconds: 7200}, time.Now().Add(time.Hour))
	if wait, stop := pace.Pace(0, 0); stop || wait < 59*time.Minute {
		t.Errorf("waits for %v", wait)
	}
	pace.start = time.Now()
	if wait, stop := pace.Pace(0, 1_000_000); stop || wait != 0 {
		t.Errorf("waits for %v within the loop", wait)
	}
}
