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

// longestMessage exceeds any measured answer: a longer one is a failure, and ends its connection.
const longestMessage = 64 << 20

// mostHandshakes is the maximum number of connections that are opened at once.
const mostHandshakes = 16

// longestOpening is the time limit of a block for connections to a distant service. The requests open missing ones.
const longestOpening = 10 * time.Second

// partingLimit is the time limit for closing the connections of a load cleanly.
const partingLimit = time.Second

var socketCall = regexp.MustCompile(`^(TEXT|BINARY) (/\S*)$`)

// socketSettings is the SocketSettings of src/model/load.ts.
type socketSettings struct {
	Subprotocols []string `json:"subprotocols"`
	// Correlation is the key with the number of a message, and of its answer; "" if messages are answered in order.
	Correlation string `json:"correlation"`
	// IsText is true if that number is sent as a text.
	IsText bool `json:"isText"`
	// Answer is the key that an answer must have; "" if any answer is accepted.
	Answer string `json:"answer"`
}

// socketRound is the transport of a vegeta attack whose requests are messages: each is sent over a connection of its load, and is
// complete when its answer has arrived.
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

// socketPool has the connections of a load. A request takes the one that has been idle for longest, so that all of them are used.
type socketPool struct {
	url      string
	options  *websocket.DialOptions
	settings socketSettings
	idle     chan *socket
	numbers  atomic.Uint64
}

// dialSockets opens one connection per worker. If one fails, the request that needs it opens it again, and is recorded as a failure if that also
// fails.
func dialSockets(t target, workers int) (*socketPool, error) {
	first := t.Requests[0]
	parts := socketCall.FindStringSubmatch(first.Call)
	if parts == nil || first.Socket == nil {
		return nil, fmt.Errorf("%q is not a WebSocket message", first.Call)
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

// handshake is equal for connections that are opened alike; "" without a WebSocket.
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

// exchange sends a message, and waits for its answer. The error describes the failure.
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

// ready is always true: the request that needs a lost connection opens it again.
func (p *socketPool) ready() bool { return true }

// close closes all connections cleanly, and waits for the services that cooperate within the limit.
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

// socket is a slot for a connection, which one request at a time uses.
type socket struct {
	pool *socketPool
	// line is nil if there is no connection yet.
	line *line
}

// connected returns the connection, and opens it if necessary. If it ended with a fault that no request has reported, it returns that once.
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

// numbered returns a message with its number under the key of the correlation, which the caller has already removed.
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
	errSubprotocol = errors.New("websocket: unexpected sub-protocol")
	errUnexpected  = errors.New("websocket: unexpected message")
	errNoAnswer    = errors.New("websocket: answer without its key")
	errTooLong     = errors.New("websocket: answer over 64 MiB")
	errBroken      = errors.New("websocket: broken frame")
	errLost        = errors.New("websocket: connection lost before the answer")
)

// refusal is the reason that there is no connection.
func refusal(response *http.Response, err error) error {
	switch {
	case response == nil:
		return err
	case response.StatusCode != http.StatusSwitchingProtocols:
		return fmt.Errorf("websocket: handshake refused with HTTP %d", response.StatusCode)
	case response.Header.Get("Sec-WebSocket-Protocol") != "":
		return errSubprotocol
	}
	return errors.New("websocket: handshake did not open a WebSocket")
}
