package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/bojand/ghz/printer"
	"github.com/bojand/ghz/runner"
)

func TestAReportIsTheOneThatGhzPrints(t *testing.T) {
	at := time.Date(2026, 11, 22, 1, 2, 3, 45600, time.FixedZone("", 5400))
	calls := []runner.ResultDetail{
		{Timestamp: at, Latency: 1234567, Status: "OK"},
		{Timestamp: at.UTC(), Latency: 0, Status: "Unavailable", Error: "said \"details\":null <b> & \x01 ü \xff\u2028"},
		{Timestamp: time.Unix(0, 0).UTC(), Latency: -1},
	}
	for _, details := range [][]runner.ResultDetail{nil, {}, calls[:1], calls} {
		report := runner.Report{
			EndReason: runner.ReasonNormalEnd, Date: at, Count: uint64(len(details)), Details: details,
			Options: runner.Options{Call: `a.B/"details":null`, Host: "127.0.0.1:1"},
		}
		var wanted, got bytes.Buffer
		if err := (&printer.ReportPrinter{Report: &report, Out: &wanted}).Print("json"); err != nil {
			t.Fatal(err)
		}
		if err := writeReport(&got, report, nil); err != nil {
			t.Fatal(err)
		}
		if got.String() != wanted.String() {
			t.Errorf("%s\nis not\n%s", got.String(), wanted.String())
		}
	}
}

// BenchmarkReport prints what a record costs, written here and by ghz's printer: go test -bench Report.
func BenchmarkReport(b *testing.B) {
	report := runner.Report{Details: make([]runner.ResultDetail, 100_000)}
	for i := range report.Details {
		report.Details[i] = runner.ResultDetail{Timestamp: time.Unix(0, int64(i)*1234567), Latency: 98765, Status: "OK"}
	}
	for name, write := range map[string]func(out *bytes.Buffer) error{
		"here": func(out *bytes.Buffer) error { return writeReport(out, report, nil) },
		"ghz": func(out *bytes.Buffer) error {
			return (&printer.ReportPrinter{Report: &report, Out: out}).Print("json")
		},
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if err := write(&bytes.Buffer{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e5, "ns/record")
		})
	}
}
