package asking

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"wiregauge/services/layers/go/internal/users"
	"wiregauge/services/lib/pb/layersv1"
)

// overGRPC calls over one connection, the library's default.
type overGRPC struct{ client layersv1.UserServiceClient }

// OverGRPC returns the layer at an address such as 127.0.0.1:9091. The caller closes it.
func OverGRPC(target string) (next users.Source, end func() error, err error) {
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, nil, err
	}
	return overGRPC{layersv1.NewUserServiceClient(connection)}, connection.Close, nil
}

func (next overGRPC) Get(ctx context.Context, id string) (users.User, error) {
	answer, err := next.client.GetUser(ctx, &layersv1.GetUserRequest{UserId: id})
	if err != nil {
		return users.User{}, refusalOr(err)
	}
	return users.FromMessage(answer.GetUser()), nil
}

func (next overGRPC) List(ctx context.Context, page, size int) (users.List, error) {
	answer, err := next.client.ListUsers(ctx, &layersv1.ListUsersRequest{Page: int32(page), PageSize: int32(size)})
	if err != nil {
		return users.List{}, refusalOr(err)
	}
	return users.ListFromMessage(answer), nil
}

func refusalOr(err error) error {
	found := status.Convert(err)
	for kind, code := range users.GRPCCode {
		if found.Code() == code {
			return users.Refusal{Kind: kind, Text: found.Message()}
		}
	}
	return err
}
