package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"wiregauge/services/hops/go/internal/profiles"
	"wiregauge/services/lib/pb/profilesv1"
)

// way requests a member's parts of a profile; all errors are of the kind profiles.Failure.
type way func(ctx context.Context, id int32) ([]profiles.Part, error)

// idleConnections is the number that is kept to each member over HTTP/1.1, as many as requests in flight: net/http keeps 2 by
// default.
const idleConnections = 1000

// waysTo opens a way to each member. The caller closes them.
func waysTo(members []string, over string) (ways []way, closeAll func(), err error) {
	var closes []func()
	closeAll = func() {
		for _, one := range closes {
			one()
		}
	}
	transport := &http.Transport{MaxIdleConnsPerHost: idleConnections}
	closes = append(closes, transport.CloseIdleConnections)
	for _, address := range members {
		switch over {
		case "grpc":
			connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				closeAll()
				return nil, nil, fmt.Errorf("cannot use the member %s: %w", address, err)
			}
			closes = append(closes, func() { _ = connection.Close() })
			ways = append(ways, overGRPC(profilesv1.NewPartServiceClient(connection), address))
		case "http":
			ways = append(ways, overHTTP(&http.Client{Transport: transport}, address))
		default:
			closeAll()
			return nil, nil, fmt.Errorf("WAY is %q, and must be grpc or http", over)
		}
	}
	return ways, closeAll, nil
}

func overGRPC(client profilesv1.PartServiceClient, address string) way {
	return func(ctx context.Context, id int32) ([]profiles.Part, error) {
		answer, err := client.GetParts(ctx, &profilesv1.GetPartsRequest{Id: id})
		if err != nil {
			said := status.Convert(err)
			kind := profiles.KindOf(func(kind profiles.Kind) bool { return kind.Code == said.Code() })
			return nil, failing(address, kind, said.Message())
		}
		return profiles.FromMessages(answer.GetParts()), nil
	}
}

func overHTTP(client *http.Client, address string) way {
	return func(ctx context.Context, id int32) ([]profiles.Part, error) {
		code, text, err := get(ctx, client, fmt.Sprintf("http://%s/parts/%d", address, id))
		if err != nil {
			kind := profiles.Gone
			if errors.Is(err, context.DeadlineExceeded) {
				kind = profiles.Late
			}
			return nil, failing(address, kind, err.Error())
		}
		if code != http.StatusOK {
			var refused profiles.Refused
			if json.Unmarshal(text, &refused) != nil {
				refused.Error = fmt.Sprintf("it answered %d", code)
			}
			kind := profiles.KindOf(func(kind profiles.Kind) bool { return kind.Status == code })
			return nil, failing(address, kind, refused.Error)
		}
		var found profiles.Parts
		if err := json.Unmarshal(text, &found); err != nil {
			return nil, failing(address, profiles.Gone, err.Error())
		}
		return found.Parts, nil
	}
}

func get(ctx context.Context, client *http.Client, url string) (code int, text []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	text, err = io.ReadAll(answer.Body)
	return answer.StatusCode, text, errors.Join(err, answer.Body.Close())
}

func failing(address string, kind profiles.Kind, text string) error {
	return profiles.Failure{Kind: kind, Text: fmt.Sprintf("member %s: %s", address, text)}
}
