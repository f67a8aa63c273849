package program

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// usualGrace is the time for requests in flight at the end, for programs without a setting for it.
const usualGrace = time.Second

// Grace is the time for requests in flight at the end, from the setting GRACEFUL_SECONDS.
func (settings Settings) Grace() (time.Duration, error) {
	seconds, err := settings.Number("GRACEFUL_SECONDS", 1, 300)
	return time.Duration(seconds) * time.Second, err
}

// ServeHTTP runs a server until the context is done.
func ServeHTTP(ctx context.Context, listener net.Listener, server *http.Server) error {
	return ServeHTTPWithin(ctx, usualGrace, listener, server)
}

// ServeHTTPWithin is the same with another time for requests in flight.
func ServeHTTPWithin(ctx context.Context, grace time.Duration, listener net.Listener, server *http.Server) error {
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		limited, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		ended <- server.Shutdown(limited)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := <-ended; errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return nil
}

// GRPC is a *grpc.Server, without its module: not every program needs that.
type GRPC interface {
	Serve(listener net.Listener) error
	GracefulStop()
	Stop()
}

// ServeGRPC runs a server until the context is done.
func ServeGRPC(ctx context.Context, listener net.Listener, server GRPC) error {
	return ServeGRPCWithin(ctx, usualGrace, listener, server)
}

// ServeGRPCWithin is the same with another time for calls in flight.
func ServeGRPCWithin(ctx context.Context, grace time.Duration, listener net.Listener, server GRPC) error {
	go func() {
		<-ctx.Done()
		end := time.AfterFunc(grace, server.Stop)
		defer end.Stop()
		server.GracefulStop()
	}()
	return server.Serve(listener)
}

// All runs several works concurrently until all are done; the first failure ends the others.
func All(ctx context.Context, works ...func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ends := make(chan error, len(works))
	for _, work := range works {
		go func() { ends <- work(ctx) }()
	}
	var first error
	for range works {
		if err := <-ends; err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}
