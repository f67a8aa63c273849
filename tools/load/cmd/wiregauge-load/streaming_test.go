package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jhump/protoreflect/desc/protoparse"
	"github.com/jhump/protoreflect/dynamic"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// streamPause is the time that a test service waits before it ends a stream.
const streamPause = 5 * time.Millisecond

const streamContract = `syntax = "proto3"; package test.v1; message Text { string text = 1; }`

// heard is a call as recorded by a service.
type heard struct {
	metadata metadata.MD
	left     time.Duration
}

// streamService answers the four kinds of call: each message with itself, and Download with three.
type streamService struct {
	address  string
	lock     sync.Mutex
	calls    int
	messages int
	noted    heard
}

func (s *streamService) note(ctx context.Context) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.calls++
	s.noted.metadata, _ = metadata.FromIncomingContext(ctx)
	if until, ok := ctx.Deadline(); ok {
		s.noted.left = time.Until(until)
	}
}

func (s *streamService) last() heard {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.noted
}

func (s *streamService) counts() (int, int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.calls, s.messages
}

// serve answers a stream: it reads to the end of the input, and passes each text to answer.
func (s *streamService) serve(stream grpc.ServerStream, answer func(*dynamic.Message) error) (*dynamic.Message, error) {
	s.note(stream.Context())
	var last *dynamic.Message
	for {
		message := newText()
		err := stream.RecvMsg(message)
		if errors.Is(err, io.EOF) {
			time.Sleep(streamPause)
			return last, nil
		}
		if err != nil {
			return nil, err
		}
		s.lock.Lock()
		s.messages++
		s.lock.Unlock()
		switch message.GetFieldByName("text") {
		case "refuse":
			return nil, status.Error(codes.InvalidArgument, "enough")
		case "late":
			<-stream.Context().Done()
		}
		if err := answer(message); err != nil {
			return nil, err
		}
		last = message
	}
}

var textType = sync.OnceValue(func() *dynamic.Message {
	parser := protoparse.Parser{Accessor: protoparse.FileContentsFromMap(map[string]string{"streams.proto": streamContract})}
	files, err := parser.ParseFiles("streams.proto")
	if err != nil {
		panic(err)
	}
	return dynamic.NewMessage(files[0].FindMessage("test.v1.Text"))
})

func newText() *dynamic.Message { return dynamic.NewMessage(textType().GetMessageDescriptor()) }

// serveStreams serves, over TLS if a configuration is given.
func serveStreams(t *testing.T, secured *tls.Config) *streamService {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	service := &streamService{address: listener.Addr().String()}
	options := []grpc.ServerOption{}
	if secured != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(secured)))
	}
	server := grpc.NewServer(options...)
	server.RegisterService(service.description(), service)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return service
}

func (s *streamService) description() *grpc.ServiceDesc {
	none := func(*dynamic.Message) error { return nil }
	stream := func(name string, handler func(stream grpc.ServerStream) error) grpc.StreamDesc {
		return grpc.StreamDesc{
			StreamName: name, ServerStreams: true, ClientStreams: true,
			Handler: func(_ any, stream grpc.ServerStream) error { return handler(stream) },
		}
	}
	one := func(stream grpc.ServerStream) error {
		last, err := s.serve(stream, none)
		if err != nil {
			return err
		}
		return stream.SendMsg(last)
	}
	return &grpc.ServiceDesc{
		ServiceName: "test.v1.Streams",
		HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{
			stream("Echo", one),
			stream("Upload", one),
			stream("Chat", func(stream grpc.ServerStream) error {
				_, err := s.serve(stream, func(m *dynamic.Message) error { return stream.SendMsg(m) })
				return err
			}),
			stream("Download", func(stream grpc.ServerStream) error {
				_, err := s.serve(stream, func(m *dynamic.Message) error {
					return errors.Join(stream.SendMsg(m), stream.SendMsg(m), stream.SendMsg(m))
				})
				return err
			}),
		},
	}
}

// streamLoad returns a load of one message, or of a stream of those in a list.
func streamLoad(t *testing.T, address, method, body string) blockLoad {
	t.Helper()
	var texts []struct{ Text string }
	if json.Unmarshal([]byte(body), &texts) != nil {
		texts = make([]struct{ Text string }, 1)
		if err := json.Unmarshal([]byte(body), &texts[0]); err != nil {
			t.Fatal(err)
		}
	}
	one := callRequest{Call: "test.v1.Streams/" + method}
	for _, text := range texts {
		one.Messages = append(one.Messages, textMessage(text.Text))
	}
	kind := &methodKind{ClientStreams: method == "Upload" || method == "Chat", ServerStreams: method == "Download" || method == "Chat"}
	return blockLoad{"ghz", t.TempDir() + "/records", load{
		Kind: "open", Target: target{Address: address, Requests: []callRequest{one}, Method: kind},
		RatePerSecond: 100, Seconds: 0.4, Workers: 4, TimeoutSeconds: 60,
	}}
}
