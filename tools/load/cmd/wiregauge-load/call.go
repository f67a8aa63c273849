package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jhump/protoreflect/desc"
	"github.com/jhump/protoreflect/dynamic"
	"github.com/jhump/protoreflect/dynamic/grpcdynamic"
	"google.golang.org/grpc/metadata"
)

// grpcCall is one request of a load: a call with one message, or a whole stream of them. It is over when the last answer is there.
type grpcCall struct {
	method   *desc.MethodDescriptor
	messages []*dynamic.Message
	metadata metadata.MD
}

func newCall(method *desc.MethodDescriptor, request callRequest) (grpcCall, error) {
	bodies, err := bodiesOf(method, request)
	if err != nil {
		return grpcCall{}, err
	}
	call := grpcCall{method: method}
	for _, body := range bodies {
		message := dynamic.NewMessage(method.GetInputType())
		if err := message.UnmarshalJSON(body); err != nil {
			return grpcCall{}, fmt.Errorf("the message for %s: %w", request.Call, err)
		}
		call.messages = append(call.messages, message)
	}
	call.metadata, err = metadataOf(request)
	return call, err
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

// make makes the call, and waits for its end. How it ended is noted by the connection's handler.
func (c grpcCall) make(ctx context.Context, stub grpcdynamic.Stub) {
	if c.metadata != nil {
		ctx = metadata.NewOutgoingContext(ctx, c.metadata)
	}
	switch {
	case c.method.IsClientStreaming() && c.method.IsServerStreaming():
		c.both(ctx, stub)
	case c.method.IsClientStreaming():
		c.upload(ctx, stub)
	case c.method.IsServerStreaming():
		c.download(ctx, stub)
	default:
		_, _ = stub.InvokeRpc(ctx, c.method, c.messages[0])
	}
}

func (c grpcCall) download(ctx context.Context, stub grpcdynamic.Stub) {
	stream, err := stub.InvokeRpcServerStream(ctx, c.method, c.messages[0])
	for err == nil {
		_, err = stream.RecvMsg()
	}
}

func (c grpcCall) upload(ctx context.Context, stub grpcdynamic.Stub) {
	stream, err := stub.InvokeRpcClientStream(ctx, c.method)
	if err != nil {
		return
	}
	for _, message := range c.messages {
		// A service that has heard enough ends the stream; how, is what it answers.
		if stream.SendMsg(message) != nil {
			break
		}
	}
	_, _ = stream.CloseAndReceive()
}

// both reads the answers while it sends, as ghz does: a service may stop reading until somebody takes its answers.
func (c grpcCall) both(ctx context.Context, stub grpcdynamic.Stub) {
	stream, err := stub.InvokeRpcBidiStream(ctx, c.method)
	if err != nil {
		return
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if _, err := stream.RecvMsg(); err != nil {
				return
			}
		}
	}()
	for _, message := range c.messages {
		if stream.SendMsg(message) != nil {
			break
		}
	}
	_ = stream.CloseSend()
	<-ended
}
