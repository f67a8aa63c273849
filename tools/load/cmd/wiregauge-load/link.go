package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// network is the Network of src/model/suite/network.ts: how far away a service is. All is 0 if it is here.
type network struct {
	RTTMs         float64 `json:"rttMs"`
	JitterMs      float64 `json:"jitterMs"`
	BandwidthMbit float64 `json:"bandwidthMbit"`
	// ReadMbit is how fast each connection is read; 0: as fast as can be.
	ReadMbit float64 `json:"readMbit"`
}

// isHere says whether there is no way to go.
func (n network) isHere() bool { return n.RTTMs == 0 && n.BandwidthMbit == 0 }

func (n network) roundTrip() time.Duration { return milliseconds(n.RTTMs) }

func milliseconds(count float64) time.Duration {
	return time.Duration(count * float64(time.Millisecond))
}

// place is what the connections of a link have in common.
type place struct {
	address string
	network network
}

// link is the way to a service that is far away, which all connections to it share. google.golang.org/grpc/benchmark/latency, which has the
// same, wraps both ends of a connection, and a service under test has only its own.
type link struct {
	network  network
	bell     *bell
	up, down way
	answers  atomic.Uint64
}

// way is one direction of a link: with a bandwidth, one parcel goes after the other.
type way struct {
	lock sync.Mutex
	free time.Time
}

// linkTo gives the link to a service, the same for all connections; nil if it is here.
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

// dial opens a connection over the link, which takes a round trip, also if it fails. A nil link is no distance.
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

// arrivalHere has the jitter of the whole round trip.
func (l *link) arrivalHere(bytes int) time.Time {
	at := l.down.sent(l.network.transfer(bytes)).Add(l.network.roundTrip() / 2)
	if l.network.JitterMs == 0 {
		return at
	}
	chance := 2*randomAt(jitterSeed, l.answers.Add(1)) - 1
	return at.Add(time.Duration(chance * float64(milliseconds(l.network.JitterMs))))
}

// jitterSeed makes the jitter of each link the same.
const jitterSeed = 1

// transfer is the time that n bytes take on the link.
func (n network) transfer(bytes int) time.Duration {
	if n.BandwidthMbit == 0 {
		return 0
	}
	const bitsOfByte = 8
	return time.Duration(float64(bytes) * bitsOfByte / n.BandwidthMbit * float64(time.Microsecond))
}

// sent gives the instant at which what takes so long to be sent has been sent.
func (w *way) sent(transfer time.Duration) time.Time {
	w.lock.Lock()
	defer w.lock.Unlock()
	if now := time.Now(); w.free.Before(now) {
		w.free = now
	}
	w.free = w.free.Add(transfer)
	return w.free
}

// distance is how far away the service of a load is.
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
		return errors.New("a network has no round trip, jitter, bandwidth or rate of reading below 0")
	case n.JitterMs > n.RTTMs/2:
		return errors.New("a network has a jitter of at most half a round trip")
	}
	return nil
}
