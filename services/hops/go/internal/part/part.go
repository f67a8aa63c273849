// Package part is a member of a gateway. It has some parts of all profiles, and serves them over HTTP and over gRPC.
package part

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"

	"wiregauge/services/hops/go/internal/figures"
	"wiregauge/services/hops/go/internal/oneport"
	"wiregauge/services/hops/go/internal/profiles"
	"wiregauge/services/hops/go/internal/serving"
	"wiregauge/services/lib/pb/profilesv1"
)

// Serve answers at a listener with the parts of a store until the context is done.
func Serve(ctx context.Context, listener net.Listener, store profiles.Store) error {
	shown := figures.New()
	took := shown.Seconds("part_request_seconds", "How long this member took for a request of its gateway.")
	server := grpc.NewServer()
	profilesv1.RegisterPartServiceServer(server, &partServer{store: store, took: took})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", serving.Healthy)
	mux.Handle("GET /metrics", shown.Page())
	mux.HandleFunc("GET /parts/{id}", overHTTP(store, took))
	return oneport.Serve(ctx, listener, server, mux)
}

func overHTTP(store profiles.Store, took prometheus.Histogram) http.HandlerFunc {
	return func(answer http.ResponseWriter, request *http.Request) {
		start := time.Now()
		id, err := profiles.ID(request.PathValue("id"))
		var parts []profiles.Part
		if err == nil {
			parts, err = store.Of(id)
		}
		profiles.Write(answer, profiles.Parts{Parts: parts}, err)
		took.Observe(time.Since(start).Seconds())
	}
}

type partServer struct {
	profilesv1.UnimplementedPartServiceServer
	store profiles.Store
	took  prometheus.Histogram
}

func (server *partServer) GetParts(_ context.Context, request *profilesv1.GetPartsRequest) (*profilesv1.GetPartsResponse, error) {
	start := time.Now()
	defer func() { server.took.Observe(time.Since(start).Seconds()) }()
	parts, err := server.store.Of(request.GetId())
	if err != nil {
		return nil, err
	}
	return &profilesv1.GetPartsResponse{Parts: profiles.Messages(parts)}, nil
}
