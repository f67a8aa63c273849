package answering

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	"wiregauge/services/layers/go/internal/users"
	"wiregauge/services/lib/pb/layersv1"
)

type userServer struct {
	layersv1.UnimplementedUserServiceServer
	source users.Source
}

func (server userServer) GetUser(ctx context.Context, request *layersv1.GetUserRequest) (*layersv1.GetUserResponse, error) {
	user, err := server.source.Get(ctx, request.GetUserId())
	if err != nil {
		return nil, callError(err)
	}
	return &layersv1.GetUserResponse{User: user.Message()}, nil
}

func (server userServer) ListUsers(ctx context.Context, request *layersv1.ListUsersRequest) (*layersv1.ListUsersResponse, error) {
	list, err := server.source.List(ctx, orUsual(request.GetPage(), 1), orUsual(request.GetPageSize(), users.UsualSize))
	if err != nil {
		return nil, callError(err)
	}
	return list.Message(), nil
}

// orUsual returns the default for 0: a field of a message that was not set, and the same over HTTP.
func orUsual(number int32, usual int) int {
	if number == 0 {
		return usual
	}
	return int(number)
}

func callError(err error) error {
	var refusal users.Refusal
	if errors.As(err, &refusal) {
		return status.Error(users.GRPCCode[refusal.Kind], refusal.Text)
	}
	return status.Error(codes.Unavailable, err.Error())
}

// server answers calls, including health checks and reflection.
func server(source users.Source, figures *Figures) *grpc.Server {
	made := grpc.NewServer(grpc.UnaryInterceptor(figures.call))
	layersv1.RegisterUserServiceServer(made, userServer{source: source})
	state := health.NewServer()
	state.SetServingStatus(layersv1.UserService_ServiceDesc.ServiceName, grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(made, state)
	reflection.Register(made)
	return made
}
