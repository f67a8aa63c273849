package main

import (
	"testing"
	"time"
)

func TestAnAlarmNeverRingsEarly(t *testing.T) {
	alarm, err := newAlarm()
	if err != nil {
		t.Fatal(err)
	}
	defer alarm.close()
	for _, length := range []time.Duration{time.Nanosecond, 300 * time.Microsecond, 3 * time.Millisecond} {
		began := time.Now()
		if err := alarm.wait(length); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(began); waited < length {
			t.Errorf("waited %v of %v", waited, length)
		}
	}
}

func TestAnAlarmThatIsDueAtOnceDoesNotWait(t *testing.T) {
	alarm := &alarm{}
	for _, length := range []time.Duration{0, -time.Hour} {
		if err := alarm.wait(length); err != nil {
			t.Error(err)
		}
	}
}

func TestAFailingTimerEndsTheLoadAndIsReported(t *testing.T) {
	pace, err := byAlarm(newPacer(load{Kind: "open", RatePerSecond: 10, Seconds: 1}, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	pace.close()
	if _, stop := pace.Pace(0, 0); !stop || pace.failed == nil {
		t.Errorf("goes on with a closed timer: stop %v, %v", stop, pace.failed)
	}
}

// BenchmarkLag prints how late a request leaves, by the alarm and by time.Sleep: go test -bench Lag.
func BenchmarkLag(b *testing.B) {
	alarm, err := newAlarm()
	if err != nil {
		b.Fatal(err)
	}
	defer alarm.close()
	waits := map[string]func(time.Duration){
		"alarm": func(length time.Duration) { _ = alarm.wait(length) },
		"sleep": time.Sleep,
	}
	for name, wait := range waits {
		b.Run(name, func(b *testing.B) {
			late := time.Duration(0)
			for i := range b.N {
				length := time.Millisecond + time.Duration(i%10)*300*time.Microsecond
				began := time.Now()
				wait(length)
				late += time.Since(began) - length
			}
			b.ReportMetric(float64(late.Microseconds())/float64(b.N), "us-late")
			b.ReportMetric(0, "ns/op")
		})
	}
}
