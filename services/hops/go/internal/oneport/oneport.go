// Package oneport lets a program answer over gRPC and over HTTP/1.1 at one port: gRPC clients begin with the preface of HTTP/2.
package oneport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"wiregauge/services/lib/program"
)

// preface begins every connection of HTTP/2, and is not a method of HTTP/1.1. Source:
// https://www.rfc-editor.org/rfc/rfc9113#section-3.4
const preface = "PRI"

// pause is the wait after a connection that could not be accepted.
const pause = 5 * time.Millisecond

// Serve answers at a listener over both until the context is done.
func Serve(ctx context.Context, listener net.Listener, server *grpc.Server, handler http.Handler) error {
	overHTTP2, overHTTP1 := split(listener)
	return program.All(ctx,
		func(ctx context.Context) error { return program.ServeGRPC(ctx, overHTTP2, server) },
		func(ctx context.Context) error {
			return program.ServeHTTP(ctx, overHTTP1, &http.Server{Handler: handler})
		},
	)
}

// split distributes the connections of a listener to two, which close it together.
func split(listener net.Listener) (overHTTP2, overHTTP1 net.Listener) {
	open := new(atomic.Int32)
	open.Store(2)
	newHalf := func() *half {
		return &half{Listener: listener, open: open, arrived: make(chan net.Conn), closed: make(chan struct{})}
	}
	first, second := newHalf(), newHalf()
	go accept(listener, func(connection net.Conn) {
		start := make([]byte, len(preface))
		if _, err := io.ReadFull(connection, start); err != nil {
			_ = connection.Close()
			return
		}
		chosen := second
		if string(start) == preface {
			chosen = first
		}
		chosen.take(&begun{Conn: connection, start: start})
	})
	return first, second
}

func accept(listener net.Listener, hand func(connection net.Conn)) {
	for {
		connection, err := listener.Accept()
		switch {
		case err == nil:
			go hand(connection)
		case errors.Is(err, net.ErrClosed):
			return
		default:
			time.Sleep(pause)
		}
	}
}

// half is a listener for some of the connections of another one.
type half struct {
	net.Listener
	// open is the number of halves that are not closed.
	open    *atomic.Int32
	arrived chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func (half *half) take(connection net.Conn) {
	select {
	case half.arrived <- connection:
	case <-half.closed:
		_ = connection.Close()
	}
}

// Accept returns the next of its connections.
func (half *half) Accept() (net.Conn, error) {
	select {
	case connection := <-half.arrived:
		return connection, nil
	case <-half.closed:
		return nil, net.ErrClosed
	}
}

// Close ends it, and with the last half the listener itself.
func (half *half) Close() (err error) {
	half.once.Do(func() {
		close(half.closed)
		if half.open.Add(-1) == 0 {
			err = half.Listener.Close()
		}
	})
	return err
}

// begun is a connection whose first bytes were already read.
type begun struct {
	net.Conn
	start []byte
}

func (connection *begun) Read(into []byte) (int, error) {
	if len(connection.start) == 0 {
		return connection.Conn.Read(into)
	}
	read := copy(into, connection.start)
	connection.start = connection.start[read:]
	return read, nil
}
