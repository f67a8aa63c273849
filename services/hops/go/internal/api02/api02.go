// Package api02 has no products of its own: it requests them from api01 over HTTP/2, over gRPC, or over NATS.
package api02

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"wiregauge/services/hops/go/internal/serving"
	"wiregauge/services/lib/pb/productsv1"
)

// Addresses are those of api01; a way without one is closed.
type Addresses struct {
	// URL is the address of api01 over HTTP, such as http://127.0.0.1:9101; several, separated by commas, are requested at once.
	URL string
	// Target is the address of its gRPC server, such as 127.0.0.1:9091.
	Target string
	// Messages is the NATS server at which it responds, such as nats://127.0.0.1:4222.
	Messages string
}

// Ways are the protocols for requests to api01. Each keeps one connection for all requests, its library's default.
type Ways struct {
	byName map[string]way
	// jobs is the queue for a worker; nil: none.
	jobs   *nats.Conn
	closes []func()
}

// answerLimit is the time limit of api01.
const answerLimit = 5 * time.Second

// paths are those of the study, with the names of their ways.
var paths = map[string]string{"/api/v1/products": "http2", "/api/v2/products": "grpc", "/api/v3/products": "nats"}

// Open opens the ways that have an address. The caller closes them.
func Open(to Addresses) (*Ways, error) {
	ways := &Ways{byName: map[string]way{}}
	if to.URL != "" {
		asked, err := overHTTP(strings.Split(to.URL, ","))
		if err != nil {
			return nil, err
		}
		ways.byName["http2"] = asked
	}
	if to.Target != "" {
		connection, err := grpc.NewClient(to.Target, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return nil, fmt.Errorf("cannot use %s: %w", to.Target, err)
		}
		ways.closes = append(ways.closes, func() { _ = connection.Close() })
		ways.byName["grpc"] = overGRPC(productsv1.NewProductServiceClient(connection))
	}
	if to.Messages != "" {
		connection, err := nats.Connect(to.Messages)
		if err != nil {
			ways.Close()
			return nil, fmt.Errorf("cannot reach NATS at %s: %w", to.Messages, err)
		}
		ways.closes = append(ways.closes, connection.Close)
		ways.byName["nats"] = overNATS(connection)
		ways.jobs = connection
	}
	return ways, nil
}

// Close closes their connections.
func (ways *Ways) Close() {
	for _, one := range ways.closes {
		one()
	}
}

// Handler answers the path of each open way, and /products, which the suite requests from every service, by the way of that
// name.
func (ways *Ways) Handler(name string) (http.Handler, error) {
	chosen, isOpen := ways.byName[name]
	if !isOpen {
		return nil, fmt.Errorf("WAY is %q, and must be http2 with API01_URL, grpc with API01_TARGET, or nats with NATS_URL", name)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", serving.Healthy)
	mux.HandleFunc("GET /products", asking(chosen))
	if ways.jobs != nil {
		mux.HandleFunc("POST /jobs", sending(ways.jobs))
		mux.HandleFunc("GET /jobs/lag", lag(ways.jobs))
	}
	for path, name := range paths {
		if one, isOpen := ways.byName[name]; isOpen {
			mux.HandleFunc("GET "+path, asking(one))
		}
	}
	return mux, nil
}

func asking(ask way) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		ctx, cancel := context.WithTimeout(request.Context(), answerLimit)
		defer cancel()
		list, err := ask(ctx)
		if err != nil {
			http.Error(answer, err.Error(), http.StatusBadGateway)
			return
		}
		text, err := list.JSON()
		serving.WriteJSON(answer, text, err)
	}
}
