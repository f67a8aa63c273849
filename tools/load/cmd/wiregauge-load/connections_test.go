package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/h2c"
)

func TestLoadsOpenAsManyConnectionsAsTheyAreAllowed(t *testing.T) {
	for _, test := range []struct {
		version            string
		allowed, connected int
	}{
		{"1.1", 1, 1},
		{"1.1", 2, 2},
		{"1.1", 9, 4},
		{"h2c", 0, 1},
		{"h2c", 1, 1},
		{"h2c", 2, 2},
		{"h2c", 9, 4},
	} {
		for _, kind := range []string{"saturate", "users", "stages"} {
			t.Run(fmt.Sprintf("%s, at most %d, %s", test.version, test.allowed, kind), func(t *testing.T) {
				if kind == "stages" && test.allowed == 0 {
					t.Skip("each user has a connection then")
				}
				isFew := test.version == "1.1" && kind != "saturate"
				found := 0
				// net/http replaces a connection if a busy machine takes more than 50 ms to note that a request was written.
				for range 3 {
					found = connectionsOf(t, test.version, test.allowed, kind)
					if (found <= test.connected || test.allowed == 0) && (found >= test.connected || isFew) {
						return
					}
				}
				t.Errorf("%d connections, expected %d", found, test.connected)
			})
		}
	}
}

func connectionsOf(t *testing.T, version string, allowed int, kind string) int {
	t.Helper()
	noted := &received{}
	server := httptest.NewServer(h2c.NewHandler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		noted.note(r.URL.Path, r.RemoteAddr)
	}), &http2.Server{}))
	defer server.Close()
	b := httpLoad(t, server.Listener.Addr().String(), "GET /")
	b.Load.Kind, b.Load.RatePerSecond = kind, 0
	b.Load.Stages = []userStage{{Seconds: 0.1, Users: 4}, {Seconds: 0.1, Users: 4}}
	b.Load.Target.Connection = &connection{HTTP: version, Connections: allowed}
	s := newStage()
	defer s.keep(nil)
	runLoads(t, s, b)
	for _, r := range recordsOf(t, b) {
		if r.failure != "" {
			t.Fatal(r.failure)
		}
	}
	return len(noted.connections)
}

func TestCallsTakeAsManyConnectionsAsTheyAreAllowed(t *testing.T) {
	for allowed, expected := range map[int]int{0: 4, 1: 1, 2: 2, 9: 4} {
		address, _, listener := serveGRPC(t)
		b := grpcLoad(t, address, "a")
		b.Load.Target.Connection = &connection{HTTP: "1.1", Connections: allowed}
		runLoads(t, newStage(), b)
		if listener.count() != expected {
			t.Errorf("%d connections, expected %d", listener.count(), expected)
		}
	}
}
