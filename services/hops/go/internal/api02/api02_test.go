package api02

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wiregauge/services/hops/go/internal/api01"
	"wiregauge/services/hops/go/internal/broker"
	"wiregauge/services/hops/go/internal/serving"
	"wiregauge/services/lib/program"
)

// listener is one on a free port of this machine.
func listener(t *testing.T) net.Listener {
	t.Helper()
	made, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// running runs work until the test is over, and fails the test if it fails.
func running(t *testing.T, work func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- work(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(10 * time.Second):
			t.Error("did not end")
		}
	})
}

// chain starts a NATS server, api01, and api02 with all ways open, and returns the addresses of the latter two.
func chain(t *testing.T, chosen string) (own, other string) {
	t.Helper()
	bus, err := broker.Start("127.0.0.1", -1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { broker.Stop(bus) })
	at := api01.Places{HTTP: listener(t), GRPC: listener(t), Messages: bus.ClientURL()}
	other = startApi01(t, at)
	return startApi02(t, chosen, Addresses{URL: "http://" + other, Target: at.GRPC.Addr().String(), Messages: at.Messages}), other
}

// startApi01 returns its address over HTTP once it is healthy.
func startApi01(t *testing.T, at api01.Places) string {
	t.Helper()
	running(t, func(ctx context.Context) error { return api01.Serve(ctx, at) })
	address := at.HTTP.Addr().String()
	if _, status := get(t, address, "/health"); status != http.StatusNoContent {
		t.Fatalf("api01 is not healthy: %d", status)
	}
	return address
}

// startApi02 returns its address.
func startApi02(t *testing.T, chosen string, to Addresses) string {
	t.Helper()
	ways, err := Open(to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ways.Close)
	handler, err := ways.Handler(chosen)
	if err != nil {
		t.Fatal(err)
	}
	listening := listener(t)
	running(t, func(ctx context.Context) error { return program.ServeHTTP(ctx, listening, serving.Server(handler)) })
	return listening.Addr().String()
}

// get returns a raw answer over HTTP/1.1, including headers, and its status.
func get(t *testing.T, address, path string) (answer []byte, status int) {
	t.Helper()
	return send(t, address, http.MethodGet, path)
}

// send is the same for any method.
func send(t *testing.T, address, method, path string) (answer []byte, status int) {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, method+" "+path+" HTTP/1.1\r\nHost: api\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	read, err := http.ReadResponse(bufio.NewReader(io.TeeReader(connection, &seen)), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer read.Body.Close()
	if _, err := io.Copy(io.Discard, read.Body); err != nil {
		t.Fatal(err)
	}
	return seen.Bytes(), read.StatusCode
}

func TestGivesTheAnswerOfTheStudyOverEveryWay(t *testing.T) {
	own, other := chain(t, "nats")
	answers := map[string][]byte{}
	for name, place := range map[string][2]string{
		"direct": {other, "/api/v1/products"}, "of the suite, direct": {other, "/products"},
		"HTTP/2": {own, "/api/v1/products"}, "gRPC": {own, "/api/v2/products"}, "NATS": {own, "/api/v3/products"},
		"of the suite, NATS": {own, "/products"},
	} {
		answer, status := get(t, place[0], place[1])
		if status != http.StatusOK || len(answer) != 366 {
			t.Errorf("%s: status %d and %d bytes, expected 200 and 366", name, status, len(answer))
		}
		answers[name] = bodyOf(answer)
	}
	if !strings.HasPrefix(string(answers["direct"]), `{"products":[{"id":1,"name":"Kettle",`) {
		t.Errorf("found %s", answers["direct"])
	}
	for name, body := range answers {
		if !bytes.Equal(body, answers["direct"]) {
			t.Errorf("%s: %s, expected the bytes of api01 itself", name, body)
		}
	}
}

func bodyOf(answer []byte) []byte {
	_, body, _ := bytes.Cut(answer, []byte("\r\n\r\n"))
	return body
}

func TestSendsAllRequestsOverOneConnectionOfHTTP2(t *testing.T) {
	const together = 20
	var connections atomic.Int32
	var arrived sync.WaitGroup
	counted := &http.Server{
		Protocols: new(http.Protocols),
		Handler: http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
			arrived.Done()
			// All of them are in flight at once.
			arrived.Wait()
			serving.WriteJSON(answer, []byte("{}"), nil)
		}),
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		},
	}
	counted.Protocols.SetUnencryptedHTTP2(true)
	listening := listener(t)
	go func() { _ = counted.Serve(listening) }()
	defer counted.Close()
	ask, err := overHTTP([]string{"http://" + listening.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	askTogether := func(number int) {
		arrived.Add(number)
		var ended sync.WaitGroup
		for range number {
			ended.Go(func() {
				if _, err := ask(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		ended.Wait()
	}

	askTogether(1)
	askTogether(together)

	if found := connections.Load(); found != 1 {
		t.Errorf("%d requests at once took %d connections, expected 1", together, found)
	}
}

func TestSaysWhatApi01DidNotAnswer(t *testing.T) {
	gone := listener(t)
	address := gone.Addr().String()
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	own := startApi02(t, "grpc", Addresses{URL: "http://" + address, Target: address})

	for path, expected := range map[string]int{"/api/v1/products": 502, "/products": 502, "/api/v3/products": 404} {
		answer, status := get(t, own, path)
		if status != expected || (expected == 502 && !strings.Contains(string(answer), "connection refused")) {
			t.Errorf("%s: %s, expected %d and the cause", path, answer, expected)
		}
	}
}

func TestRefusesAWayWithoutAnAddress(t *testing.T) {
	ways, err := Open(Addresses{URL: "http://127.0.0.1:9101"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ways.Handler("nats"); err == nil || !strings.Contains(err.Error(), "nats with NATS_URL") {
		t.Errorf("expected a refusal that names the setting, found %v", err)
	}
}
