package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

func newStage() *stage {
	return &stage{idle: map[key][]connections{}}
}

// runNow prepares a block and runs it at once.
func (s *stage) runNow(r request) blockAnswer {
	answer := s.run(s.prepare(r.Loads), time.Now().Add(lead))
	answer.ID = r.ID
	return answer
}

// runLoads runs one block and fails the test if a load fails.
func runLoads(t *testing.T, s *stage, loads ...blockLoad) blockAnswer {
	t.Helper()
	answer := s.runNow(request{ID: 7, Loads: loads})
	for _, r := range answer.Results {
		if r.Error != "" {
			t.Fatal(r.Error)
		}
	}
	return answer
}

func TestOpenLoadIsSentInTurnAndRecorded(t *testing.T) {
	httpAddress, httpAsked := serveHTTP(t)
	grpcAddress, grpcAsked, _ := serveGRPC(t)
	tests := []struct {
		load     blockLoad
		received *received
		want     []string
	}{
		{httpLoad(t, httpAddress, "GET /a", "DELETE /broken"), httpAsked, []string{"GET /a", "DELETE /broken"}},
		{grpcLoad(t, grpcAddress, "a", "broken"), grpcAsked, []string{"a", "broken"}},
	}
	for _, test := range tests {
		t.Run(test.load.Tool, func(t *testing.T) {
			test.load.Load.Workers = 1
			answer := runLoads(t, newStage(), test.load)
			records := recordsOf(t, test.load)
			calls := test.received.all()
			// 40 of the schedule and 5 in the slack after it; fewer only if this machine stalled at the very end.
			if len(records) < 20 || len(records) > 45 || len(calls) != len(records) {
				t.Fatalf("%d records of %d calls, and 45 are due", len(records), len(calls))
			}
			for i, call := range calls {
				if call != test.want[i%2] {
					t.Errorf("call %d is %s", i, call)
				}
			}
			failed := 0
			for _, r := range records {
				if r.failure != "" {
					failed++
				}
			}
			if failed != len(calls)/2 {
				t.Errorf("%d calls are recorded as failed, and every second one did: %v", failed, records)
			}
			if answer.ID != 7 || answer.StartedNs > records[0].start.UnixNano() || answer.EndedNs < answer.StartedNs {
				t.Errorf("the answer does not fit the records: %+v", answer)
			}
		})
	}
}

func TestClosedLoopWaitsForTheLastAnswers(t *testing.T) {
	httpAddress, httpAsked := serveHTTP(t)
	grpcAddress, grpcAsked, _ := serveGRPC(t)
	for _, test := range []struct {
		load     blockLoad
		received *received
	}{{httpLoad(t, httpAddress, "GET /"), httpAsked}, {grpcLoad(t, grpcAddress, "a"), grpcAsked}} {
		t.Run(test.load.Tool, func(t *testing.T) {
			test.load.Load.Kind, test.load.Load.RatePerSecond = "saturate", 0
			runLoads(t, newStage(), test.load)
			records := recordsOf(t, test.load)
			if len(records) < 20 || len(records) != len(test.received.all()) {
				t.Fatalf("%d records of %d calls", len(records), len(test.received.all()))
			}
			for _, r := range records {
				if r.failure != "" {
					t.Fatal(r.failure)
				}
			}
		})
	}
}

func TestLoadsOfABlockStartTogether(t *testing.T) {
	httpAddress, _ := serveHTTP(t)
	grpcAddress, _, _ := serveGRPC(t)
	first, second := httpLoad(t, httpAddress, "GET /"), grpcLoad(t, grpcAddress, "a")
	answer := runLoads(t, newStage(), first, second)
	for _, b := range []blockLoad{first, second} {
		due := time.Unix(0, answer.StartedNs).Add(10 * time.Millisecond)
		start := slices.MinFunc(recordsOf(t, b), func(a, b record) int { return a.start.Compare(b.start) }).start
		// Not early, within the clocks' resolution.
		if start.Before(due.Add(-time.Millisecond)) {
			t.Errorf("%s sent its first request at %v, and it was due at %v", b.Tool, start, due)
		}
	}
}

func TestConnectionsAreKeptForTheNextBlockOfTheSameKind(t *testing.T) {
	httpAddress, httpAsked := serveHTTP(t)
	grpcAddress, _, listener := serveGRPC(t)
	first, second := httpLoad(t, httpAddress, "GET /"), grpcLoad(t, grpcAddress, "a")
	first.Load.Workers = 1
	s := newStage()
	runLoads(t, s, first, second)
	runLoads(t, s, first, second)
	if len(httpAsked.connections) != 1 || listener.count() != 4 {
		t.Errorf("%d and %d connections, and 1 and 4 would do", len(httpAsked.connections), listener.count())
	}
	second.Load.Workers = 2
	runLoads(t, s, second)
	if len(s.idle) != 1 || listener.count() != 6 {
		t.Errorf("a block of another kind keeps %v, after %d connections", s.idle, listener.count())
	}
}

func TestTwoLoadsOfOneKindHaveTheirOwnConnectionsAndRecords(t *testing.T) {
	address, noted, listener := serveGRPC(t)
	first, second := grpcLoad(t, address, "a"), grpcLoad(t, address, "b")
	s := newStage()
	records := 0
	for range 2 {
		runLoads(t, s, first, second)
		records += len(recordsOf(t, first)) + len(recordsOf(t, second))
	}
	if listener.count() != 8 || records != len(noted.all()) {
		t.Errorf("%d connections, %d records, %d calls", listener.count(), records, len(noted.all()))
	}
}

func TestHundredsOfBlocksLeaveNothingBehind(t *testing.T) {
	httpAddress, httpAsked := serveHTTP(t)
	grpcAddress, grpcAsked, _ := serveGRPC(t)
	first, second := httpLoad(t, httpAddress, "GET /"), grpcLoad(t, grpcAddress, "a")
	for _, b := range []*blockLoad{&first, &second} {
		b.Load.Kind, b.Load.Seconds = "saturate", 0.005
	}
	s := newStage()
	block := func() {
		runLoads(t, s, first, second)
		httpAsked.calls, grpcAsked.calls = nil, nil
	}
	state := func() (uint64, int, int) {
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", os.Getpid()))
		if err != nil {
			t.Fatal(err)
		}
		return memory.HeapAlloc, runtime.NumGoroutine(), len(files)
	}
	for range 20 {
		block()
	}
	heap, routines, files := state()
	for range 300 {
		block()
	}
	heapAfter, routinesAfter, filesAfter := state()
	if heapAfter > heap+2<<20 || routinesAfter > routines+10 || filesAfter > files+5 {
		t.Errorf("heap %d to %d bytes, %d to %d goroutines, %d to %d files", heap, heapAfter, routines, routinesAfter, files, filesAfter)
	}
}
