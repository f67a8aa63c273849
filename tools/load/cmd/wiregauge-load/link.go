package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// network is the Network of src/model/suite/network.ts: the distance of a service. All fields are 0 if it is local.
type network struct {
	RTTMs         float64 `json:"rttMs"`
	JitterMs      float64 `json:"jitterMs"`
	BandwidthMbit float64 `json:"bandwidthMbit"`
	// ReadMbit is the reading speed of each connection; 0: unlimited.
	ReadMbit float64 `json:"readMbit"`
}

// isHere returns true without any distance.
func (n network) isHere() bool { return n.RTTMs == 0 && n.BandwidthMbit == 0 }

func (n network) roundTrip() time.Duration { return milliseconds(n.RTTMs) }

func milliseconds(count float64) time.Duration {
	return time.Duration(count * float64(time.Millisecond))
}

// place is shared by the connections of a link.
type place struct {
	address string
	network network
}

// link is the path to a distant service, which all connections to it share. google.golang.org/grpc/benchmark/latency, which is similar,
// wraps both ends of a connection, but a service under test only has its own.
type link struct {
	network  network
	bell     *bell
	up, down way
	answers  atomic.Uint64
}

// way is one direction of a link: with a bandwidth, parcels are sent one after another.
type way struct {
	lock sync.Mutex
	free time.Time
}

// linkTo returns the link to a service, the same for all connections; nil if it is local.
func (s *stage) linkTo(address string, n *network) (*link, error) {
	if n == nil || n.isHere() && n.ReadMbit == 0 {
		return nil, nil
	}
	at := place{address, *n}
	if found := s.links[at]; found != nil {
		return found, nil
	}
	bell, err := theBell()
	if err != nil {
		return nil, err
	}
	if s.links == nil {
		s.links = map[place]*link{}
	}
	s.links[at] = &link{network: *n, bell: bell}
	return s.links[at], nil
}

// dial opens a connection over the link, which takes a round trip, even if it fails. A nil link has no distance.
func (l *link) dial(ctx context.Context, open func() (net.Conn, error)) (net.Conn, error) {
	if l == nil {
		return open()
	}
	if err := l.bell.sleep(ctx, l.network.roundTrip()/2); err != nil {
		return nil, err
	}
	conn, failed := open()
	err := l.bell.sleep(ctx, l.network.roundTrip()/2)
	switch {
	case failed != nil:
		return nil, failed
	case err != nil:
		_ = conn.Close()
		return nil, err
	}
	if l.network.ReadMbit > 0 {
		conn = newSlowReader(conn, l.network.ReadMbit)
	}
	if l.network.isHere() {
		return conn, nil
	}
	return newDistant(conn, l), nil
}

// time is the duration of n round trips.
func (l *link) time(roundTrips int) time.Duration {
	if l == nil {
		return 0
	}
	return time.Duration(roundTrips) * l.network.roundTrip()
}

func (l *link) arrivalThere(bytes int) time.Time {
	return l.up.sent(l.network.transfer(bytes)).Add(l.network.roundTrip() / 2)
}

// arrivalHere includes the jitter of the whole round trip.
func (l *link) arrivalHere(bytes int) time.Time {
	at := l.down.sent(l.network.transfer(bytes)).Add(l.network.roundTrip() / 2)
	if l.network.JitterMs == 0 {
		return at
	}
	chance := 2*randomAt(jitterSeed, l.answers.Add(1)) - 1
	return at.Add(time.Duration(chance * float64(milliseconds(l.network.JitterMs))))
}

// jitterSeed gives every link the same jitter.
const jitterSeed = 1

// transfer is the time that n bytes take on the link.
func (n network) transfer(bytes int) time.Duration {
	if n.BandwidthMbit == 0 {
		return 0
	}
	const bitsOfByte = 8
	return time.Duration(float64(bytes) * bitsOfByte / n.BandwidthMbit * float64(time.Microsecond))
}

// sent returns the time at which a transfer of this length will be complete.
func (w *way) sent(transfer time.Duration) time.Time {
	w.lock.Lock()
	defer w.lock.Unlock()
	if now := time.Now(); w.free.Before(now) {
		w.free = now
	}
	w.free = w.free.Add(transfer)
	return w.free
}

// distance returns that of a load's service.
func (l load) distance() network {
	if l.Network == nil {
		return network{}
	}
	return *l.Network
}

func (n *network) check() error {
	switch {
	case n == nil:
		return nil
	case n.RTTMs < 0 || n.JitterMs < 0 || n.BandwidthMbit < 0 || n.ReadMbit < 0:
		return errors.New("round-trip time, jitter, bandwidth and read rate of a network must not be negative")
	case n.JitterMs > n.RTTMs/2:
		return errors.New("the jitter of a network must be at most half its round-trip time")
	}
	return nil
}
