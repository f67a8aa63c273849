package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"

	"wiregauge/services/lib/pb/userv1"
)

// readUsers reads a file of users, which has the form of the answer with all users, in the order of their ids.
func readUsers(path string) (*userv1.ListUsersResponse, error) {
	list := &userv1.ListUsersResponse{}
	text, err := os.ReadFile(path)
	if err == nil {
		err = protojson.Unmarshal(text, list)
	}
	if err != nil {
		return nil, fmt.Errorf("USERS_FILE %s cannot be read as users: %w", path, err)
	}
	slices.SortFunc(list.GetUsers(), func(left, right *userv1.User) int { return cmp.Compare(left.GetId(), right.GetId()) })
	return list, nil
}

// userServer answers with users from memory, as messages.
type userServer struct {
	userv1.UnimplementedUserServiceServer
	users []*userv1.User
	byID  map[int32]*userv1.User
}

func newUserServer(list *userv1.ListUsersResponse) userServer {
	server := userServer{users: list.GetUsers(), byID: make(map[int32]*userv1.User, len(list.GetUsers()))}
	for _, user := range server.users {
		server.byID[user.GetId()] = user
	}
	return server
}

func (server userServer) GetUser(_ context.Context, request *userv1.GetUserRequest) (*userv1.GetUserResponse, error) {
	id := request.GetId()
	if id <= 0 {
		return nil, status.Errorf(codes.InvalidArgument, "A user's id is a whole number from 1 to %d.", math.MaxInt32)
	}
	user, ok := server.byID[id]
	if !ok {
		return nil, status.Errorf(codes.NotFound, "No user has the id %d.", id)
	}
	return &userv1.GetUserResponse{User: user}, nil
}

func (server userServer) ListUsers(context.Context, *userv1.ListUsersRequest) (*userv1.ListUsersResponse, error) {
	return &userv1.ListUsersResponse{Users: server.users}, nil
}
