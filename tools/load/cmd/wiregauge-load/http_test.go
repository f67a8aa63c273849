package main

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/h2c"
)

// exchange is a request as seen by a service.
type exchange struct {
	protocol, method, host, contentType, token, body string
}

// seen records the requests that a service gets.
type seen struct {
	lock sync.Mutex
	all  []exchange
}

func (s *seen) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.lock.Lock()
	defer s.lock.Unlock()
	s.all = append(s.all, exchange{
		r.Proto, r.Method + " " + r.URL.String(), r.Host, r.Header.Get("Content-Type"), r.Header.Get("X-Token"), string(body),
	})
	if r.URL.Path == "/missing" {
		w.WriteHeader(http.StatusNotFound)
	}
}

// serveWith starts a service and returns its address. With TLS it offers HTTP/2 in addition to HTTP/1.1.
func serveWith(t *testing.T, handler http.Handler, config *tls.Config) string {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	if config == nil {
		server.Start()
	} else {
		server.EnableHTTP2 = true
		server.TLS = config
		server.StartTLS()
	}
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// runOver runs a load over a connection, and fails the test if a request fails.
func runOver(t *testing.T, address string, c *connection, requests ...callRequest) {
	t.Helper()
	b := httpLoad(t, address, "GET /")
	b.Load.Target.Connection = c
	if requests != nil {
		b.Load.Target.Requests = requests
	}
	runLoads(t, newStage(), b)
	for _, r := range recordsOf(t, b) {
		if r.failure != "" {
			t.Fatal(r.failure)
		}
	}
}

func TestRequestsHaveTheirHeadersAndBodies(t *testing.T) {
	noted := &seen{}
	address := serveWith(t, noted, nil)
	runOver(t, address, nil,
		callRequest{
			Call: "POST /a?b=1", Headers: map[string]string{"Content-Type": "text/plain", "X-Token": "secret", "Host": "other.test"},
			Body: []byte("Zoë"),
		},
		callRequest{Call: "PUT /b", Body: []byte{0, 255}},
		callRequest{Call: "GET /c"},
	)
	want := map[exchange]bool{
		{"HTTP/1.1", "POST /a?b=1", "other.test", "text/plain", "secret", "Zoë"}: true,
		{"HTTP/1.1", "PUT /b", address, "", "", "\x00\xff"}:                      true,
		{"HTTP/1.1", "GET /c", address, "", "", ""}:                              true,
	}
	found := map[exchange]bool{}
	for _, one := range noted.all {
		if !want[one] {
			t.Fatalf("%+v", one)
		}
		found[one] = true
	}
	if len(found) != len(want) {
		t.Errorf("%+v", found)
	}
}

func TestHTTPIsSpokenInTheVersionThatIsRequested(t *testing.T) {
	own := newIdentity(t)
	config := &tls.Config{Certificates: []tls.Certificate{own.pair}}
	any := &tlsSettings{Insecure: true}
	for name, test := range map[string]struct {
		client *connection
		config *tls.Config
		want   string
	}{
		"1.1":          {&connection{HTTP: "1.1"}, nil, "HTTP/1.1"},
		"h2c":          {&connection{HTTP: "h2c"}, nil, "HTTP/2.0"},
		"1.1 over TLS": {&connection{HTTP: "1.1", TLS: any}, config, "HTTP/1.1"},
		"2":            {&connection{HTTP: "2", TLS: any}, config, "HTTP/2.0"},
	} {
		t.Run(name, func(t *testing.T) {
			noted := &seen{}
			address := serveWith(t, h2c.NewHandler(noted, &http2.Server{}), test.config)
			runOver(t, address, test.client)
			for _, one := range noted.all {
				if one.protocol != test.want {
					t.Fatalf("%+v", one)
				}
			}
			if len(noted.all) == 0 {
				t.Error("nothing was asked")
			}
		})
	}
}

func TestHTTPOverTLSTrustsAndShowsWhatItIsGiven(t *testing.T) {
	for name, test := range tlsCases(t) {
		for _, version := range []string{"1.1", "2"} {
			t.Run(name+" over "+version, func(t *testing.T) {
				noted := &seen{}
				address := serveWith(t, noted, test.server.Clone())
				b := httpLoad(t, address, "GET /")
				b.Load.Target.Connection = &connection{HTTP: version, TLS: &test.client}
				runLoads(t, newStage(), b)
				for _, r := range recordsOf(t, b) {
					if test.fails == (r.failure == "") {
						t.Fatalf("%q", r.failure)
					}
				}
				want := address
				if test.client.ServerName != "" {
					want = test.client.ServerName + address[strings.LastIndex(address, ":"):]
				}
				for _, one := range noted.all {
					if one.host != want {
						t.Fatalf("asked for %s, not for %s", one.host, want)
					}
				}
			})
		}
	}
}

func TestHTTPWithoutAUsableCertificateIsAnErrorOfTheBlock(t *testing.T) {
	b := httpLoad(t, "127.0.0.1:9", "GET /")
	b.Load.Target.Connection = &connection{HTTP: "1.1", TLS: &tlsSettings{CA: "no certificate"}}
	if got := newStage().runNow(request{Loads: []blockLoad{b}}).Results[0].Error; !strings.Contains(got, "tls.ca") {
		t.Errorf("%q", got)
	}
}

func TestConnectionsAreKeptWhateverTheFirstRequestIs(t *testing.T) {
	address, noted := serveHTTP(t)
	s := newStage()
	for _, call := range []string{"GET /1", "GET /2"} {
		b := httpLoad(t, address, call)
		b.Load.Workers = 1
		runLoads(t, s, b)
	}
	if len(noted.connections) != 1 {
		t.Errorf("%d connections, and 1 would do", len(noted.connections))
	}
}

func TestConnectionsAreNotKeptForAnotherKindOfConnection(t *testing.T) {
	own := newIdentity(t)
	noted := &seen{}
	address := serveWith(t, noted, &tls.Config{Certificates: []tls.Certificate{own.pair}})
	s := newStage()
	for _, version := range []string{"1.1", "2"} {
		b := httpLoad(t, address, "GET /")
		b.Load.Target.Connection = &connection{HTTP: version, TLS: &tlsSettings{Insecure: true}}
		runLoads(t, s, b)
	}
	if first, last := noted.all[0], noted.all[len(noted.all)-1]; first.protocol != "HTTP/1.1" || last.protocol != "HTTP/2.0" {
		t.Errorf("%+v, %+v", first, last)
	}
}
