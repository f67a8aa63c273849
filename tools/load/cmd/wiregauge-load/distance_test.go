package main

import (
	"cmp"
	"crypto/tls"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/h2c"
)

// far is a distance that a busy machine does not add on its own.
var far = network{RTTMs: 60}

// pause is the response time of each of the services.
const pause = 10 * time.Millisecond

// distantLoad is a load of one user, and the number of round trips of its requests, over an existing connection if it is
// kept.
type distantLoad struct {
	load  blockLoad
	trips int
}

func distantLoads(t *testing.T) map[string]distantLoad {
	t.Helper()
	slow := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(pause) })
	own := newIdentity(t)
	plain := serveWith(t, h2c.NewHandler(slow, &http2.Server{}), nil)
	encrypted := serveWith(t, slow, &tls.Config{Certificates: []tls.Certificate{own.pair}})
	sockets, _ := serveSockets(t, func(s served) {
		for message, ok := s.next(); ok; message, ok = s.next() {
			time.Sleep(pause)
			s.say(message)
		}
	})
	calls, _ := serveHealth(t, slowHealth{healthServer{noted: &received{}}, pause})
	over := func(address string, c connection) blockLoad {
		b := httpLoad(t, address, "GET /")
		b.Load.Target.Connection = &c
		return b
	}
	any, fresh := &tlsSettings{Insecure: true}, new(bool)
	return map[string]distantLoad{
		"HTTP/1.1":                        {over(plain, connection{HTTP: "1.1"}), 1},
		"HTTP/1.1, fresh":                 {over(plain, connection{HTTP: "1.1", KeepAlive: fresh}), 2},
		"HTTP/1.1 over TLS, fresh":        {over(encrypted, connection{HTTP: "1.1", TLS: any, KeepAlive: fresh}), 3},
		"HTTP/2 over TLS":                 {over(encrypted, connection{HTTP: "2", TLS: any}), 1},
		"h2c":                             {over(plain, connection{HTTP: "h2c"}), 1},
		"h2c, 2 connections":              {over(plain, connection{HTTP: "h2c", Connections: 2}), 1},
		"gRPC":                            {grpcLoad(t, calls, "a"), 1},
		"messages, answered in turn":      {socketLoad(t, sockets, socketSettings{}, "a"), 1},
		"messages, known by their number": {socketLoad(t, sockets, byID, `{}`), 1},
	}
}

// usual returns the median of the latencies of a load's requests, none of which may fail or be faster than possible.
func usual(t *testing.T, b blockLoad, fastest time.Duration) time.Duration {
	t.Helper()
	b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser, b.Load.Seconds = "users", 1, 7, 20
	runLoads(t, newStage(), b)
	records := recordsOf(t, b)
	if len(records) != b.Load.RequestsPerUser {
		t.Fatalf("%d requests", len(records))
	}
	for _, r := range records {
		if r.failure != "" || r.latency < fastest {
			t.Fatalf("%v, sooner than %v: %s", r.latency, fastest, r.failure)
		}
	}
	slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.latency, b.latency) })
	return records[len(records)/2].latency
}

func TestARequestToAServiceFarAwayTakesItsRoundTripsMore(t *testing.T) {
	for name, test := range distantLoads(t) {
		t.Run(name, func(t *testing.T) {
			here := usual(t, test.load, pause)
			test.load.Load.Network = &far
			way := time.Duration(test.trips) * far.roundTrip()
			there := usual(t, test.load, way+pause)
			if most := here + way + far.roundTrip()/2; there > most {
				t.Errorf("%v, and %v here: that is more than %d round trips of %v", there, here, test.trips, far.roundTrip())
			}
		})
	}
}

func TestUsersOfOneConnectionDoNotWaitForEachOthersWay(t *testing.T) {
	for name, areSerial := range map[string]bool{"h2c": false, "HTTP/1.1": true} {
		t.Run(name, func(t *testing.T) {
			test := distantLoads(t)[name]
			b := test.load
			b.Load.Network = &far
			b.Load.Target.Connection.Connections = 1
			b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser, b.Load.Seconds = "users", 4, 2, 20
			began := time.Now()
			runLoads(t, newStage(), b)
			// Four users with two requests each would take eight one-way times in sequence if they waited.
			if took := time.Since(began); areSerial && took < 8*far.roundTrip() || !areSerial && took > 8*far.roundTrip() {
				t.Errorf("%v", took)
			}
		})
	}
}

func TestConnectionsToAServiceFarAwayAreNotTakenForNearOnes(t *testing.T) {
	address, noted := serveHTTP(t)
	s := newStage()
	for _, n := range []*network{nil, {RTTMs: 1}, {RTTMs: 1}, {RTTMs: 2}, {}} {
		b := httpLoad(t, address, "GET /")
		b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser, b.Load.Network = "users", 1, 1, n
		runLoads(t, s, b)
	}
	if len(noted.connections) != 4 {
		t.Errorf("%d connections", len(noted.connections))
	}
}

func TestANetworkThatCannotBeIsRefused(t *testing.T) {
	for want, n := range map[string]network{
		"round-trip time, jitter, bandwidth and read rate of a network must not be negative": {RTTMs: -1},
		"the jitter of a network must be at most half its round-trip time":                   {RTTMs: 10, JitterMs: 6},
	} {
		b := httpLoad(t, closedAddress(t), "GET /")
		b.Load.Network = &n
		if got := newStage().runNow(request{Loads: []blockLoad{b}}).Results[0].Error; got != want {
			t.Errorf("%q", got)
		}
	}
}

func TestAServiceFarAwayThatRefusesIsAFailureAfterARoundTrip(t *testing.T) {
	b := httpLoad(t, closedAddress(t), "GET /")
	b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser, b.Load.Network = "users", 1, 2, &far
	runLoads(t, newStage(), b)
	for _, r := range recordsOf(t, b) {
		if r.failure == "" || r.latency < far.roundTrip() {
			t.Errorf("%v: %q", r.latency, r.failure)
		}
	}
}

func TestMessagesAreClosedInGoodOrderOverADistance(t *testing.T) {
	codes := make(chan websocket.StatusCode, 1)
	address, _ := serveSockets(t, func(s served) {
		for {
			_, message, err := s.Read(s.ctx)
			if err != nil {
				codes <- websocket.CloseStatus(err)
				return
			}
			s.say(string(message))
		}
	})
	b := socketLoad(t, address, socketSettings{}, "a")
	b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser, b.Load.Seconds, b.Load.Fresh = "users", 1, 1, 20, true
	b.Load.Network = &far
	runLoads(t, newStage(), b)
	select {
	case code := <-codes:
		if code != websocket.StatusNormalClosure {
			t.Errorf("closed with %d", code)
		}
	case <-time.After(20 * time.Second):
		t.Error("the connection is still open")
	}
}
