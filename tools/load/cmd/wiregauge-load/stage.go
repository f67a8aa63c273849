package main

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// lead is the time between the last preparation and the first request, in which every load reaches its pacer.
const lead = 2 * time.Millisecond

var errNotRun = errors.New("not run, because another load of the block could not be prepared")

// preparedLoad is a load that is ready to run.
type preparedLoad interface {
	// run sends the requests from the instant on. It returns when every response is recorded and the record file closed.
	run(start time.Time) error
}

// connections belong to a load, and the next block of the same kind reuses them.
type connections interface {
	// ready is false if another block cannot use them.
	ready() bool
	close()
}

// key is shared by loads that may use the same connections one after another.
type key struct {
	tool, address, checked string
	connection             connectionKey
	workers                int
	// own is true if each user has a separate connection.
	own bool
	// handshake has the parameters with which the connections of a WebSocket are opened.
	handshake string
	// fresh is true if no other block uses them.
	fresh   bool
	network network
}

func keyOf(b blockLoad) key {
	t := b.Load.Target
	own := b.Load.Kind == "stages"
	return key{b.Tool, t.Address, t.Checked, t.Connection.key(), b.Load.Workers, own, t.handshake(), b.Load.Fresh, b.Load.distance()}
}

// stage runs blocks. Between blocks it keeps the connections of the last one and no others, so that the open connections during a block do not
// depend on the blocks before it.
type stage struct {
	idle  map[key][]connections
	links map[place]*link
}

// block has the prepared loads, or the reason that they are not.
type block struct {
	loads    []blockLoad
	groups   []*group
	prepared []preparedLoad
	failures []error
	used     map[key][]connections
}

// prepare prepares all loads of a block.
func (s *stage) prepare(loads []blockLoad) block {
	b := block{loads: loads, groups: groupsOf(loads), used: map[key][]connections{}}
	b.prepared, b.failures = s.readyAll(b.groups, b.used)
	return b
}

// run runs all loads of a block concurrently from one instant, or from now on if that is past, and returns their results.
func (s *stage) run(b block, start time.Time) blockAnswer {
	answer := blockAnswer{Results: make([]result, len(b.loads))}
	if now := time.Now(); now.After(start) {
		start = now
	}
	var running sync.WaitGroup
	failures := b.failures
	for i, load := range b.prepared {
		running.Add(1)
		go func() {
			defer running.Done()
			failures[i] = guarded(func() error { return load.run(start) })
		}()
	}
	running.Wait()
	s.keep(b.used)
	answer.StartedNs, answer.EndedNs = start.UnixNano(), time.Now().UnixNano()
	for i, failure := range failures {
		if failure != nil {
			for _, at := range b.groups[i].at {
				answer.Results[at].Error = failure.Error()
			}
		}
	}
	return answer
}

// readyAll returns a prepared load for each group, or none with the reason.
func (s *stage) readyAll(groups []*group, used map[key][]connections) ([]preparedLoad, []error) {
	prepared := make([]preparedLoad, len(groups))
	failures := make([]error, len(groups))
	for i, g := range groups {
		failures[i] = guarded(func() (err error) {
			prepared[i], err = s.ready(g, used)
			return err
		})
	}
	if errors.Join(failures...) == nil {
		return prepared, failures
	}
	for i := range failures {
		if failures[i] == nil {
			failures[i] = errNotRun
		}
	}
	return nil, failures
}

func (s *stage) ready(g *group, used map[key][]connections) (preparedLoad, error) {
	for i := range g.loads {
		one := &g.loads[i].Load
		if err := one.check(); err != nil {
			return nil, err
		}
		link, err := s.linkTo(one.Target.Address, one.Network)
		if err != nil {
			return nil, err
		}
		one.Target.link = link
	}
	switch tool := g.loads[0].Tool; tool {
	case "vegeta":
		return s.readyHTTP(g, used)
	case "ghz":
		return s.readyGRPC(g, used)
	case "websocket":
		return s.readyWebSocket(g, used)
	default:
		return nil, fmt.Errorf("there is no tool %q", tool)
	}
}

// readyHTTP takes one set of connections for all loads of a group, since any of its workers may send a request of any.
func (s *stage) readyHTTP(g *group, used map[key][]connections) (preparedLoad, error) {
	all := g.whole()
	open := func() (*httpConnections, error) { return dialHTTP(all.Load.Target, all.Load.Workers, 0) }
	if all.Load.Kind == "stages" && all.Load.Target.Connection.most(1, 0) == 0 {
		open = func() (*httpConnections, error) { return dialForEach(all.Load.Target, all.Load.Workers) }
	}
	kept, err := take(s, all, used, open)
	if err != nil {
		return nil, err
	}
	return newVegetaLoad(g, kept)
}

// readyWebSocket takes one set of connections for all loads of a group that are opened alike: any of its workers may send a message of any.
func (s *stage) readyWebSocket(g *group, used map[key][]connections) (preparedLoad, error) {
	pools := map[key]*socketPool{}
	round := socketRound{}
	for _, b := range g.loads {
		b.Load.Workers = g.whole().Load.Workers
		if pools[keyOf(b)] == nil {
			pool, err := take(s, b, used, func() (*socketPool, error) { return dialSockets(b.Load.Target, b.Load.Workers) })
			if err != nil {
				return nil, err
			}
			pools[keyOf(b)] = pool
		}
		round.pools = append(round.pools, pools[keyOf(b)])
	}
	return newVegetaLoad(g, &httpConnections{[]*http.Client{{Transport: round}}})
}

// readyGRPC takes connections for each load: any number of calls share one. If possible, ghz's runner sends a load with its own connections.
func (s *stage) readyGRPC(g *group, used map[key][]connections) (preparedLoad, error) {
	if len(g.loads) == 1 && g.loads[0].Load.isForRunner() {
		return newGhzRun(g.loads[0])
	}
	ready := &ghzLoad{load: g.whole().Load, turns: newTurns(g.loads)}
	for _, b := range g.loads {
		calls, err := callsOf(b.Load.Target)
		if err != nil {
			return nil, err
		}
		open := func() (*grpcConnections, error) { return dialGRPC(b.Load.Target, b.Load.Workers) }
		kept, err := take(s, b, used, open)
		if err != nil {
			return nil, err
		}
		part, err := newGhzPart(b, calls, kept)
		if err != nil {
			return nil, err
		}
		ready.parts = append(ready.parts, part)
	}
	return ready, nil
}

// take returns the connections of the last block's load of the same kind, else new ones, and marks them as used.
func take[C connections](s *stage, b blockLoad, used map[key][]connections, open func() (C, error)) (C, error) {
	k := keyOf(b)
	var found C
	if idle := s.idle[k]; len(idle) > 0 {
		found = idle[0].(C)
		s.idle[k] = idle[1:]
	} else {
		opened, err := open()
		if err != nil {
			return found, err
		}
		found = opened
	}
	used[k] = append(used[k], found)
	return found, nil
}

// keep closes all connections that the block did not use, or that cannot be used again.
func (s *stage) keep(used map[key][]connections) {
	kept := map[key][]connections{}
	for k, all := range used {
		for _, one := range all {
			if one.ready() && !k.fresh {
				kept[k] = append(kept[k], one)
			} else {
				one.close()
			}
		}
	}
	for _, all := range s.idle {
		for _, one := range all {
			one.close()
		}
	}
	s.idle = kept
}

// guarded turns a panic into an error, so that one block does not end the program.
func guarded(work func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("it panicked: %v", panicked)
		}
	}()
	return work()
}
