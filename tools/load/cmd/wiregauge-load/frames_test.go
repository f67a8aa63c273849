package main

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"google.golang.org/grpc"
)

// serveFrames answers every call with the same bytes, whether they are a message or not, and returns its address.
func serveFrames(t *testing.T, answer frame) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(
		grpc.ForceServerCodec(frames{}),
		grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
			if err := stream.RecvMsg(nil); err != nil {
				return err
			}
			return stream.SendMsg(answer)
		}),
	)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func TestAnswersAreTakenAtAnySizeAndNotDecoded(t *testing.T) {
	for name, answer := range map[string]frame{
		"nothing":                        {},
		"no message":                     bytes.Repeat([]byte{0xff}, 10),
		"more than grpc takes by itself": bytes.Repeat([]byte{0xff}, 5<<20),
	} {
		t.Run(name, func(t *testing.T) {
			for _, method := range []string{"Echo", "Download"} {
				b := streamLoad(t, serveFrames(t, answer), method, `{"text":"a"}`)
				b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser, b.Load.Seconds = "users", 2, 10, 20
				runLoads(t, newStage(), b)
				allOK(t, b)
			}
		})
	}
}

func TestCallsHaveTheTypeOfContentThatGhzGivesThem(t *testing.T) {
	service := serveStreams(t, nil)
	for method, body := range map[string]string{"Echo": `{"text":"a"}`, "Chat": `[{"text":"a"}]`} {
		runLoads(t, newStage(), streamLoad(t, service.address, method, body))
		if got := strings.Join(service.last().metadata["content-type"], " "); got != "application/grpc" {
			t.Errorf("%s: %q", method, got)
		}
	}
}
