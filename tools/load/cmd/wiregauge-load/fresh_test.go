package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// watched counts the accepted connections, and those that their client has closed.
type watched struct {
	net.Listener
	lock             sync.Mutex
	accepted, closed int
}

type watchedConn struct {
	net.Conn
	listener *watched
	once     sync.Once
}

func (w *watched) Accept() (net.Conn, error) {
	conn, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.accepted++
	return &watchedConn{Conn: conn, listener: w}, nil
}

func (c *watchedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		c.once.Do(func() {
			c.listener.lock.Lock()
			defer c.listener.lock.Unlock()
			c.listener.closed++
		})
	}
	return n, err
}

func (w *watched) counts() (accepted, closed int) {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.accepted, w.closed
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return &watched{Listener: inner}
}

// serveWatched serves all protocols, each on its own listener, and returns a load of one request for each.
func serveWatched(t *testing.T) map[*watched]blockLoad {
	t.Helper()
	echoing, plain := newWatched(t), newWatched(t)
	for listener, handler := range map[*watched]http.HandlerFunc{
		plain: func(http.ResponseWriter, *http.Request) {},
		echoing: func(w http.ResponseWriter, r *http.Request) {
			if conn, err := websocket.Accept(w, r, nil); err == nil {
				echo(served{conn, r.Context()})
			}
		},
	} {
		server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}}
		server.Start()
		t.Cleanup(server.Close)
	}
	calls := newWatched(t)
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, healthServer{noted: &received{}})
	go func() { _ = server.Serve(calls) }()
	t.Cleanup(server.Stop)
	return map[*watched]blockLoad{
		plain:   httpLoad(t, plain.Addr().String(), "GET /"),
		echoing: socketLoad(t, echoing.Addr().String(), byID, `{}`),
		calls:   grpcLoad(t, calls.Addr().String(), "a"),
	}
}

func TestAFreshLoadOpensAConnectionAndClosesIt(t *testing.T) {
	for listener, b := range serveWatched(t) {
		t.Run(b.Tool, func(t *testing.T) {
			b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser, b.Load.Seconds = "users", 1, 1, 1
			s := newStage()
			runLoads(t, s, b)
			b.Load.Fresh = true
			for range 2 {
				runLoads(t, s, b)
				if records := recordsOf(t, b); len(records) != 1 || records[0].failure != "" {
					t.Fatalf("%v", records)
				}
			}
			until := time.Now().Add(5 * time.Second)
			for _, closed := listener.counts(); closed < 3 && time.Now().Before(until); _, closed = listener.counts() {
				time.Sleep(time.Millisecond)
			}
			if accepted, closed := listener.counts(); accepted != 3 || closed != 3 {
				t.Errorf("%d connections, of which %d are closed", accepted, closed)
			}
		})
	}
}

func TestMessagesOverTLS(t *testing.T) {
	for name, test := range tlsCases(t) {
		t.Run(name, func(t *testing.T) {
			address := serveWith(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if conn, err := websocket.Accept(w, r, nil); err == nil {
					echo(served{conn, r.Context()})
				}
			}), test.server)
			b := socketLoad(t, address, byID, `{}`)
			b.Load.Target.Connection = &connection{TLS: &test.client}
			found := failuresOf(t, b)
			if test.fails {
				for failure := range found {
					if !strings.Contains(failure, "tls: ") && !strings.Contains(failure, "x509: ") {
						t.Errorf("%q", failure)
					}
				}
				return
			}
			if len(found) != 1 || found[""] < 20 {
				t.Errorf("%v", found)
			}
		})
	}
}
