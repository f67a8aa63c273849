package program

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"google.golang.org/grpc"
)

// grace is how long requests in flight may take at the end.
const grace = time.Second

// ServeHTTP answers over HTTP/1.1 until the context is done. All else is the default of net/http.
func ServeHTTP(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler}
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

// ServeGRPC answers until the context is done.
func ServeGRPC(ctx context.Context, listener net.Listener, server *grpc.Server) error {
	go func() {
		<-ctx.Done()
		end := time.AfterFunc(grace, server.Stop)
		defer end.Stop()
		server.GracefulStop()
	}()
	return server.Serve(listener)
}

// All does several works side by side until all are done; the first that fails ends the others.
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
