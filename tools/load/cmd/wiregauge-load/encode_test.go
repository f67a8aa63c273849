package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bojand/ghz/runner"
	vegeta "github.com/tsenart/vegeta/v12/lib"
)

func encoded(t *testing.T, tool string, b blockLoad) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), tool)
	if err := encode(tool, b.Output, path); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func TestVegetaReadsWhatIsEncodedForIt(t *testing.T) {
	address, _ := serveHTTP(t)
	b := httpLoad(t, address, "GET /a", "GET /broken")
	b.Load.Workers = 1
	runLoads(t, newStage(), b)
	records := recordsOf(t, b)
	decoder := vegeta.NewDecoder(encoded(t, "vegeta", b))
	for i := 0; ; i++ {
		var r vegeta.Result
		if err := decoder.Decode(&r); errors.Is(err, io.EOF) {
			if i != len(records) || i == 0 {
				t.Errorf("%d of %d records", i, len(records))
			}
			return
		} else if err != nil {
			t.Fatal(err)
		}
		want := map[uint16]string{200: "", 503: "503 Service Unavailable"}
		if text, known := want[r.Code]; !known || r.Error != text || !r.Timestamp.Equal(records[i].start) || r.Latency != records[i].latency {
			t.Errorf("%+v is not %+v", r, records[i])
		}
	}
}

func TestGhzReadsWhatIsEncodedForIt(t *testing.T) {
	address, _, _ := serveGRPC(t)
	b := grpcLoad(t, address, "a", "broken")
	runLoads(t, newStage(), b)
	records := recordsOf(t, b)
	var report runner.Report
	if err := json.NewDecoder(encoded(t, "ghz", b)).Decode(&report); err != nil {
		t.Fatal(err)
	}
	if int(report.Count) != len(records) || report.StatusCodeDist["OK"]+report.StatusCodeDist["NotFound"] != len(records) {
		t.Errorf("%+v", report)
	}
	if report.Fastest <= 0 || report.Average < report.Fastest || report.Slowest < report.Average || report.Rps <= 0 {
		t.Errorf("%v, %v, %v, %v/s", report.Fastest, report.Average, report.Slowest, report.Rps)
	}
	for i, d := range report.Details {
		if !d.Timestamp.Add(-d.Latency).Equal(records[i].start) || d.Latency != records[i].latency {
			t.Errorf("%+v is not %+v", d, records[i])
		}
	}
}

func TestOnlyRecordsAreEncodedAndOnlyForToolsThatThereAre(t *testing.T) {
	address, _ := serveHTTP(t)
	b := httpLoad(t, address, "GET /a")
	runLoads(t, newStage(), b)
	if err := encode("wrk", b.Output, b.Output+"-wrk"); err == nil || !strings.Contains(err.Error(), `"wrk"`) {
		t.Errorf("%v", err)
	}
	if err := encode("ghz", b.Output+"-none", b.Output+"-ghz"); err == nil {
		t.Error("a file that is not there is encoded")
	}
}
