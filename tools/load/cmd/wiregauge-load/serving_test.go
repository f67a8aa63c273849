package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

// received records the requests that a service gets, in order, and the number of their connections.
type received struct {
	lock        sync.Mutex
	calls       []string
	connections map[string]bool
}

func (a *received) note(call, peer string) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.connections == nil {
		a.connections = map[string]bool{}
	}
	a.calls = append(a.calls, call)
	a.connections[peer] = true
}

func (a *received) all() []string {
	a.lock.Lock()
	defer a.lock.Unlock()
	return append([]string{}, a.calls...)
}

// serveHTTP answers every path with 200, and /broken with 503. It returns its address.
func serveHTTP(t *testing.T) (string, *received) {
	t.Helper()
	noted := &received{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		noted.note(r.Method+" "+r.URL.Path, r.RemoteAddr)
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://"), noted
}

type healthServer struct {
	grpc_health_v1.UnimplementedHealthServer
	noted *received
}

func (h healthServer) Check(ctx context.Context, r *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	h.noted.note(r.Service, "")
	if r.Service == "broken" {
		return nil, status.Error(codes.NotFound, "there is none")
	}
	return &grpc_health_v1.HealthCheckResponse{}, nil
}

// serveGRPC answers Check, and with NotFound for the service "broken". It returns its address and the listener's count of
// connections.
func serveGRPC(t *testing.T) (string, *received, *countingListener) {
	t.Helper()
	noted := &received{}
	address, listener := serveHealth(t, healthServer{noted: noted})
	return address, noted, listener
}

func serveHealth(t *testing.T, health grpc_health_v1.HealthServer) (string, *countingListener) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener := &countingListener{Listener: inner}
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, health)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return inner.Addr().String(), listener
}

// countingListener counts accepted connections.
type countingListener struct {
	net.Listener
	lock     sync.Mutex
	accepted int
}

func (l *countingListener) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	l.lock.Lock()
	defer l.lock.Unlock()
	if err == nil {
		l.accepted++
	}
	return connection, err
}

func (l *countingListener) count() int {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.accepted
}

// closedAddress returns an address without a listener.
func closedAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func httpLoad(t *testing.T, address string, calls ...string) blockLoad {
	t.Helper()
	requests := []callRequest{}
	for _, call := range calls {
		requests = append(requests, callRequest{Call: call})
	}
	return blockLoad{"vegeta", t.TempDir() + "/records", load{
		Kind: "open", Target: target{Address: address, Requests: requests},
		RatePerSecond: 100, Seconds: 0.4, Workers: 4, TimeoutSeconds: 60,
	}}
}

func grpcLoad(t *testing.T, address string, names ...string) blockLoad {
	t.Helper()
	requests := []callRequest{}
	for _, name := range names {
		requests = append(requests, callRequest{Call: "grpc.health.v1.Health/Check", Messages: [][]byte{textMessage(name)}})
	}
	return blockLoad{"ghz", t.TempDir() + "/records", load{
		Kind: "open", Target: target{Address: address, Requests: requests, Method: &methodKind{}},
		RatePerSecond: 100, Seconds: 0.4, Workers: 4, TimeoutSeconds: 60,
	}}
}

// textMessage is a message whose first field is a text.
func textMessage(text string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), text)
}
