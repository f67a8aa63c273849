package main

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/health/grpc_health_v1"
)

// userLoads returns a load of users over each protocol, against services that answer after a time, and the requests that
// those got.
func userLoads(t *testing.T, pause time.Duration, change func(l *load)) map[string]struct {
	load     blockLoad
	received *received
} {
	t.Helper()
	overHTTP, overGRPC := &received{}, &received{}
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		overHTTP.note(strings.TrimPrefix(r.URL.Path, "/"), r.RemoteAddr)
		time.Sleep(pause)
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	grpcAddress, _ := serveHealth(t, slowHealth{healthServer{noted: overGRPC}, pause})
	first := httpLoad(t, serveWith(t, slow, nil), "GET /a", "GET /broken", "GET /c")
	second := grpcLoad(t, grpcAddress, "a", "broken", "c")
	for _, b := range []*blockLoad{&first, &second} {
		b.Load.Kind, b.Load.RatePerSecond = "users", 0
		change(&b.Load)
	}
	return map[string]struct {
		load     blockLoad
		received *received
	}{"vegeta": {first, overHTTP}, "ghz": {second, overGRPC}}
}

// slowHealth answers after a time.
type slowHealth struct {
	healthServer
	pause time.Duration
}

func (s slowHealth) Check(ctx context.Context, r *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	time.Sleep(s.pause)
	return s.healthServer.Check(ctx, r)
}

// sorted returns the records in order of their start.
func sorted(t *testing.T, b blockLoad) []record {
	t.Helper()
	return slices.SortedFunc(slices.Values(recordsOf(t, b)), func(a, b record) int { return a.start.Compare(b.start) })
}

func TestUsersSendAllTheirRequestsInTurnAndNoMore(t *testing.T) {
	loads := userLoads(t, 0, func(l *load) { l.Workers, l.RequestsPerUser, l.Seconds = 7, 30, 20 })
	for tool, test := range loads {
		t.Run(tool, func(t *testing.T) {
			s := newStage()
			for block := 1; block <= 2; block++ {
				runLoads(t, s, test.load)
				failed := 0
				for _, r := range recordsOf(t, test.load) {
					if r.failure != "" {
						failed++
					}
				}
				if records := len(recordsOf(t, test.load)); records != 210 || failed != 70 {
					t.Errorf("%d records and %d failures, and 7 users send 30 requests each, of which every third fails", records, failed)
				}
				calls := test.received.all()
				for _, call := range []string{"a", "broken", "c"} {
					if times := count(calls, call); times != block*70 {
						t.Errorf("%s was called %d times in %d blocks", call, times, block)
					}
				}
			}
		})
	}
}

func count(calls []string, wanted string) int {
	found := 0
	for _, call := range calls {
		if call == wanted {
			found++
		}
	}
	return found
}

func TestUsersBeginOneAfterTheOtherOverTheRamp(t *testing.T) {
	loads := userLoads(t, 0, func(l *load) { l.Workers, l.RequestsPerUser, l.RampSeconds, l.Seconds = 5, 1, 0.25, 20 })
	for tool, test := range loads {
		t.Run(tool, func(t *testing.T) {
			answer := runLoads(t, newStage(), test.load)
			records := sorted(t, test.load)
			if len(records) != 5 {
				t.Fatalf("%d records of 5 users", len(records))
			}
			for i, r := range records {
				due := time.Unix(0, answer.StartedNs).Add(time.Duration(i) * 50 * time.Millisecond)
				// Not early, within the clocks' resolution.
				if r.start.Before(due.Add(-time.Millisecond)) {
					t.Errorf("user %d began %v early", i, due.Sub(r.start))
				}
			}
		})
	}
}

func TestUsersWaitForEachAnswerBeforeTheySendOn(t *testing.T) {
	loads := userLoads(t, 5*time.Millisecond, func(l *load) { l.Workers, l.RequestsPerUser, l.Seconds = 3, 10, 20 })
	for tool, test := range loads {
		t.Run(tool, func(t *testing.T) {
			runLoads(t, newStage(), test.load)
			records := sorted(t, test.load)
			for i, r := range records {
				underWay := 0
				for _, earlier := range records[:i] {
					if earlier.start.Add(earlier.latency).After(r.start) {
						underWay++
					}
				}
				if underWay >= 3 {
					t.Fatalf("%d requests of 3 users were under way", underWay+1)
				}
			}
		})
	}
}

func TestTheTimeLimitEndsUsersWhoseAnswersAreWaitedFor(t *testing.T) {
	const pause, limit = 80 * time.Millisecond, 200 * time.Millisecond
	loads := userLoads(t, pause, func(l *load) {
		l.Workers, l.RampSeconds, l.Seconds, l.Target.Requests = 4, 0.4, limit.Seconds(), l.Target.Requests[:1]
	})
	for tool, test := range loads {
		t.Run(tool, func(t *testing.T) {
			answer := runLoads(t, newStage(), test.load)
			until := time.Unix(0, answer.StartedNs).Add(limit)
			records := sorted(t, test.load)
			// The fourth user's turn would come after 300 ms, and the first has time for three requests.
			if len(records) > 6 || len(records) < 2 {
				t.Errorf("%d records", len(records))
			}
			for _, r := range records {
				if r.failure != "" || r.latency < pause {
					t.Errorf("an answer was not waited for: %+v", r)
				}
				// A request that began in time may leave a moment later, but none waits for an answer beyond the limit.
				if late := r.start.Sub(until); late > pause/2 {
					t.Errorf("a request was sent %v after the limit", late)
				}
			}
		})
	}
}

func TestUsersWithoutANumberOfRequestsSendUntilTheLimit(t *testing.T) {
	loads := userLoads(t, 0, func(l *load) { l.Workers, l.Seconds = 2, 0.2 })
	for tool, test := range loads {
		t.Run(tool, func(t *testing.T) {
			answer := runLoads(t, newStage(), test.load)
			records := sorted(t, test.load)
			if len(records) < 20 || len(records) != len(test.received.all()) {
				t.Fatalf("%d records of %d calls", len(records), len(test.received.all()))
			}
			if last := records[len(records)-1].start; last.Before(time.Unix(0, answer.StartedNs).Add(100 * time.Millisecond)) {
				t.Errorf("the last of %d requests was sent %v after the start", len(records), last.Sub(time.Unix(0, answer.StartedNs)))
			}
		})
	}
}

func TestUsersOfAServiceThatIsGoneRecordTheirFailures(t *testing.T) {
	loads := userLoads(t, 0, func(l *load) { l.Workers, l.RequestsPerUser, l.Seconds = 5, 4, 20 })
	for tool, test := range loads {
		t.Run(tool, func(t *testing.T) {
			test.load.Load.Target.Address = closedAddress(t)
			runLoads(t, newStage(), test.load)
			records := recordsOf(t, test.load)
			if len(records) != 20 {
				t.Errorf("%d records of 20 requests", len(records))
			}
			for _, r := range records {
				if !strings.Contains(r.failure, "connection refused") {
					t.Fatalf("%q", r.failure)
				}
			}
		})
	}
}
