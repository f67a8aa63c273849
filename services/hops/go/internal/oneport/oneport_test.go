package oneport

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
)

// serving starts both at one port, and returns its address and a function that ends them.
func serving(t *testing.T) (address string, end func() error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	hello := http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(answer, "hello") })
	go func() { ended <- Serve(ctx, listener, grpc.NewServer(), hello) }()
	end = func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(10 * time.Second):
			return context.DeadlineExceeded
		}
	}
	t.Cleanup(func() { cancel() })
	return listener.Addr().String(), end
}

func TestAnswersOverBothAtOnePort(t *testing.T) {
	address, end := serving(t)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()

	for range 3 {
		answer, err := client.Get("http://" + address + "/")
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if string(text) != "hello" {
			t.Errorf("over HTTP/1.1: found %q", text)
		}
		// A server without services reports that by a gRPC code.
		if err := connection.Invoke(t.Context(), "/none.v1.None/Call", &emptypb.Empty{}, &emptypb.Empty{}); status.Code(err) != codes.Unimplemented {
			t.Errorf("over gRPC: %v", err)
		}
	}
	if err := end(); err != nil {
		t.Errorf("it did not end in order: %v", err)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("its port still takes connections")
	}
}

func TestReadsABeginningThatComesByteByByte(t *testing.T) {
	address, _ := serving(t)
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	for _, one := range []byte("GET / HTTP/1.1\r\nHost: api\r\nConnection: close\r\n\r\n") {
		if _, err := connection.Write([]byte{one}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(connection)
	if err != nil || string(text[:12]) != "HTTP/1.1 200" {
		t.Errorf("found %q, %v", text, err)
	}
}

func TestEndsWhileAConnectionHasSaidNothing(t *testing.T) {
	address, end := serving(t)
	silent, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if err := end(); err != nil {
		t.Errorf("it did not end in order: %v", err)
	}
}
