package main

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/bojand/ghz/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// mostConnections is MOST_CONNECTIONS of src/load/ghz/ghz.ts.
const mostConnections = 16

// dialLimit is how long a block waits for its connections. Calls over one that is not there fail at once, and are recorded.
const dialLimit = 2 * time.Second

// grpcConnections are the connections of one load, and what was called over them.
type grpcConnections struct {
	all   []*grpc.ClientConn
	calls *calls
}

// dialGRPC opens connections with the options that ghz gives them and a codec that decodes nothing, and waits until each is there or
// was refused.
func dialGRPC(t target, workers int) (*grpcConnections, error) {
	secured, err := transport(t)
	if err != nil {
		return nil, err
	}
	opened := &grpcConnections{calls: &calls{}}
	for range min(mostConnections, workers) {
		connection, err := grpc.Dial(t.Address,
			grpc.WithTransportCredentials(secured),
			grpc.WithDefaultCallOptions(
				grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32), grpc.ForceCodec(frames{}),
			),
			grpc.WithStatsHandler(opened.calls),
		)
		if err != nil {
			opened.close()
			return nil, err
		}
		connection.Connect()
		opened.all = append(opened.all, connection)
	}
	limit, cancel := context.WithTimeout(context.Background(), dialLimit)
	defer cancel()
	for _, connection := range opened.all {
		settle(limit, connection)
	}
	return opened, nil
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

// calls notes each call that ends, as ghz notes it. It is a stats.Handler of grpc.
type calls struct {
	lock  sync.Mutex
	ended []runner.ResultDetail
}

func (c *calls) begin() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.ended = nil
}

func (c *calls) end() []runner.ResultDetail {
	c.lock.Lock()
	defer c.lock.Unlock()
	ended := c.ended
	c.ended = nil
	return ended
}

// HandleRPC notes a call at its end: the time is that of the end, as in ghz's own records.
func (c *calls) HandleRPC(_ context.Context, event stats.RPCStats) {
	end, ok := event.(*stats.End)
	if !ok {
		return
	}
	detail := runner.ResultDetail{Timestamp: end.EndTime, Latency: end.EndTime.Sub(end.BeginTime)}
	if code, known := status.FromError(end.Error); known {
		detail.Status = code.Code().String()
	}
	if end.Error != nil {
		detail.Error = end.Error.Error()
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.ended = append(c.ended, detail)
}

// HandleConn, TagConn and TagRPC are what stats.Handler asks for besides.
func (c *calls) HandleConn(context.Context, stats.ConnStats) {}

// TagConn leaves the context as it is.
func (c *calls) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// TagRPC leaves the context as it is.
func (c *calls) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }
