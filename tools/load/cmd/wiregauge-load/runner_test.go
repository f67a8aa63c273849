package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// byRunner lets ghz's runner send a load, and fails the test if another load does.
func byRunner(t *testing.T, b blockLoad) []record {
	t.Helper()
	b.Load.Fresh = true
	if !b.Load.isForRunner() {
		t.Fatal("it is not sent by ghz's runner")
	}
	s := newStage()
	runLoads(t, s, b)
	if len(s.idle) != 0 {
		t.Error("connections are kept")
	}
	return recordsOf(t, b)
}

func TestGhzSendsOpenLoadInTurnAndOnTime(t *testing.T) {
	address, noted, listener := serveGRPC(t)
	b := grpcLoad(t, address, "a", "broken")
	b.Load.Workers = 1
	records := byRunner(t, b)
	calls := noted.all()
	if len(records) < 20 || len(records) > 45 || len(calls) != len(records) || listener.count() != 1 {
		t.Fatalf("%d records of %d calls over %d connections, and 45 are due", len(records), len(calls), listener.count())
	}
	for i, r := range records {
		want := []string{"", "NotFound"}[i%2]
		if calls[i] != []string{"a", "broken"}[i%2] || r.failure != want {
			t.Errorf("call %d is %s: %q", i, calls[i], r.failure)
		}
		// A call is not sent before it is due, within the clocks' resolution and the first call's own delay.
		if r.start.Before(r.due.Add(-5*time.Millisecond)) || r.due.Sub(records[0].start) != time.Duration(i)*10*time.Millisecond {
			t.Errorf("call %d is due at %v and sent at %v", i, r.due, r.start)
		}
	}
}

func TestGhzSendsAClosedLoopWithMetadata(t *testing.T) {
	service := serveStreams(t, nil)
	b := streamLoad(t, service.address, "Download", `{"text":"a"}`)
	b.Load.Kind, b.Load.RatePerSecond = "saturate", 0
	b.Load.Target.Requests[0].Metadata = map[string]string{"authorization": "Bearer x"}
	records := byRunner(t, b)
	calls, messages := service.counts()
	if len(records) < 10 || calls != len(records) || messages != calls {
		t.Errorf("%d records of %d calls with %d messages", len(records), calls, messages)
	}
	for _, r := range records {
		if r.failure != "" || r.latency < streamPause {
			t.Fatalf("%v: %q", r.latency, r.failure)
		}
	}
	if got := service.last(); strings.Join(got.metadata["authorization"], " ") != "Bearer x" || got.left <= 0 || got.left > duration(b.Load.TimeoutSeconds) {
		t.Errorf("%+v", got)
	}
}

func TestGhzTrustsAndShowsWhatItIsGiven(t *testing.T) {
	for name, test := range tlsCases(t) {
		t.Run(name, func(t *testing.T) {
			server := test.server.Clone()
			server.NextProtos = []string{"h2"}
			b := streamLoad(t, serveStreams(t, server).address, "Echo", `{"text":"a"}`)
			b.Load.Target.Connection = &connection{TLS: &test.client}
			for _, r := range byRunner(t, b) {
				if test.fails == (r.failure == "") {
					t.Fatalf("%q", r.failure)
				}
			}
			if left, _ := os.ReadDir(filepath.Dir(b.Output)); len(left) != 1 {
				t.Errorf("%v are left", left)
			}
		})
	}
	b := streamLoad(t, "127.0.0.1:9", "Echo", `{"text":"a"}`)
	b.Load.Fresh, b.Load.Target.Connection = true, &connection{TLS: &tlsSettings{CA: "no certificate"}}
	if got := newStage().runNow(request{Loads: []blockLoad{b}}).Results[0].Error; !strings.Contains(got, "tls.ca") {
		t.Errorf("%q", got)
	}
}

func TestConnectionsThatAreRefusedAreFailuresOfGhz(t *testing.T) {
	for _, r := range byRunner(t, grpcLoad(t, closedAddress(t), "a")) {
		if !strings.Contains(r.failure, "connection refused") {
			t.Fatal(r.failure)
		}
	}
}

func TestGhzSendsNothingThatItCannot(t *testing.T) {
	for name, change := range map[string]func(b *blockLoad){
		"connections": func(b *blockLoad) { b.Load.Target.Connection = &connection{Connections: 1} },
		"users":       func(b *blockLoad) { b.Load.Kind = "users" },
		"jitter":      func(b *blockLoad) { b.Load.JitterSeed = new(uint32) },
		"stream":      func(b *blockLoad) { b.Load.Target.Stream = &streamed{Messages: 1} },
		"upload":      func(b *blockLoad) { b.Load.Target.Method = &methodKind{ClientStreams: true} },
		"block":       func(b *blockLoad) { b.Load.Fresh = false },
	} {
		b := grpcLoad(t, "127.0.0.1:9", "a")
		b.Load.Fresh = true
		change(&b)
		if b.Load.isForRunner() {
			t.Errorf("%s: sent by ghz's runner", name)
		}
	}
}
