package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// grpcCall is one request of a load: a call with one message, or a whole stream of them. It is over when the last answer is there.
type grpcCall struct {
	path     string
	kind     grpc.StreamDesc
	messages []frame
	metadata metadata.MD
	// stream has the conditions for its messages; nil if there are none.
	stream *streamed
}

// callsOf returns the requests of a target, which are used in turn.
func callsOf(t target) ([]grpcCall, error) {
	if t.Method == nil {
		return nil, errors.New("a load over gRPC must set whether its calls are streams")
	}
	calls := make([]grpcCall, 0, len(t.Requests))
	for _, request := range t.Requests {
		call, err := newCall(*t.Method, request)
		if err != nil {
			return nil, err
		}
		call.stream = t.Stream
		calls = append(calls, call)
	}
	return calls, nil
}

func newCall(method methodKind, request callRequest) (grpcCall, error) {
	if !method.ClientStreams && len(request.Messages) != 1 {
		return grpcCall{}, fmt.Errorf("%s takes one message, not %d", request.Call, len(request.Messages))
	}
	call := grpcCall{
		path: "/" + request.Call,
		kind: grpc.StreamDesc{
			StreamName: request.Call, ServerStreams: method.ServerStreams, ClientStreams: method.ClientStreams,
		},
	}
	for _, message := range request.Messages {
		call.messages = append(call.messages, message)
	}
	var err error
	call.metadata, err = metadataOf(request)
	return call, err
}

// metadataOf returns nil without metadata.
func metadataOf(request callRequest) (metadata.MD, error) {
	if len(request.Metadata) == 0 {
		return nil, nil
	}
	values := metadata.MD{}
	for name, value := range request.Metadata {
		if strings.HasSuffix(name, "-bin") {
			decoded, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				return nil, fmt.Errorf("the metadata %s of %s is not base64", name, request.Call)
			}
			value = string(decoded)
		}
		values.Set(name, value)
	}
	return values, nil
}

// make makes the call, and waits for its end. It returns the status of the service, or the reason that there is none, as an error; nil for OK.
// The watch sees each answer.
func (c grpcCall) make(ctx context.Context, connection *grpc.ClientConn, seen *watch) error {
	if c.metadata != nil {
		ctx = metadata.NewOutgoingContext(ctx, c.metadata)
	}
	if !c.kind.ClientStreams && !c.kind.ServerStreams {
		return connection.Invoke(ctx, c.path, c.messages[0], seen)
	}
	stream, err := connection.NewStream(ctx, &c.kind, c.path)
	if err != nil {
		return err
	}
	if c.kind.ClientStreams && c.kind.ServerStreams {
		return c.both(stream, seen)
	}
	c.send(stream)
	return c.receive(stream, seen)
}

// both reads the responses while it sends, as ghz does: a service may stop reading until its responses are read.
func (c grpcCall) both(stream grpc.ClientStream, seen *watch) error {
	ended := make(chan error, 1)
	go func() { ended <- c.receive(stream, seen) }()
	c.send(stream)
	return <-ended
}

func (c grpcCall) send(stream grpc.ClientStream) {
	for _, message := range c.messages {
		// A service that has received enough ends the stream; its answer shows how.
		if stream.SendMsg(message) != nil {
			break
		}
	}
	_ = stream.CloseSend()
}

// receive takes the single answer, or all answers of a stream, whose end is io.EOF if the service ended it
// successfully.
func (c grpcCall) receive(stream grpc.ClientStream, seen *watch) error {
	for {
		err := stream.RecvMsg(seen)
		if errors.Is(err, io.EOF) && c.kind.ServerStreams {
			return nil
		}
		if err != nil || !c.kind.ServerStreams {
			return err
		}
	}
}
