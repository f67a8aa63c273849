package main

import (
	"context"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/health/grpc_health_v1"
)

// lopsided answers everything except "slow" at once, so that separate loads would have unintended shares of the answers.
type lopsided struct {
	healthServer
	pause time.Duration
}

func (l lopsided) Check(ctx context.Context, r *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	if r.Service == "slow" {
		time.Sleep(l.pause)
	}
	return l.healthServer.Check(ctx, r)
}

// loops returns a closed loop over each protocol, of a slow load and two fast ones with the weights 1, 2 and 1.
func loops(t *testing.T, pause time.Duration, change func(l *load)) map[string][]blockLoad {
	t.Helper()
	address, _ := serveHealth(t, lopsided{healthServer{noted: &received{}}, pause})
	slow := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			time.Sleep(pause)
		}
	})
	web := serveWith(t, slow, nil)
	all := map[string][]blockLoad{
		"vegeta": {httpLoad(t, web, "GET /slow"), httpLoad(t, web, "GET /a"), httpLoad(t, web, "GET /b")},
		"ghz":    {grpcLoad(t, address, "slow"), grpcLoad(t, address, "a"), grpcLoad(t, address, "b")},
	}
	for _, loads := range all {
		for i := range loads {
			l := &loads[i].Load
			l.Kind, l.RatePerSecond, l.Workers, l.Weight, l.Seconds = "saturate", 0, 2, []float64{0.25, 0.5, 0.25}[i], 0.3
			change(l)
		}
	}
	return all
}

func TestAClosedLoopSendsEachLoadItsShareHoweverSlowItIs(t *testing.T) {
	for _, kind := range []string{"saturate", "users"} {
		for tool, loads := range loops(t, 4*time.Millisecond, func(l *load) { l.Kind = kind }) {
			t.Run(kind+" "+tool, func(t *testing.T) {
				s := newStage()
				for range 2 {
					runLoads(t, s, loads...)
					slow, a, b := len(recordsOf(t, loads[0])), len(recordsOf(t, loads[1])), len(recordsOf(t, loads[2]))
					if slow < 10 || math.Abs(float64(a-2*slow)) > 2 || math.Abs(float64(b-slow)) > 1 {
						t.Errorf("%d, %d and %d requests, and their weights are 1, 2 and 1", slow, a, b)
					}
				}
			})
		}
	}
}

func TestALoadWithoutAWeightHasItsOwnWorkers(t *testing.T) {
	for tool, loads := range loops(t, 20*time.Millisecond, func(l *load) { l.Weight = 0 }) {
		t.Run(tool, func(t *testing.T) {
			runLoads(t, newStage(), loads...)
			if slow, a := len(recordsOf(t, loads[0])), len(recordsOf(t, loads[1])); slow < 10 || a < 3*slow {
				t.Errorf("%d slow requests and %d others", slow, a)
			}
		})
	}
}

func TestUsersOfALoopSendAllTheirRequests(t *testing.T) {
	made := 0
	loads := loops(t, time.Millisecond, func(l *load) {
		made++
		workers := 2 + made%2
		l.Kind, l.Seconds, l.RequestsPerUser, l.Workers, l.Weight = "users", 20, 30, workers, float64(workers)
	})
	for tool, each := range loads {
		t.Run(tool, func(t *testing.T) {
			runLoads(t, newStage(), each...)
			for _, b := range each {
				if records := len(recordsOf(t, b)); records != 30*b.Load.Workers {
					t.Errorf("%d requests, and %d users send 30 each", records, b.Load.Workers)
				}
			}
		})
	}
}

func TestEachLoadOfALoopKeepsItsTimeLimit(t *testing.T) {
	for tool, loads := range loops(t, 100*time.Millisecond, func(*load) {}) {
		t.Run(tool, func(t *testing.T) {
			loads[0].Load.TimeoutSeconds = 0.02
			runLoads(t, newStage(), loads...)
			for i, b := range loads {
				for _, r := range recordsOf(t, b) {
					if isOver := strings.Contains(strings.ToLower(r.failure), "deadline"); isOver != (i == 0) {
						t.Fatalf("load %d: %q", i, r.failure)
					}
				}
			}
		})
	}
}

func TestAnErrorOfOneLoadIsReportedForItsWholeLoop(t *testing.T) {
	for tool, loads := range loops(t, 0, func(*load) {}) {
		t.Run(tool, func(t *testing.T) {
			loads[1].Output = t.TempDir() + "/gone/records"
			for i, result := range newStage().runNow(request{Loads: loads}).Results {
				if !strings.Contains(result.Error, "no such file") {
					t.Errorf("load %d: %q", i, result.Error)
				}
			}
		})
	}
}

func TestTurnsComeOutAsTheWeightsAfterAnyNumber(t *testing.T) {
	weights := []float64{0.45, 0.25, 0.2, 0.1}
	order := &turns{weights: weights, had: make([]uint64, len(weights))}
	for sent := 1; sent <= 1000; sent++ {
		order.next()
		for i, weight := range weights {
			if off := math.Abs(float64(order.had[i]) - weight*float64(sent)); off > 1 {
				t.Fatalf("after %d requests, load %d has had %d", sent, i, order.had[i])
			}
		}
	}
}
