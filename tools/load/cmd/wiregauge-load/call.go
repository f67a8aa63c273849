package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jhump/protoreflect/desc"
	"github.com/jhump/protoreflect/dynamic"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// grpcCall is one request of a load: a call with one message, or a whole stream of them. It is over when the last answer is there.
type grpcCall struct {
	path     string
	kind     grpc.StreamDesc
	messages []frame
	metadata metadata.MD
	// stream is what its answers have to be like; nil: as they are.
	stream *streamed
}

func newCall(method *desc.MethodDescriptor, request callRequest) (grpcCall, error) {
	bodies, err := bodiesOf(method, request)
	if err != nil {
		return grpcCall{}, err
	}
	call := grpcCall{
		path: fmt.Sprintf("/%s/%s", method.GetService().GetFullyQualifiedName(), method.GetName()),
		kind: grpc.StreamDesc{
			StreamName: method.GetName(), ServerStreams: method.IsServerStreaming(), ClientStreams: method.IsClientStreaming(),
		},
	}
	for _, body := range bodies {
		message, err := encoded(method.GetInputType(), body)
		if err != nil {
			return grpcCall{}, fmt.Errorf("the message for %s: %w", request.Call, err)
		}
		call.messages = append(call.messages, message)
	}
	call.metadata, err = metadataOf(request)
	return call, err
}

func encoded(kind *desc.MessageDescriptor, body []byte) (frame, error) {
	message := dynamic.NewMessage(kind)
	if err := message.UnmarshalJSON(body); err != nil {
		return nil, err
	}
	return message.Marshal()
}

// bodiesOf gives the messages in JSON: a list for a method that takes a stream, and one for any other.
func bodiesOf(method *desc.MethodDescriptor, request callRequest) ([]json.RawMessage, error) {
	isList := bytes.HasPrefix(bytes.TrimSpace(request.Body), []byte("["))
	switch {
	case isList && !method.IsClientStreaming():
		return nil, fmt.Errorf("%s takes one message, and no stream", request.Call)
	case !isList && method.IsClientStreaming():
		return nil, fmt.Errorf("%s takes a stream of messages", request.Call)
	case isList:
		var bodies []json.RawMessage
		err := json.Unmarshal(request.Body, &bodies)
		if err == nil && len(bodies) == 0 {
			err = errors.New("it has none")
		}
		if err != nil {
			return nil, fmt.Errorf("the messages for %s: %w", request.Call, err)
		}
		return bodies, nil
	case len(request.Body) == 0 || string(request.Body) == "null":
		return []json.RawMessage{[]byte("{}")}, nil
	}
	return []json.RawMessage{request.Body}, nil
}

// metadataOf is nil where there is none.
func metadataOf(request callRequest) (metadata.MD, error) {
	if len(request.Metadata) == 0 {
		return nil, nil
	}
	values := metadata.MD{}
	for name, value := range request.Metadata {
		if strings.HasSuffix(name, "-bin") {
			decoded, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				return nil, fmt.Errorf("the metadata %s of %s is no base64", name, request.Call)
			}
			value = string(decoded)
		}
		values.Set(name, value)
	}
	return values, nil
}

// make makes the call, and waits for its end. It gives the status of the service, or why there is none, as an error; nil for OK. The watch sees
// each answer.
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

// both reads the answers while it sends, as ghz does: a service may stop reading until somebody takes its answers.
func (c grpcCall) both(stream grpc.ClientStream, seen *watch) error {
	ended := make(chan error, 1)
	go func() { ended <- c.receive(stream, seen) }()
	c.send(stream)
	return <-ended
}

func (c grpcCall) send(stream grpc.ClientStream) {
	for _, message := range c.messages {
		// A service that has heard enough ends the stream; how, is what it answers.
		if stream.SendMsg(message) != nil {
			break
		}
	}
	_ = stream.CloseSend()
}

// receive takes the one answer, or all of a stream, whose end is io.EOF if the service ended it well.
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
