// Package gateway combines profiles from the parts of its members. It requests all of them at once, over gRPC or over HTTP/1.1 with JSON,
// and answers over both.
package gateway

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"

	"wiregauge/services/hops/go/internal/figures"
	"wiregauge/services/hops/go/internal/oneport"
	"wiregauge/services/hops/go/internal/profiles"
	"wiregauge/services/hops/go/internal/serving"
	"wiregauge/services/lib/pb/profilesv1"
)

// Settings of a gateway.
type Settings struct {
	// Members are their addresses, such as 127.0.0.1:9201, in the order of their parts.
	Members []string
	// Way is the protocol of these requests: grpc or http.
	Way string
	// Limit is their time limit.
	Limit time.Duration
}

// Serve answers at a listener until the context is done.
func Serve(ctx context.Context, listener net.Listener, settings Settings) error {
	ways, closeAll, err := waysTo(settings.Members, settings.Way)
	if err != nil {
		return err
	}
	defer closeAll()
	shown := figures.New()
	gateway := &gateway{
		members: ways, limit: settings.Limit,
		request: shown.Seconds("gateway_request_seconds", "How long a request took here."),
		slowest: shown.Seconds("gateway_slowest_part_seconds", "How long the slowest of the calls to members took, of each request."),
		sum:     shown.Seconds("gateway_parts_sum_seconds", "How long the calls to members took together, of each request."),
		own:     shown.Seconds("gateway_own_seconds", "What a request took here without the slowest of the calls to members."),
	}
	server := grpc.NewServer()
	profilesv1.RegisterProfileServiceServer(server, &profileServer{gateway: gateway})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", serving.Healthy)
	mux.Handle("GET /metrics", shown.Page())
	mux.HandleFunc("GET /profiles/{id}", gateway.overHTTP)
	return oneport.Serve(ctx, listener, server, mux)
}

type gateway struct {
	members                    []way
	limit                      time.Duration
	request, slowest, sum, own prometheus.Histogram
}

// calls has the times of the members for one request.
type calls struct{ slowest, sum time.Duration }

// profile requests all members at once, and returns the whole profile, or a Failure, once all have answered.
func (gateway *gateway) profile(ctx context.Context, id int32) (profiles.Profile, calls, error) {
	ctx, cancel := context.WithTimeout(ctx, gateway.limit)
	defer cancel()
	parts := make([][]profiles.Part, len(gateway.members))
	failures := make([]error, len(gateway.members))
	times := make([]time.Duration, len(gateway.members))
	var asking sync.WaitGroup
	for index, ask := range gateway.members {
		asking.Go(func() {
			start := time.Now()
			parts[index], failures[index] = ask(ctx, id)
			times[index] = time.Since(start)
		})
	}
	asking.Wait()
	took := calls{}
	for _, one := range times {
		took.slowest = max(took.slowest, one)
		took.sum += one
	}
	if err := worst(failures); err != nil {
		return profiles.Profile{}, took, err
	}
	var all []profiles.Part
	for _, some := range parts {
		all = append(all, some...)
	}
	profile, err := profiles.Whole(id, all)
	return profile, took, err
}

// worst is the failure with the highest status, the first of several; nil if there is none.
func worst(failures []error) error {
	var told error
	for _, err := range failures {
		if err != nil && (told == nil || profiles.FailureOf(err).Status > profiles.FailureOf(told).Status) {
			told = err
		}
	}
	return told
}

func (gateway *gateway) observe(took time.Duration, members calls) {
	gateway.request.Observe(took.Seconds())
	gateway.slowest.Observe(members.slowest.Seconds())
	gateway.sum.Observe(members.sum.Seconds())
	gateway.own.Observe((took - members.slowest).Seconds())
}

func (gateway *gateway) overHTTP(answer http.ResponseWriter, request *http.Request) {
	start := time.Now()
	var profile profiles.Profile
	var took calls
	id, err := profiles.ID(request.PathValue("id"))
	if err == nil {
		profile, took, err = gateway.profile(request.Context(), id)
	}
	profiles.Write(answer, profile, err)
	gateway.observe(time.Since(start), took)
}

type profileServer struct {
	profilesv1.UnimplementedProfileServiceServer
	gateway *gateway
}

func (server *profileServer) GetProfile(ctx context.Context, request *profilesv1.GetProfileRequest) (*profilesv1.GetProfileResponse, error) {
	start := time.Now()
	profile, took, err := server.gateway.profile(ctx, request.GetId())
	defer func() { server.gateway.observe(time.Since(start), took) }()
	if err != nil {
		return nil, err
	}
	return &profilesv1.GetProfileResponse{Id: profile.ID, Parts: profiles.Messages(profile.Parts)}, nil
}
