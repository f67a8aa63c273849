package main

import (
	"strings"
	"testing"
	"time"
)

// allOK fails the test if a record is a failure, or there are none.
func allOK(t *testing.T, b blockLoad) []record {
	t.Helper()
	records := recordsOf(t, b)
	if len(records) < 20 {
		t.Fatalf("%d records, and 45 are due", len(records))
	}
	for _, r := range records {
		if r.failure != "" {
			t.Fatal(r.failure)
		}
	}
	return records
}

func TestMetadataAndDeadlineReachTheService(t *testing.T) {
	service := serveStreams(t, nil)
	b := streamLoad(t, service.address, "Echo", `{"text":"a"}`)
	b.Load.TimeoutSeconds = 3
	b.Load.Target.Requests[0].Metadata = map[string]string{"authorization": "Bearer x", "trace-bin": "AAE="}
	runLoads(t, newStage(), b)
	allOK(t, b)
	got := service.last()
	if strings.Join(got.metadata["authorization"], " ") != "Bearer x" || strings.Join(got.metadata["trace-bin"], " ") != "\x00\x01" {
		t.Errorf("%v", got.metadata)
	}
	if got.left <= 0 || got.left > 3*time.Second {
		t.Errorf("the deadline leaves %v", got.left)
	}
	b.Load.Target.Requests[0].Metadata["trace-bin"] = "?"
	if got := newStage().runNow(request{Loads: []blockLoad{b}}).Results[0].Error; !strings.Contains(got, "not base64") {
		t.Errorf("%q", got)
	}
}

func TestADeadlineThatPassesIsAFailure(t *testing.T) {
	service := serveStreams(t, nil)
	b := streamLoad(t, service.address, "Echo", `{"text":"late"}`)
	b.Load.TimeoutSeconds = 0.02
	runLoads(t, newStage(), b)
	for _, r := range recordsOf(t, b) {
		if !strings.Contains(r.failure, "DeadlineExceeded") {
			t.Fatal(r.failure)
		}
	}
}

func TestAStreamIsOneRequestThatLastsToItsEnd(t *testing.T) {
	for _, test := range []struct {
		method, body     string
		heard, perStream int
	}{
		{"Download", `{"text":"a"}`, 1, 3},
		{"Upload", `[{"text":"a"},{"text":"b"},{"text":"c"}]`, 3, 1},
		{"Chat", `[{"text":"a"},{"text":"b"}]`, 2, 2},
	} {
		t.Run(test.method, func(t *testing.T) {
			service := serveStreams(t, nil)
			b := streamLoad(t, service.address, test.method, test.body)
			runLoads(t, newStage(), b)
			records := allOK(t, b)
			calls, messages := service.counts()
			if calls != len(records) || messages != calls*test.heard {
				t.Errorf("%d records of %d streams with %d messages", len(records), calls, messages)
			}
			for _, r := range records {
				// The service pauses before the end of a stream, not before its first message.
				if r.latency < streamPause {
					t.Fatalf("a stream is recorded with %v", r.latency)
				}
			}
		})
	}
}

func TestAServiceMayEndAStreamBeforeItHeardAll(t *testing.T) {
	for _, method := range []string{"Upload", "Chat"} {
		service := serveStreams(t, nil)
		// Enough messages for the service to refuse before the last one is sent.
		messages := `[{"text":"refuse"}` + strings.Repeat(`,{"text":"b"}`, 5000) + `]`
		b := streamLoad(t, service.address, method, messages)
		runLoads(t, newStage(), b)
		for _, r := range recordsOf(t, b) {
			if !strings.Contains(r.failure, "InvalidArgument") {
				t.Fatalf("%s: %q", method, r.failure)
			}
		}
	}
}

func TestALoadHasTheMessagesThatItsMethodTakes(t *testing.T) {
	b := streamLoad(t, "127.0.0.1:9", "Echo", `[{"text":"a"},{"text":"b"}]`)
	if got := newStage().runNow(request{Loads: []blockLoad{b}}).Results[0].Error; !strings.Contains(got, "takes one message, not 2") {
		t.Errorf("%q", got)
	}
	b.Load.Target.Method = nil
	if got := newStage().runNow(request{Loads: []blockLoad{b}}).Results[0].Error; !strings.Contains(got, "whether its calls are streams") {
		t.Errorf("%q", got)
	}
}
