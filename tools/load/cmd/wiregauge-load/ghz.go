package main

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bojand/ghz/runner"
	"github.com/jhump/protoreflect/desc"
	"google.golang.org/grpc"
)

// ghzLoad is a load over gRPC, played as `ghz` plays it with the arguments in src/load/ghz/ghz.ts, and recorded in ghz's report.
// The calls are made here, by the libraries that ghz makes them by, since ghz's own runner dials for each run and hangs up at its
// end: in a block of 0.5 s that alone took 1 to 2 % of a Python service's CPU time, and not always the same.
type ghzLoad struct {
	load    load
	calls   []grpcCall
	kept    *grpcConnections
	records calls
	output  *os.File
}

func newGhzLoad(b blockLoad, method *desc.MethodDescriptor, kept *grpcConnections) (*ghzLoad, error) {
	requests := b.Load.Target.Requests
	if method.IsClientStreaming() && len(requests) > 1 {
		return nil, errors.New("ghz sends the same stream in every call")
	}
	made := make([]grpcCall, 0, len(requests))
	for _, request := range requests {
		if request.Call != requests[0].Call {
			return nil, errors.New("ghz calls one method at a time")
		}
		call, err := newCall(method, request)
		if err != nil {
			return nil, err
		}
		made = append(made, call)
	}
	output, err := os.Create(b.Output)
	if err != nil {
		return nil, err
	}
	return &ghzLoad{load: b.Load, calls: made, kept: kept, output: output}, nil
}

func (g *ghzLoad) play(start time.Time) error {
	failed := g.send(start)
	return errors.Join(failed, writeReport(g.output, g.report(start)), g.output.Close())
}

func (g *ghzLoad) send(start time.Time) error {
	if g.load.Kind == "users" {
		return g.sendAsUsers(usersOf(g.load, start))
	}
	pace, err := byAlarm(newPacer(g.load, start))
	if err != nil {
		return err
	}
	defer pace.close()
	return g.sendPaced(pace)
}

// sendPaced makes the calls in turn on as many workers as the load has, and waits for the answers under way when the time is up.
func (g *ghzLoad) sendPaced(pace *punctual) error {
	ticks := make(chan uint64)
	failures := make([]error, g.load.Workers)
	var working sync.WaitGroup
	for i := range failures {
		working.Add(1)
		go func() {
			defer working.Done()
			for hit := range ticks {
				failure := guarded(func() error { return g.call(g.connection(i), hit) })
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

// sendAsUsers makes the calls in turn, each user one after the other.
func (g *ghzLoad) sendAsUsers(users []user) error {
	failures := make([]error, len(users))
	var hits atomic.Uint64
	var working sync.WaitGroup
	for i, user := range users {
		working.Add(1)
		go func() {
			defer working.Done()
			time.Sleep(time.Until(user.begin))
			for answered := uint64(0); failures[i] == nil && !user.isDone(answered); answered++ {
				failures[i] = guarded(func() error { return g.call(g.connection(i), hits.Add(1)-1) })
			}
		}()
	}
	working.Wait()
	return errors.Join(failures...)
}

// connection is that of a worker, spread as ghz spreads its workers.
func (g *ghzLoad) connection(worker int) *grpc.ClientConn {
	return g.kept.all[worker%len(g.kept.all)]
}

// call makes one call, and records how it ended: what the service answers, an error too, is no failure of the load.
func (g *ghzLoad) call(connection *grpc.ClientConn, hit uint64) error {
	until, cancel := context.WithTimeout(context.Background(), g.load.timeout())
	defer cancel()
	begun := time.Now()
	failure := g.calls[hit%uint64(len(g.calls))].make(until, connection)
	g.records.note(begun, failure)
	return nil
}

func (g *ghzLoad) report(start time.Time) runner.Report {
	details := g.records.ended
	return runner.Report{
		EndReason: runner.ReasonNormalEnd,
		Date:      start,
		Options:   runner.Options{Call: g.load.Target.Requests[0].Call, Host: g.load.Target.Address},
		Count:     uint64(len(details)),
		Total:     time.Since(start),
		Details:   details,
	}
}
