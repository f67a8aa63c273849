package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// dialogue is a driver in use by a test.
type dialogue struct {
	t       *testing.T
	in      *io.PipeWriter
	answers *bufio.Scanner
	ended   chan error
}

func talk(t *testing.T) *dialogue {
	t.Helper()
	in, inWriter := io.Pipe()
	outReader, out := io.Pipe()
	d := &dialogue{t, inWriter, bufio.NewScanner(outReader), make(chan error, 1)}
	go func() { d.ended <- newDriver(out).serve(in) }()
	t.Cleanup(func() { _ = inWriter.Close() })
	return d
}

func (d *dialogue) ask(r request) {
	d.t.Helper()
	line, err := json.Marshal(r)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.in.Write(append(line, '\n')); err != nil {
		d.t.Fatal(err)
	}
}

func (d *dialogue) next(answer any) {
	d.t.Helper()
	if !d.answers.Scan() {
		d.t.Fatal("no answer came")
	}
	if err := json.Unmarshal(d.answers.Bytes(), answer); err != nil {
		d.t.Fatal(err)
	}
}

func TestRecordsAreSentAheadOfTheAnswerToTheirBlock(t *testing.T) {
	address, _ := serveHTTP(t)
	in, inWriter := io.Pipe()
	outReader, out := io.Pipe()
	remote := newDriver(out)
	remote.sendsRecords = true
	d := &dialogue{t, inWriter, bufio.NewScanner(outReader), make(chan error, 1)}
	go func() { d.ended <- remote.serve(in) }()
	t.Cleanup(func() { _ = inWriter.Close() })
	load := httpLoad(t, address, "GET /")
	d.ask(request{ID: 1, Loads: []blockLoad{load}})
	var records recordsAnswer
	d.next(&records)
	var answer blockAnswer
	d.next(&answer)
	if records.Output != load.Output || len(records.Records) == 0 || answer.ID != 1 {
		t.Errorf("%d bytes of %s, and %+v", len(records.Records), records.Output, answer)
	}
	if _, err := os.Stat(load.Output); !os.IsNotExist(err) {
		t.Errorf("the records are still there: %v", err)
	}
}

func TestBlocksAreAnsweredOneAfterTheOther(t *testing.T) {
	address, _ := serveHTTP(t)
	d := talk(t)
	for id := range int64(3) {
		d.ask(request{ID: id, Loads: []blockLoad{httpLoad(t, address, "GET /")}})
		var answer blockAnswer
		d.next(&answer)
		if answer.ID != id || len(answer.Results) != 1 || answer.Results[0].Error != "" {
			t.Errorf("%+v", answer)
		}
	}
}

func TestABlockThatWaitsStartsAtItsInstant(t *testing.T) {
	address, received := serveHTTP(t)
	d := talk(t)
	d.ask(request{ID: 1, Waits: true, Loads: []blockLoad{httpLoad(t, address, "GET /")}})
	var ready readyAnswer
	d.next(&ready)
	if ready.ID != 1 || !ready.Ready || len(received.all()) != 0 {
		t.Errorf("%+v, and %d requests", ready, len(received.all()))
	}
	at := time.Now().Add(20 * time.Millisecond).UnixNano()
	d.ask(request{ID: 2, StartNs: at})
	var answer blockAnswer
	d.next(&answer)
	if skew := time.Duration(answer.StartedNs - at); answer.ID != 2 || answer.Results[0].Error != "" || skew < -time.Millisecond {
		t.Errorf("%+v, %v after its start", answer, skew)
	}
}

func TestCPUTimesAreAnsweredWhileABlockRuns(t *testing.T) {
	address, _ := serveHTTP(t)
	d := talk(t)
	d.ask(request{ID: 1, Loads: []blockLoad{httpLoad(t, address, "GET /")}})
	d.ask(request{ID: 2, Pids: []int{os.Getpid(), 1 << 23}})
	var times cpuAnswer
	d.next(&times)
	if times.ID != 2 || len(times.CPUNs) != 2 || times.CPUNs[0] <= 0 || times.CPUNs[1] != -1 || times.OwnNs <= 0 || times.AtNs < 1e18 {
		t.Errorf("%+v", times)
	}
	var block blockAnswer
	d.next(&block)
	if block.ID != 1 {
		t.Errorf("%+v", block)
	}
}

func TestTheEndOfInputEndsTheDriverInTheMiddleOfABlock(t *testing.T) {
	address, _ := serveHTTP(t)
	d := talk(t)
	long := httpLoad(t, address, "GET /")
	long.Output = os.DevNull
	long.Load.Seconds = 60
	d.ask(request{ID: 1, Loads: []blockLoad{long}})
	_ = d.in.Close()
	select {
	case err := <-d.ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it waits for the block")
	}
}

func TestAMalformedRequestIsRefused(t *testing.T) {
	err := newDriver(io.Discard).serve(strings.NewReader("load\n"))
	if err == nil || !strings.Contains(err.Error(), "a request is malformed") {
		t.Errorf("%v", err)
	}
}

func TestCPUTimeCountsWhatWasBurnt(t *testing.T) {
	before := cpuTime(processClock(os.Getpid()))
	controlSum = work(make([]uint64, tableWords), 1_000_000)
	if after := cpuTime(processClock(os.Getpid())); after <= before {
		t.Errorf("from %d to %d ns", before, after)
	}
}
