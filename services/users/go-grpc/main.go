// Command grpc-go is the User Service over gRPC with grpc-go.
package main

import (
	"context"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"wiregauge/services/lib/pb/userv1"
	"wiregauge/services/lib/program"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name: "grpc-go",
		Defaults: program.Settings{
			"HOST": "127.0.0.1", "PORT": "50051", "GRACEFUL_SECONDS": "1", "USERS_FILE": "services/users/users.json",
		},
		Work: serve,
	}))
}

func serve(ctx context.Context, settings program.Settings) error {
	grace, err := settings.Grace()
	if err != nil {
		return err
	}
	users, err := readUsers(settings["USERS_FILE"])
	if err != nil {
		return err
	}
	listener, err := settings.Listen("PORT")
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: 75 * time.Second}))
	userv1.RegisterUserServiceServer(server, newUserServer(users))
	healths := health.NewServer()
	healths.SetServingStatus(userv1.UserService_ServiceDesc.ServiceName, grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(server, healths)
	reflection.Register(server)
	context.AfterFunc(ctx, healths.Shutdown)
	return program.ServeGRPCWithin(ctx, grace, listener, server)
}
