package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/coder/websocket"
)

// question is a sent message that waits for its answer.
type question struct {
	number   string
	answered chan error
}

// line is an open connection. It is read continuously, so that pings are answered and its end is noticed between requests, too.
type line struct {
	conn     *websocket.Conn
	settings socketSettings
	// over is closed when nothing more will be read. Only then ended is set.
	over    chan struct{}
	ended   error
	lock    sync.Mutex
	pending *question
}

func newLine(conn *websocket.Conn, settings socketSettings) *line {
	l := &line{conn: conn, settings: settings, over: make(chan struct{})}
	go l.listen()
	return l
}

func (l *line) isOver() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// fault is the reason that the next request fails, for a connection that ended between requests: nil if the service just closed it, so that a new
// one works.
func (l *line) fault() error {
	var closed websocket.CloseError
	if !errors.As(l.ended, &closed) {
		return l.mistake()
	}
	switch closed.Code {
	case websocket.StatusNormalClosure, websocket.StatusGoingAway, websocket.StatusNoStatusRcvd:
		return nil
	}
	return fmt.Errorf("websocket: %s between requests", closeWords(closed.Code))
}

// exchange sends a message, and waits until its answer arrives, the connection is lost or the time is up.
func (l *line) exchange(ctx context.Context, kind websocket.MessageType, message []byte, q *question) error {
	l.ask(q)
	if err := l.conn.Write(ctx, kind, message); err != nil {
		// The close code that was read last is the reason.
		_ = l.conn.CloseNow()
		<-l.over
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return l.loss()
	}
	select {
	case failure := <-q.answered:
		return failure
	case <-l.over:
		select {
		case failure := <-q.answered:
			return failure
		default:
			return l.loss()
		}
	case <-ctx.Done():
		if l.settings.Correlation == "" {
			// Its answer may still arrive, and would be mistaken for that of the next message.
			_ = l.conn.CloseNow()
			<-l.over
		}
		l.forget(q)
		return ctx.Err()
	}
}

func (l *line) ask(q *question) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.pending = q
}

func (l *line) forget(q *question) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.pending == q {
		l.pending = nil
	}
}

// loss describes how a message without an answer was lost.
func (l *line) loss() error {
	var closed websocket.CloseError
	if errors.As(l.ended, &closed) {
		return fmt.Errorf("websocket: %s before the answer", closeWords(closed.Code))
	}
	if mistake := l.mistake(); mistake != nil {
		return mistake
	}
	return errLost
}

// mistake is the service's mistake, for a connection without a close code; nil if it was only interrupted.
func (l *line) mistake() error {
	var cut *net.OpError
	switch {
	case errors.Is(l.ended, errUnexpected) || errors.Is(l.ended, errTooLong):
		return l.ended
	case errors.Is(l.ended, io.EOF) || errors.Is(l.ended, io.ErrUnexpectedEOF) || errors.Is(l.ended, net.ErrClosed) || errors.As(l.ended, &cut):
		return nil
	}
	return errBroken
}

// listen reads until the connection ends.
func (l *line) listen() {
	defer close(l.over)
	buffer := make([]byte, 4096)
	for {
		answer, err := l.read(buffer)
		if err == nil {
			err = l.deliver(answer)
		}
		if err != nil {
			l.ended = err
			_ = l.conn.CloseNow()
			return
		}
	}
}

// read scans the next message, and keeps only what the settings require.
func (l *line) read(buffer []byte) (*socketAnswer, error) {
	_, message, err := l.conn.Reader(context.Background())
	if err != nil {
		return nil, err
	}
	answer := newSocketAnswer(l.settings)
	isRead := l.settings.Correlation != "" || l.settings.Answer != ""
	for {
		n, err := message.Read(buffer)
		if isRead {
			for _, c := range buffer[:n] {
				answer.inner.push(c)
			}
		}
		switch {
		case err == io.EOF:
			return answer, nil
		case errors.Is(err, websocket.ErrMessageTooBig):
			return nil, errTooLong
		case err != nil:
			return nil, err
		}
	}
}

// deliver passes a response to the caller that waits for it. With correlation, responses without a caller are dropped: unsolicited ones,
// duplicates, and late ones.
func (l *line) deliver(answer *socketAnswer) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	q := l.pending
	switch {
	case l.settings.Correlation != "" && (q == nil || answer.number != q.number):
		return nil
	case q == nil:
		return errUnexpected
	}
	l.pending = nil
	q.answered <- answer.failure()
	return nil
}

// socketAnswer finds the keys in an answer that the settings name.
type socketAnswer struct {
	inner       jsonMap
	number      string
	needed      string
	correlation string
	hasNeeded   bool
}

func newSocketAnswer(s socketSettings) *socketAnswer {
	answer := &socketAnswer{needed: s.Answer, correlation: s.Correlation}
	answer.inner.see = answer.see
	return answer
}

func (a *socketAnswer) see(key, value []byte) {
	name := strings.Trim(string(key), `"`)
	if name == a.correlation {
		// Some services return the number as a text.
		a.number = strings.Trim(string(value), `"`)
	}
	a.hasNeeded = a.hasNeeded || (name == a.needed && string(value) != "null")
}

func (a *socketAnswer) failure() error {
	if a.needed != "" && !a.hasNeeded {
		return errNoAnswer
	}
	return nil
}

// closeNames are the codes of RFC 6455 and its registry.
var closeNames = map[websocket.StatusCode]string{
	1000: "normal", 1001: "going away", 1002: "protocol error", 1003: "unsupported data", 1005: "no code", 1007: "invalid data",
	1008: "policy violation", 1009: "message too big", 1010: "extension missing", 1011: "internal error", 1012: "restart",
	1013: "try again later",
}

func closeWords(code websocket.StatusCode) string {
	if name, known := closeNames[code]; known {
		return fmt.Sprintf("closed with %d (%s)", code, name)
	}
	return fmt.Sprintf("closed with %d", code)
}
