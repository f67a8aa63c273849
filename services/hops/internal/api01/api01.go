// Package api01 has the products, and gives them over HTTP, over gRPC, and over NATS.
package api01

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/nats-io/nats.go"
	"google.golang.org/grpc"

	"wiregauge/services/hops/internal/products"
	"wiregauge/services/hops/internal/productsv1"
	"wiregauge/services/hops/internal/program"
)

// Places are what it answers at.
type Places struct {
	HTTP, GRPC net.Listener
	// Messages is the address of a NATS server; empty: none.
	Messages string
}

// Serve answers at all of them until the context is done.
func Serve(ctx context.Context, at Places) error {
	// First, so that it is not healthy before every way is open.
	if at.Messages != "" {
		connection, err := respond(at.Messages)
		if err != nil {
			return err
		}
		defer connection.Close()
	}
	return program.All(ctx,
		func(ctx context.Context) error { return program.ServeHTTP(ctx, at.HTTP, handler()) },
		func(ctx context.Context) error { return program.ServeGRPC(ctx, at.GRPC, server()) },
	)
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", program.Healthy)
	// The suite asks every service for the path without a version.
	mux.HandleFunc("GET /products", list)
	mux.HandleFunc("GET /api/v1/products", list)
	return mux
}

func list(answer http.ResponseWriter, _ *http.Request) {
	text, err := products.All.JSON()
	program.WriteJSON(answer, text, err)
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

// respond answers over NATS, one message after the other, as the library does by default.
func respond(address string) (*nats.Conn, error) {
	connection, err := nats.Connect(address)
	if err != nil {
		return nil, fmt.Errorf("cannot reach NATS at %s: %w", address, err)
	}
	_, err = connection.Subscribe(products.Subject, func(message *nats.Msg) {
		// Without an answer api02 says that there was none in time.
		if text, err := products.All.JSON(); err == nil {
			_ = message.Respond(text)
		}
	})
	if err == nil {
		// The server knows of the subscription when this returns.
		err = connection.Flush()
	}
	if err != nil {
		connection.Close()
		return nil, err
	}
	return connection, nil
}
