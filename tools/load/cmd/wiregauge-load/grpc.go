package main

import (
	"context"
	"math"
	"net"
	"sync"
	"time"

	"github.com/bojand/ghz/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// mostConnections is MOST_CONNECTIONS of src/load/ghz/ghz.ts.
const mostConnections = 16

// dialLimit is how long a block waits for its connections. Calls over one that is not there fail at once, and are recorded.
const dialLimit = 2 * time.Second

// openingTrips is how many round trips the opening of a connection takes at most: for TCP, for two of TLS, and for the protocol above.
const openingTrips = 5

// grpcConnections are the connections of one load.
type grpcConnections struct {
	all []*grpc.ClientConn
}

// dialGRPC opens connections with the options that ghz gives them and a codec that decodes nothing, and waits until each is there or
// was refused.
func dialGRPC(t target, workers int) (*grpcConnections, error) {
	secured, err := transport(t)
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(secured),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32), grpc.ForceCodec(frames{}),
		),
	}
	if t.link != nil {
		options = append(options, grpc.WithContextDialer(t.distantDialer()))
	}
	opened := &grpcConnections{}
	for range t.Connection.most(workers, min(mostConnections, workers)) {
		connection, err := grpc.Dial(t.Address, options...)
		if err != nil {
			opened.close()
			return nil, err
		}
		connection.Connect()
		opened.all = append(opened.all, connection)
	}
	limit, cancel := context.WithTimeout(context.Background(), dialLimit+t.link.time(openingTrips))
	defer cancel()
	for _, connection := range opened.all {
		settle(limit, connection)
	}
	return opened, nil
}

// distantDialer opens connections as grpc does by itself, but over the link.
func (t target) distantDialer() func(ctx context.Context, address string) (net.Conn, error) {
	return func(ctx context.Context, address string) (net.Conn, error) {
		return t.link.dial(ctx, func() (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, "tcp", address) })
	}
}

// transport is what ghz makes of --insecure, or of --cacert, --cert, --key, --cname and --skipTLS.
func transport(t target) (credentials.TransportCredentials, error) {
	config, err := t.Connection.tlsConfig()
	if err != nil || config == nil {
		return insecure.NewCredentials(), err
	}
	return credentials.NewTLS(config), nil
}

func settle(limit context.Context, connection *grpc.ClientConn) {
	for {
		state := connection.GetState()
		underWay := state == connectivity.Idle || state == connectivity.Connecting
		if !underWay || !connection.WaitForStateChange(limit, state) {
			return
		}
	}
}

// ready is false where one has gone, since it would wait ever longer before it dials again.
func (c *grpcConnections) ready() bool {
	for _, connection := range c.all {
		if connection.GetState() != connectivity.Ready {
			return false
		}
	}
	return true
}

func (c *grpcConnections) close() {
	for _, connection := range c.all {
		_ = connection.Close()
	}
}

// calls are the records of a load's calls, as ghz writes them.
type calls struct {
	lock  sync.Mutex
	ended []runner.ResultDetail
	// firsts are the times to the first message of each, if their answers are streams.
	firsts []time.Duration
}

// note records a call that began at an instant and has ended now, with an error or none. A handler of grpc's statistics, which ghz has,
// does not do: it is told of success if a service refuses a stream before all of it is sent.
func (c *calls) note(begun time.Time, failure error, seen *watch) {
	ended := time.Now()
	detail := runner.ResultDetail{Timestamp: ended, Latency: ended.Sub(begun)}
	if code, known := status.FromError(failure); known {
		detail.Status = code.Code().String()
	}
	if failure != nil {
		detail.Error = failure.Error()
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.ended = append(c.ended, detail)
	if seen != nil {
		c.firsts = append(c.firsts, seen.first)
	}
}
