package main

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/bojand/ghz/runner"
	"github.com/jhump/protoreflect/desc"
	"google.golang.org/grpc"
)

// ghzLoad are the loads of a group over gRPC, played as `ghz` plays one with the arguments in src/load/ghz/ghz.ts, and recorded in ghz's report.
// The calls are made here, by the libraries that ghz makes them by, since ghz's own runner dials for each run and hangs up at its
// end: in a block of 0.5 s that alone took 1 to 2 % of a Python service's CPU time, and not always the same.
type ghzLoad struct {
	load  load
	parts []*ghzPart
	turns *turns
}

// ghzPart is one load of the group.
type ghzPart struct {
	load    load
	calls   []grpcCall
	kept    *grpcConnections
	records calls
	output  *os.File
}

func newGhzPart(b blockLoad, method *desc.MethodDescriptor, kept *grpcConnections) (*ghzPart, error) {
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
		call.stream = b.Load.Target.Stream
		made = append(made, call)
	}
	output, err := os.Create(b.Output)
	if err != nil {
		return nil, err
	}
	return &ghzPart{load: b.Load, calls: made, kept: kept, output: output}, nil
}

func (g *ghzLoad) play(start time.Time) error {
	failed := g.send(start)
	for _, part := range g.parts {
		failed = errors.Join(failed, writeReport(part.output, part.report(start), part.records.firsts), part.output.Close())
	}
	return failed
}

func (g *ghzLoad) send(start time.Time) error {
	if g.load.isOfUsers() {
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
	ticks := make(chan turn)
	failures := make([]error, g.load.Workers)
	var working sync.WaitGroup
	for i := range failures {
		working.Add(1)
		go func() {
			defer working.Done()
			for next := range ticks {
				failure := guarded(func() error { return g.parts[next.load].call(i, next.nth) })
				failures[i] = errors.Join(failures[i], failure)
			}
		}()
	}
	for hit := uint64(0); ; hit++ {
		if _, stop := pace.Pace(0, hit); stop {
			break
		}
		ticks <- g.turns.next()
	}
	close(ticks)
	working.Wait()
	return errors.Join(append(failures, pace.failed)...)
}

// sendAsUsers makes the calls in turn, each user one after the other.
func (g *ghzLoad) sendAsUsers(users []user) error {
	failures := make([]error, len(users))
	var working sync.WaitGroup
	for i, user := range users {
		working.Add(1)
		go func() {
			defer working.Done()
			time.Sleep(time.Until(user.begin))
			for answered := uint64(0); failures[i] == nil && !user.isDone(answered); answered++ {
				next := g.turns.next()
				failures[i] = guarded(func() error { return g.parts[next.load].call(user.number, next.nth) })
				user.thinks()
			}
		}()
	}
	working.Wait()
	return errors.Join(failures...)
}

// connection is that of a worker, spread as ghz spreads its workers.
func (p *ghzPart) connection(worker int) *grpc.ClientConn {
	return p.kept.all[worker%len(p.kept.all)]
}

// call makes one call, and records how it ended: what the service answers, an error too, is no failure of the load.
func (p *ghzPart) call(worker int, nth uint64) error {
	until, cancel := context.WithTimeout(context.Background(), p.load.timeout())
	defer cancel()
	begun := time.Now()
	call := p.calls[nth%uint64(len(p.calls))]
	seen := call.stream.watch(begun, !call.kind.ServerStreams)
	failure := call.make(until, p.connection(worker), seen)
	if failure == nil {
		failure = seen.failure()
	}
	p.records.note(begun, failure, seen)
	return nil
}

func (p *ghzPart) report(start time.Time) runner.Report {
	details := p.records.ended
	return runner.Report{
		EndReason: runner.ReasonNormalEnd,
		Date:      start,
		Options:   runner.Options{Call: p.load.Target.Requests[0].Call, Host: p.load.Target.Address},
		Count:     uint64(len(details)),
		Total:     time.Since(start),
		Details:   details,
	}
}
