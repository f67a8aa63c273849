package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

// ghzLoad has the loads of a group over gRPC that use open connections. The calls are made here, with the same libraries as ghz, since
// ghz's own runner (runner.go) dials for each run and disconnects at its end: in a block of 0.5 s that alone took 1 to 2% of a Python
// service's CPU time, and not always the same.
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
	records *recorder
}

func newGhzPart(b blockLoad, calls []grpcCall, kept *grpcConnections) (*ghzPart, error) {
	records, err := newRecorder(b)
	if err != nil {
		return nil, err
	}
	return &ghzPart{load: b.Load, calls: calls, kept: kept, records: records}, nil
}

func (g *ghzLoad) run(start time.Time) error {
	for _, part := range g.parts {
		part.records.begin(start)
	}
	failed := g.send(start)
	for _, part := range g.parts {
		failed = errors.Join(failed, part.records.write())
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

// sendPaced makes the calls in turn on all workers of the load, and waits for the calls in flight when the time is up.
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

// sendAsUsers makes the calls in turn, each user sequentially.
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

// connection returns the connection of a worker, assigned as in ghz.
func (p *ghzPart) connection(worker int) *grpc.ClientConn {
	return p.kept.all[worker%len(p.kept.all)]
}

// call makes one call, and records its outcome: any answer of the service, even an error, is not a failure of the load.
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
	// A statistics handler of grpc, which ghz uses, cannot do this: it sees a success if a service refuses a stream before all of it is sent.
	p.records.add(begun, time.Since(begun), seen.firstAfter(), endOfCall(failure))
	return nil
}

// endOfCall is a status, without a text if it is sufficient: a service may send a different text with each call.
func endOfCall(failure error) outcome {
	found, known := status.FromError(failure)
	if !known {
		return failed(failure.Error())
	}
	name := found.Code().String()
	if name == "Unavailable" {
		return outcome{name, failed(failure.Error()).Text}
	}
	return outcome{Status: name}
}
