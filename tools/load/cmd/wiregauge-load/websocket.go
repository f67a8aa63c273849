package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// longestMessage is more than any answer that is measured has: what is longer is a failure, and ends its connection.
const longestMessage = 64 << 20

// mostHandshakes is how many connections are opened at once.
const mostHandshakes = 16

// longestOpening is how long a block waits for connections to a service that is far away. What is missing then is opened by the requests.
const longestOpening = 10 * time.Second

// partingLimit is how long is waited for the connections of a load to be closed in good order.
const partingLimit = time.Second

var socketCall = regexp.MustCompile(`^(TEXT|BINARY) (/\S*)$`)

// socketSettings is the SocketSettings of src/model/load.ts.
type socketSettings struct {
	Subprotocols []string `json:"subprotocols"`
	// Correlation is the key that has the number of a message, and of its answer; "" if each message is answered in turn.
	Correlation string `json:"correlation"`
	// IsText is whether that number is sent as a text.
	IsText bool `json:"isText"`
	// Answer is the key that an answer has to have; "" if any answer will do.
	Answer string `json:"answer"`
}

// socketRound is the transport of an attack by vegeta whose requests are messages: each goes out over a connection of its load, and
// has come back when its answer is there.
type socketRound struct {
	pools []*socketPool
}

func (s socketRound) RoundTrip(r *http.Request) (*http.Response, error) {
	load := 0
	if len(s.pools) > 1 {
		_, load = unmarkedURL("#" + r.URL.Fragment)
	}
	message, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	kind := websocket.MessageText
	if r.Method == "BINARY" {
		kind = websocket.MessageBinary
	}
	if err := s.pools[load].exchange(r.Context(), kind, message); err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

// socketPool are the connections of a load. A request takes the one that has been idle for longest, so that all of them are used.
type socketPool struct {
	url      string
	options  *websocket.DialOptions
	settings socketSettings
	idle     chan *socket
	numbers  atomic.Uint64
}

// dialSockets opens as many connections as there are workers. One that fails is opened again by the request that needs it, which is recorded as a
// failure if that fails again.
func dialSockets(t target, workers int) (*socketPool, error) {
	first := t.Requests[0]
	parts := socketCall.FindStringSubmatch(first.Call)
	if parts == nil || first.Socket == nil {
		return nil, fmt.Errorf("%q is no message for a WebSocket", first.Call)
	}
	config, err := t.Connection.tlsConfig()
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{TLSClientConfig: config, DialContext: t.dialer()}
	header := http.Header{}
	for name, value := range first.Headers {
		header.Set(name, value)
	}
	pool := &socketPool{
		url:      t.origin() + parts[2],
		settings: *first.Socket,
		idle:     make(chan *socket, workers),
		options: &websocket.DialOptions{
			HTTPClient:   &http.Client{Transport: transport, CheckRedirect: noFollow},
			HTTPHeader:   header,
			Host:         header.Get("Host"),
			Subprotocols: first.Socket.Subprotocols,
		},
	}
	for range workers {
		pool.idle <- &socket{pool: pool}
	}
	pool.open(workers, min(dialLimit+t.link.time(openingTrips*(1+workers/mostHandshakes)), longestOpening))
	return pool, nil
}

// handshake is what connections have in common that are opened alike; "" without a WebSocket.
func (t target) handshake() string {
	if len(t.Requests) == 0 || t.Requests[0].Socket == nil {
		return ""
	}
	first := t.Requests[0]
	_, path, _ := strings.Cut(first.Call, " ")
	// A map is written in the order of its keys.
	return fmt.Sprint(path, first.Headers, *first.Socket)
}

func noFollow(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func (p *socketPool) open(count int, limit time.Duration) {
	until, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	turns := make(chan struct{}, mostHandshakes)
	var opening sync.WaitGroup
	for range count {
		s := <-p.idle
		turns <- struct{}{}
		opening.Add(1)
		go func() {
			defer opening.Done()
			// The request that needs it tries again.
			_, _ = s.connected(until)
			p.idle <- s
			<-turns
		}()
	}
	opening.Wait()
}

// exchange sends a message, and waits for its answer. The error says how that failed.
func (p *socketPool) exchange(ctx context.Context, kind websocket.MessageType, message []byte) error {
	s := <-p.idle
	defer func() { p.idle <- s }()
	l, err := s.connected(ctx)
	if err != nil {
		return err
	}
	q := &question{number: strconv.FormatUint(p.numbers.Add(1), 10), answered: make(chan error, 1)}
	err = l.exchange(ctx, kind, p.settings.numbered(message, q.number), q)
	if err != nil && l.isOver() {
		s.line = nil
	}
	return err
}

// ready is always true: a connection that has gone is opened anew by the request that needs it.
func (p *socketPool) ready() bool { return true }

// close closes all connections in good order, and waits for the services that take part in that soon.
func (p *socketPool) close() {
	var parting sync.WaitGroup
	for range cap(p.idle) {
		s := <-p.idle
		if s.line != nil {
			parting.Add(1)
			go func() {
				defer parting.Done()
				_ = s.line.conn.Close(websocket.StatusNormalClosure, "")
			}()
		}
	}
	parted := make(chan struct{})
	go func() {
		parting.Wait()
		close(parted)
	}()
	select {
	case <-parted:
	case <-time.After(partingLimit):
	}
	p.options.HTTPClient.CloseIdleConnections()
}

// socket is a place for a connection, which one request at a time uses.
type socket struct {
	pool *socketPool
	// line is nil if there is no connection yet.
	line *line
}

// connected gives the connection, and opens it if it is not there. If it ended by a fault that no request has failed by, it gives that once.
func (s *socket) connected(ctx context.Context) (*line, error) {
	if s.line != nil && !s.line.isOver() {
		return s.line, nil
	}
	if s.line != nil {
		fault := s.line.fault()
		s.line = nil
		if fault != nil {
			return nil, fault
		}
	}
	// The response has more detail than the error.
	conn, response, err := websocket.Dial(ctx, s.pool.url, s.pool.options)
	if err != nil {
		return nil, refusal(response, err)
	}
	if len(s.pool.options.Subprotocols) > 0 && conn.Subprotocol() == "" {
		_ = conn.CloseNow()
		return nil, errSubprotocol
	}
	conn.SetReadLimit(longestMessage)
	s.line = newLine(conn, s.pool.settings)
	return s.line, nil
}

// numbered is a message with its number under the key of the correlation. What it has there itself is left out before it comes here.
func (s socketSettings) numbered(message []byte, number string) []byte {
	if s.Correlation == "" {
		return message
	}
	if s.IsText {
		number = `"` + number + `"`
	}
	rest := message[1:]
	begin := fmt.Sprintf(`{%q:%s`, s.Correlation, number)
	whole := make([]byte, 0, len(begin)+1+len(rest))
	whole = append(whole, begin...)
	if rest[0] != '}' {
		whole = append(whole, ',')
	}
	return append(whole, rest...)
}

var (
	errSubprotocol = errors.New("websocket: another sub-protocol")
	errUnexpected  = errors.New("websocket: message that was not asked for")
	errNoAnswer    = errors.New("websocket: answer without its key")
	errTooLong     = errors.New("websocket: answer over 64 MiB")
	errBroken      = errors.New("websocket: broken frame")
	errLost        = errors.New("websocket: connection lost before the answer")
)

// refusal is why there is no connection.
func refusal(response *http.Response, err error) error {
	switch {
	case response == nil:
		return err
	case response.StatusCode != http.StatusSwitchingProtocols:
		return fmt.Errorf("websocket: handshake refused with HTTP %d", response.StatusCode)
	case response.Header.Get("Sec-WebSocket-Protocol") != "":
		return errSubprotocol
	}
	return errors.New("websocket: handshake answered by no WebSocket")
}
