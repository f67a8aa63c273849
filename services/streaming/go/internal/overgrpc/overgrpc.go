// Package overgrpc serves users over gRPC: all in one answer, as a stream, and one for each id that a stream requests.
package overgrpc

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"wiregauge/services/lib/pb/streamingv1"
	"wiregauge/services/streaming/go/internal/users"
)

// Server has the defaults of grpc-go.
func Server() *grpc.Server {
	server := grpc.NewServer()
	streamingv1.RegisterUserStreamServiceServer(server, service{})
	return server
}

type service struct {
	streamingv1.UnimplementedUserStreamServiceServer
}

func (service) ListUsers(_ context.Context, request *streamingv1.ListUsersRequest) (*streamingv1.ListUsersResponse, error) {
	if err := checked(request.Count); err != nil {
		return nil, err
	}
	answer := &streamingv1.ListUsersResponse{Users: make([]*streamingv1.User, request.Count)}
	for i := range answer.Users {
		answer.Users[i] = message(i + 1)
	}
	return answer, nil
}

func (service) StreamUsers(request *streamingv1.StreamUsersRequest, stream grpc.ServerStreamingServer[streamingv1.User]) error {
	if err := checked(request.Count); err != nil {
		return err
	}
	for id := 1; id <= int(request.Count); id++ {
		// Send waits for a client that reads slowly.
		if err := stream.Send(message(id)); err != nil {
			return err
		}
	}
	return nil
}

func (service) AskUsers(stream grpc.BidiStreamingServer[streamingv1.AskUsersRequest, streamingv1.User]) error {
	for {
		request, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !users.Has(int(request.Id)) {
			return status.Errorf(codes.NotFound, "No user has the id %d: there are 1 to %d.", request.Id, users.Most)
		}
		if err := stream.Send(message(int(request.Id))); err != nil {
			return err
		}
	}
}

func checked(count int32) error {
	if users.Has(int(count)) {
		return nil
	}
	return status.Errorf(codes.InvalidArgument, "Ask for 1 to %d users.", users.Most)
}

func message(id int) *streamingv1.User {
	user := users.At(id)
	return &streamingv1.User{Id: user.ID, Name: user.Name, Email: user.Email, Age: user.Age}
}
