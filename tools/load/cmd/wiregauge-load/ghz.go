package main

import (
	"bufio"
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/bojand/ghz/printer"
	"github.com/bojand/ghz/runner"
	"github.com/jhump/protoreflect/desc"
	"github.com/jhump/protoreflect/dynamic/grpcdynamic"
)

// ghzLoad is a load over gRPC, played as `ghz` plays it with the arguments in src/generators/ghz.ts, and recorded in ghz's report.
// The calls are made here, by the libraries that ghz makes them by, since ghz's own runner dials for each run and hangs up at its
// end: in a block of 0.5 s that alone took 1 to 2 % of a Python service's CPU time, and not always the same.
type ghzLoad struct {
	load   load
	calls  []grpcCall
	kept   *grpcConnections
	output *os.File
}

func newGhzLoad(b blockLoad, method *desc.MethodDescriptor, kept *grpcConnections) (*ghzLoad, error) {
	requests := b.Load.Target.Requests
	if method.IsClientStreaming() && len(requests) > 1 {
		return nil, errors.New("ghz sends the same stream in every call")
	}
	calls := make([]grpcCall, 0, len(requests))
	for _, request := range requests {
		if request.Call != requests[0].Call {
			return nil, errors.New("ghz calls one method at a time")
		}
		call, err := newCall(method, request)
		if err != nil {
			return nil, err
		}
		calls = append(calls, call)
	}
	output, err := os.Create(b.Output)
	if err != nil {
		return nil, err
	}
	return &ghzLoad{b.Load, calls, kept, output}, nil
}

func (g *ghzLoad) play(start time.Time) error {
	g.kept.calls.begin()
	pace, err := byAlarm(newPacer(g.load, start))
	if err != nil {
		return errors.Join(err, g.output.Close())
	}
	defer pace.close()
	failed := g.send(pace)
	records := bufio.NewWriter(g.output)
	print := printer.ReportPrinter{Report: g.report(start), Out: records}
	return errors.Join(failed, print.Print("json"), records.Flush(), g.output.Close())
}

// send makes the calls in turn on as many workers as the load has, and waits for the answers under way when the time is up.
func (g *ghzLoad) send(pace *punctual) error {
	ticks := make(chan uint64)
	failures := make([]error, g.load.Workers)
	var working sync.WaitGroup
	for i := range failures {
		working.Add(1)
		// Spread over the connections as ghz spreads its workers.
		stub := grpcdynamic.NewStub(g.kept.all[i%len(g.kept.all)])
		go func() {
			defer working.Done()
			for hit := range ticks {
				failure := guarded(func() error { return g.call(stub, hit) })
				failures[i] = errors.Join(failures[i], failure)
			}
		}()
	}
	for hit := uint64(0); ; hit++ {
		if _, stop := pace.Pace(0, hit); stop {
			break
		}
		ticks <- hit
	}
	close(ticks)
	working.Wait()
	return errors.Join(append(failures, pace.failed)...)
}

// call makes one call. What the service answers, an error too, is noted by the connection's handler.
func (g *ghzLoad) call(stub grpcdynamic.Stub, hit uint64) error {
	until, cancel := context.WithTimeout(context.Background(), g.load.timeout())
	defer cancel()
	g.calls[hit%uint64(len(g.calls))].make(until, stub)
	return nil
}

func (g *ghzLoad) report(start time.Time) *runner.Report {
	details := g.kept.calls.end()
	return &runner.Report{
		EndReason: runner.ReasonNormalEnd,
		Date:      start,
		Options:   runner.Options{Call: g.load.Target.Requests[0].Call, Host: g.load.Target.Address},
		Count:     uint64(len(details)),
		Total:     time.Since(start),
		Details:   details,
	}
}
