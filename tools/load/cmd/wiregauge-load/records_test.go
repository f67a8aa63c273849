package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// record has the known data of a request.
type record struct {
	start   time.Time
	due     time.Time
	latency time.Duration
	first   time.Duration
	failure string
}

func recordsOf(t *testing.T, b blockLoad) []record {
	t.Helper()
	file, err := readRecords(b.Output)
	if err != nil {
		t.Fatal(err)
	}
	at := func(ns float64) time.Time { return time.UnixMilli(file.OriginMs).Add(time.Duration(ns)) }
	found := make([]record, file.Records)
	for i := range found {
		end := file.Outcomes[file.codes[i]]
		sent := file.numbers["sent"][i]
		found[i] = record{start: at(sent), latency: time.Duration(file.numbers["done"][i] - sent)}
		if end.Status != "OK" && !strings.HasPrefix(end.Status, "2") && end.Status != "101" {
			found[i].failure = strings.Trim(end.Status+": "+end.Text, ": ")
		}
		if due := file.numbers["due"]; due != nil {
			found[i].due = at(due[i])
		}
		if first := file.numbers["first"]; first != nil {
			found[i].first = time.Duration(first[i] - sent)
		}
	}
	return found
}

// recorded writes records with these sending times of a load, in milliseconds, and reads them.
func recorded(t *testing.T, l load, sentMs ...int) (blockLoad, *recorder) {
	t.Helper()
	b := blockLoad{"vegeta", filepath.Join(t.TempDir(), "records"), l}
	r, err := newRecorder(b)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Unix(1_795_219_200, 123_456_789)
	r.begin(start)
	for _, at := range sentMs {
		r.add(start.Add(time.Duration(at)*time.Millisecond), time.Millisecond, none, outcome{Status: "200"})
	}
	if err := r.write(); err != nil {
		t.Fatal(err)
	}
	return b, r
}

func TestRecordsAreInTheOrderOfTheirSendingToTheNanosecond(t *testing.T) {
	b, _ := recorded(t, load{Kind: "saturate"}, 30, 10, 20)
	for i, r := range recordsOf(t, b) {
		want := time.Unix(1_795_219_200, 123_456_789).Add(time.Duration(10*(i+1)) * time.Millisecond)
		if !r.start.Equal(want) || r.latency != time.Millisecond || !r.due.IsZero() {
			t.Errorf("%+v, and it was sent at %v", r, want)
		}
	}
}

func TestARequestIsDueByTheSchedule(t *testing.T) {
	seed := uint32(7)
	for _, jitter := range []*uint32{nil, &seed} {
		b, _ := recorded(t, load{Kind: "open", RatePerSecond: 100, JitterSeed: jitter}, 0, 10, 90)
		records := recordsOf(t, b)
		for i, r := range records {
			want := time.Duration(i) * 10 * time.Millisecond
			if jitter != nil {
				want += time.Duration((randomAt(seed, uint64(i)) - randomAt(seed, 0)) * 1e7)
			}
			if got := r.due.Sub(records[0].start); (got - want).Abs() > time.Microsecond {
				t.Errorf("request %d is due after %v, not %v", i, got, want)
			}
		}
	}
}

func TestFailuresOfOneKindAreOne(t *testing.T) {
	for text, want := range map[string]string{
		`Get "http://127.0.0.1:80/user/7": read tcp 127.0.0.1:40000->127.0.0.1:80: read: connection reset by peer`: "read tcp 127.0.0.1->127.0.0.1:80: read: connection reset by peer",
		"stream: it ended before its last message": "stream: it ended before its last message",
	} {
		if got := failed(text); got.Text != want || got.Status != "" {
			t.Errorf("%+v", got)
		}
	}
	_, r := recorded(t, load{Kind: "saturate"})
	for i := range 2 * mostOutcomes {
		r.code(failed(fmt.Sprint("failure ", i)))
	}
	if len(r.outcomes) != mostOutcomes+1 || r.outcomes[mostOutcomes] != furtherOutcomes {
		t.Errorf("%d outcomes", len(r.outcomes))
	}
}

func TestAStreamWithoutAFirstMessageHasNoTimeToIt(t *testing.T) {
	b, _ := recorded(t, load{Kind: "saturate", Target: target{Stream: &streamed{}}}, 0)
	file, err := readRecords(b.Output)
	if err != nil || !math.IsNaN(file.numbers["first"][0]) {
		t.Errorf("%+v, %v", file, err)
	}
}

func TestRecordsThatAreCutOffAreRefused(t *testing.T) {
	b, _ := recorded(t, load{Kind: "saturate"}, 1, 2, 3)
	whole, err := os.ReadFile(b.Output)
	if err != nil {
		t.Fatal(err)
	}
	for _, length := range []int{0, 10, len(whole) - 1} {
		if err := os.WriteFile(b.Output, whole[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readRecords(b.Output); err == nil {
			t.Errorf("%d of %d bytes are taken", length, len(whole))
		}
	}
}
