// Package api01 has the products, and serves them over HTTP, over gRPC, and over NATS.
package api01

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"
	"google.golang.org/grpc"

	"wiregauge/services/hops/go/internal/certificate"
	"wiregauge/services/hops/go/internal/products"
	"wiregauge/services/hops/go/internal/serving"
	"wiregauge/services/lib/pb/productsv1"
	"wiregauge/services/lib/program"
)

// Places has the listeners and addresses of the service.
type Places struct {
	HTTP, GRPC net.Listener
	// TLS is the listener for HTTP/2 with TLS; nil: none.
	TLS net.Listener
	// Messages is the address of a NATS server; empty: none.
	Messages string
	// Group is the queue group there: one of its members gets each message. Empty: none.
	Group string
	// Wait is the additional time of each message, like one that waits for a database.
	Wait time.Duration
}

// Serve answers at all of them until the context is done.
func Serve(ctx context.Context, at Places) error {
	// Comes first, so that it is not healthy before every way is open.
	if at.Messages != "" {
		connection, err := respond(at)
		if err != nil {
			return err
		}
		defer connection.Close()
	}
	works := []func(ctx context.Context) error{
		func(ctx context.Context) error { return program.ServeHTTP(ctx, at.HTTP, serving.Server(handler())) },
		func(ctx context.Context) error { return program.ServeGRPC(ctx, at.GRPC, server()) },
	}
	if at.TLS != nil {
		settings, err := certificate.Server()
		if err != nil {
			return err
		}
		works = append(works, func(ctx context.Context) error {
			return program.ServeHTTP(ctx, tls.NewListener(at.TLS, settings), serving.Server(handler()))
		})
	}
	return program.All(ctx, works...)
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", serving.Healthy)
	// The suite requests the path without a version from every service.
	mux.HandleFunc("GET /products", list)
	mux.HandleFunc("GET /api/v1/products", list)
	return mux
}

func list(answer http.ResponseWriter, _ *http.Request) {
	text, err := products.All.JSON()
	serving.WriteJSON(answer, text, err)
}

type productServer struct {
	productsv1.UnimplementedProductServiceServer
}

func (productServer) ListProducts(context.Context, *productsv1.ListProductsRequest) (*productsv1.ListProductsResponse, error) {
	return products.All.Message(), nil
}

func server() *grpc.Server {
	made := grpc.NewServer()
	productsv1.RegisterProductServiceServer(made, productServer{})
	return made
}

// respond answers over NATS: one message after another for each subject, the library's default.
func respond(at Places) (*nats.Conn, error) {
	connection, err := nats.Connect(at.Messages)
	if err != nil {
		return nil, fmt.Errorf("cannot reach NATS at %s: %w", at.Messages, err)
	}
	answers := map[string]func() ([]byte, error){products.Subject: products.All.JSON, products.Jobs: done}
	for subject, answer := range answers {
		_, failure := connection.QueueSubscribe(subject, at.Group, func(message *nats.Msg) {
			time.Sleep(at.Wait)
			// Without an answer, api02 reports a timeout. Nobody waits for that of most jobs.
			if text, err := answer(); err == nil {
				_ = message.Respond(text)
			}
		})
		err = errors.Join(err, failure)
	}
	if err == nil {
		// When this returns, the server knows of the subscriptions.
		err = connection.Flush()
	}
	if err != nil {
		connection.Close()
		return nil, err
	}
	return connection, nil
}

// done is the answer to a job.
func done() ([]byte, error) { return []byte(`{"done":true}`), nil }
