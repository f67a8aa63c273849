package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/bojand/ghz/runner"
	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// record is what both tools note of a request.
type record struct {
	start   time.Time
	latency time.Duration
	failure string
}

func recordsOf(t *testing.T, b blockLoad) []record {
	t.Helper()
	if b.Tool == "ghz" {
		return ghzRecords(t, b.Output)
	}
	return vegetaRecords(t, b.Output)
}

func vegetaRecords(t *testing.T, path string) []record {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	decoder := vegeta.NewDecoder(file)
	found := []record{}
	for {
		var r vegeta.Result
		err := decoder.Decode(&r)
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, record{r.Timestamp, r.Latency, r.Error})
	}
}

func ghzRecords(t *testing.T, path string) []record {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Count   int                   `json:"count"`
		Details []runner.ResultDetail `json:"details"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	if report.Count != len(report.Details) {
		t.Fatalf("the report counts %d calls and has %d", report.Count, len(report.Details))
	}
	found := []record{}
	for _, d := range report.Details {
		failure := ""
		if d.Status != "OK" {
			failure = d.Status + ": " + d.Error
		}
		found = append(found, record{d.Timestamp.Add(-d.Latency), d.Latency, failure})
	}
	return found
}
