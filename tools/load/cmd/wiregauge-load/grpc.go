package main

import (
	"context"
	"math"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// mostConnections is the maximum number of connections of a load. More would be dialed only at first use, and spoil the first second
// (docs/measurement.md).
const mostConnections = 16

// dialLimit is the time limit of a block for its connections. Calls over a missing one fail at once, and are recorded.
const dialLimit = 2 * time.Second

// openingTrips is the maximum number of round trips to open a connection: for TCP, for two of TLS, and for the protocol above.
const openingTrips = 5

// grpcConnections are the connections of one load.
type grpcConnections struct {
	all []*grpc.ClientConn
}

// dialGRPC opens connections with the options of ghz and a codec that decodes nothing, and waits until each is open or refused.
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

// distantDialer opens connections as grpc does by default, but over the link.
func (t target) distantDialer() func(ctx context.Context, address string) (net.Conn, error) {
	return func(ctx context.Context, address string) (net.Conn, error) {
		return t.link.dial(ctx, func() (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, "tcp", address) })
	}
}

// transport returns the equivalent of ghz's --insecure, or of --cacert, --cert, --key, --cname and --skipTLS.
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

// ready is false if a connection is lost, since it would wait ever longer before it redials.
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
