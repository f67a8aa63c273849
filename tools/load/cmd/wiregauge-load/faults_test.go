package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestRefusedConnectionsAreRecordedAndNotKept(t *testing.T) {
	address := closedAddress(t)
	for _, b := range []blockLoad{httpLoad(t, address, "GET /"), grpcLoad(t, address, "a")} {
		t.Run(b.Tool, func(t *testing.T) {
			s := newStage()
			runLoads(t, s, b)
			records := recordsOf(t, b)
			if len(records) < 20 {
				t.Fatalf("%d records, and 45 are due", len(records))
			}
			for _, r := range records {
				if !strings.Contains(r.failure, "connection refused") {
					t.Fatal(r.failure)
				}
			}
			if b.Tool == "ghz" && len(s.idle) != 0 {
				t.Error("connections that were refused are kept")
			}
		})
	}
}

func TestBadLoadsAreErrorsOfTheBlock(t *testing.T) {
	address, noted := serveHTTP(t)
	good := httpLoad(t, address, "GET /")
	tests := map[string]struct {
		change func(b *blockLoad)
		want   string
	}{
		"tool":     {func(b *blockLoad) { b.Tool = "wrk" }, `no tool "wrk"`},
		"call":     {func(b *blockLoad) { b.Load.Target.Requests = []callRequest{{Call: "user"}} }, "not an HTTP method"},
		"kind":     {func(b *blockLoad) { b.Load.Kind = "" }, "open, saturate, users or stages"},
		"rate":     {func(b *blockLoad) { b.Load.RatePerSecond = 0 }, "rate of at least 1/s"},
		"workers":  {func(b *blockLoad) { b.Load.Workers = 0 }, "at least one worker"},
		"requests": {func(b *blockLoad) { b.Load.Target.Requests = nil }, "at least one request"},
		"ramp":     {func(b *blockLoad) { b.Load.Kind, b.Load.RampSeconds = "users", -1 }, "must not be negative"},
		"negative": {func(b *blockLoad) { b.Load.Kind, b.Load.RequestsPerUser = "users", -1 }, "must not be negative"},
		"output":   {func(b *blockLoad) { b.Output = filepath.Join(b.Output, "x", "y") }, "no such file"},
		"method":   {func(b *blockLoad) { b.Tool = "ghz" }, "whether its calls are streams"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bad := httpLoad(t, address, "GET /")
			test.change(&bad)
			answer := newStage().runNow(request{Loads: []blockLoad{good, bad}})
			if !strings.Contains(answer.Results[1].Error, test.want) || answer.Results[0].Error != errNotRun.Error() {
				t.Errorf("%+v", answer.Results)
			}
		})
	}
	if len(noted.all()) > 0 {
		t.Error("half a block was sent")
	}
}

func TestAPanicIsAnErrorOfItsLoad(t *testing.T) {
	if err := guarded(func() error { panic("at the disco") }); err == nil || !strings.Contains(err.Error(), "at the disco") {
		t.Errorf("%v", err)
	}
}
