// Package overgrpc answers with objects over gRPC.
package overgrpc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"wiregauge/services/lib/pb/payloadv1"
	"wiregauge/services/payload/go/internal/answers"
	"wiregauge/services/payload/go/internal/protobufform"
	"wiregauge/services/payload/go/internal/settings"
)

// Service is a server that is not started yet.
type Service struct {
	server   *grpc.Server
	healths  *health.Server
	graceful time.Duration
}

// New makes a server that answers from a cache.
func New(cache protobufform.Cache, read settings.Settings) Service {
	options := []grpc.ServerOption{
		// grpc-go's own default, set explicitly; received messages keep the default of 4 MiB: requests are small.
		grpc.MaxSendMsgSize(read.MaxAnswerBytes(math.MaxInt32)),
	}
	if read.KeepAlive > 0 {
		options = append(options, grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: read.KeepAlive}))
	}
	service := Service{server: grpc.NewServer(options...), healths: health.NewServer(), graceful: read.Graceful}
	payloadv1.RegisterPayloadServiceServer(service.server, operations{cache: cache, form: cache.Form(), read: read})
	grpc_health_v1.RegisterHealthServer(service.server, service.healths)
	service.healths.SetServingStatus(payloadv1.PayloadService_ServiceDesc.ServiceName, grpc_health_v1.HealthCheckResponse_SERVING)
	if read.Reflection {
		reflection.Register(service.server)
	}
	return service
}

// Serve answers on the listener until the context is done; calls in flight then have the graceful time.
func (s Service) Serve(ctx context.Context, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- s.server.Serve(listener) }()
	fmt.Printf("Listening on %s\n", listener.Addr())
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.healths.Shutdown()
	late := time.AfterFunc(s.graceful, s.server.Stop)
	defer late.Stop()
	s.server.GracefulStop()
	return nil
}

// IsHealthy checks a running service.
func IsHealthy(ctx context.Context, address string) bool {
	connection, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return false
	}
	defer connection.Close()
	answer, err := grpc_health_v1.NewHealthClient(connection).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	return err == nil && answer.GetStatus() == grpc_health_v1.HealthCheckResponse_SERVING
}

type operations struct {
	payloadv1.UnimplementedPayloadServiceServer
	cache protobufform.Cache
	form  answers.Form
	read  settings.Settings
}

// GetObjects returns the first objects of the cache, or INVALID_ARGUMENT or OUT_OF_RANGE.
func (o operations) GetObjects(ctx context.Context, request *payloadv1.GetObjectsRequest) (*payloadv1.GetObjectsResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, status.FromContextError(err).Err()
	}
	count := int(request.GetCount())
	if err := answers.Check(count, o.read); err != nil {
		return nil, refused(err)
	}
	if err := answers.Burn(o.form, count, o.read); err != nil {
		return nil, err
	}
	if err := grpc.SetSendCompressor(ctx, o.compressor(ctx)); err != nil {
		return nil, err
	}
	return o.cache.Answer(count), nil
}

func refused(err error) error {
	var refusal *answers.CountError
	if errors.As(err, &refusal) && refusal.IsBeyond {
		return status.Error(codes.OutOfRange, err.Error())
	}
	return status.Error(codes.InvalidArgument, err.Error())
}

// compressor sets it in either case: otherwise an answer would be compressed because its request was.
func (o operations) compressor(ctx context.Context) string {
	taken, err := grpc.ClientSupportedCompressors(ctx)
	if o.read.Gzip && err == nil && slices.Contains(taken, gzip.Name) {
		return gzip.Name
	}
	return encoding.Identity
}
