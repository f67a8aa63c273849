package main

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// served is a connection of a service in a test.
type served struct {
	*websocket.Conn
	ctx context.Context
}

func (s served) next() (string, bool) {
	_, message, err := s.Read(s.ctx)
	return string(message), err == nil
}

func (s served) say(text string) { _ = s.Write(s.ctx, websocket.MessageText, []byte(text)) }

// serveSockets starts a service that runs talk on each connection, and returns its address and the count of its connections.
func serveSockets(t *testing.T, talk func(served)) (string, *atomic.Int32) {
	t.Helper()
	var accepted atomic.Int32
	address := serveWith(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"v2"}})
		if err != nil {
			return
		}
		accepted.Add(1)
		defer func() { _ = conn.CloseNow() }()
		talk(served{conn, r.Context()})
	}), nil)
	return address, &accepted
}

// echo answers each message with itself.
func echo(s served) {
	for message, ok := s.next(); ok; message, ok = s.next() {
		s.say(message)
	}
}

func socketLoad(t *testing.T, address string, settings socketSettings, messages ...string) blockLoad {
	t.Helper()
	b := httpLoad(t, address)
	// Twice as many requests as any test expects: a busy machine does not send all of them.
	b.Tool = "websocket"
	for _, message := range messages {
		b.Load.Target.Requests = append(b.Load.Target.Requests,
			callRequest{Call: "TEXT /chat", Body: []byte(message), Socket: &settings})
	}
	return b
}

var byID = socketSettings{Correlation: "id"}

// failuresOf runs a load, and counts its requests by failure; "" are successes.
func failuresOf(t *testing.T, b blockLoad) map[string]int {
	t.Helper()
	s := newStage()
	runLoads(t, s, b)
	s.keep(nil)
	return countedFailures(t, b)
}

func countedFailures(t *testing.T, b blockLoad) map[string]int {
	t.Helper()
	counted := map[string]int{}
	for _, r := range recordsOf(t, b) {
		_, failure, isOwn := strings.Cut(r.failure, "websocket: ")
		if !isOwn {
			failure = r.failure
		}
		counted[failure]++
	}
	return counted
}

func TestMessagesAreAnsweredOverKeptConnections(t *testing.T) {
	for _, kind := range []string{"open", "saturate", "users"} {
		t.Run(kind, func(t *testing.T) {
			address, accepted := serveSockets(t, echo)
			b := socketLoad(t, address, socketSettings{}, "one", "two")
			b.Load.Kind = kind
			s := newStage()
			runLoads(t, s, b)
			runLoads(t, s, b)
			if found := countedFailures(t, b); len(found) != 1 || found[""] < 20 {
				t.Errorf("%v", found)
			}
			if accepted.Load() != 4 {
				t.Errorf("%d connections of 4 workers", accepted.Load())
			}
		})
	}
}

func TestAHandshakeHasPathHeadersAndSubprotocol(t *testing.T) {
	var seen atomic.Value
	address := serveWith(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(fmt.Sprint(r.URL, " ", r.Host, " ", r.Header.Get("Authorization"), " ", r.Header.Get("Sec-WebSocket-Protocol")))
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"v2"}})
		if err == nil {
			echo(served{conn, r.Context()})
		}
	}), nil)
	b := socketLoad(t, address, socketSettings{Subprotocols: []string{"v3", "v2"}}, "a")
	b.Load.Target.Requests[0].Call = "TEXT /chat?room=1"
	b.Load.Target.Requests[0].Headers = map[string]string{"Authorization": "Bearer x", "Host": "other.test"}
	if found := failuresOf(t, b); len(found) != 1 || found[""] < 20 {
		t.Errorf("%v", found)
	}
	if want := "/chat?room=1 other.test Bearer x v3,v2"; seen.Load() != want {
		t.Errorf("%q", seen.Load())
	}
}

func TestMessagesAreTextOrBinary(t *testing.T) {
	kinds := make(chan string, 100)
	address, _ := serveSockets(t, func(s served) {
		for {
			kind, message, err := s.Read(s.ctx)
			if err != nil {
				return
			}
			kinds <- fmt.Sprint(kind, " ", message)
			_ = s.Write(s.ctx, kind, message)
		}
	})
	b := socketLoad(t, address, socketSettings{}, "A")
	binary := b.Load.Target.Requests[0]
	binary.Call, binary.Body = "BINARY /chat", []byte{0, 255}
	b.Load.Target.Requests = append(b.Load.Target.Requests, binary)
	b.Load.Workers = 1
	failuresOf(t, b)
	if first, second := <-kinds, <-kinds; first != "MessageText [65]" || second != "MessageBinary [0 255]" {
		t.Errorf("%s, %s", first, second)
	}
}

func TestTheNumberOfAMessageIsInItAndInItsAnswer(t *testing.T) {
	for _, test := range []struct {
		settings      socketSettings
		message, want string
	}{
		{socketSettings{}, "{}", "{}"},
		{byID, `{}`, `{"id":7}`},
		{byID, `{"a":1}`, `{"id":7,"a":1}`},
		{socketSettings{Correlation: "i-d", IsText: true}, `{"a":1}`, `{"i-d":"7","a":1}`},
	} {
		if got := string(test.settings.numbered([]byte(test.message), "7")); got != test.want {
			t.Errorf("%s", got)
		}
	}
	for text, want := range map[string]string{
		`{"id":7}`: "7", ` { "a" : {"id":1} , "id" : "7" } `: "7", `{"a":"\"id\":7"}`: "", `[{"id":7}]`: "", `{"id":{"id":7}}`: `{"id":7}`, `{`: "",
	} {
		answer := newSocketAnswer(byID)
		for _, c := range []byte(text) {
			answer.inner.push(c)
		}
		if answer.number != want {
			t.Errorf("%s: %q", text, answer.number)
		}
	}
}

func TestUnderACorrelationUnrequestedMessagesAreSkipped(t *testing.T) {
	for name, talk := range map[string]func(served){
		"pushes": func(s served) {
			s.say(`{"event":"joined"}`)
			for message, ok := s.next(); ok; message, ok = s.next() {
				s.say("no JSON")
				s.say(message)
				s.say(`{"id":"x","event":"left"}`)
			}
		},
		"answers twice": func(s served) {
			for message, ok := s.next(); ok; message, ok = s.next() {
				s.say(message)
				s.say(message)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			address, accepted := serveSockets(t, talk)
			if found := failuresOf(t, socketLoad(t, address, byID, `{"a":1}`)); len(found) != 1 || found[""] < 20 {
				t.Errorf("%v", found)
			}
			if accepted.Load() != 4 {
				t.Errorf("%d connections", accepted.Load())
			}
		})
	}
}

func TestInTurnAMessageThatWasNotRequestedIsAFailure(t *testing.T) {
	address, _ := serveSockets(t, func(s served) {
		for message, ok := s.next(); ok; message, ok = s.next() {
			s.say(message)
			s.say(message)
		}
	})
	found := failuresOf(t, socketLoad(t, address, socketSettings{}, "a"))
	if found["unexpected message"] < 5 {
		t.Errorf("%v", found)
	}
}

func TestAnAnswerThatComesTooLateIsNotThatOfTheNextMessage(t *testing.T) {
	for name, settings := range map[string]socketSettings{"in turn": {}, "under a correlation": byID} {
		t.Run(name, func(t *testing.T) {
			var received atomic.Int32
			address, accepted := serveSockets(t, func(s served) {
				for message, ok := s.next(); ok; message, ok = s.next() {
					if received.Add(1) == 3 {
						time.Sleep(150 * time.Millisecond)
					}
					s.say(message)
				}
			})
			b := socketLoad(t, address, settings, `{"a":1}`)
			b.Load.Workers, b.Load.TimeoutSeconds, b.Load.Seconds = 1, 0.1, 0.4
			found := failuresOf(t, b)
			late := 0
			for failure, count := range found {
				if strings.Contains(failure, "Timeout") || strings.Contains(failure, "deadline") {
					late += count
				}
			}
			if found[""] < 10 || late < 1 || found[""]+late != len(recordsOf(t, b)) {
				t.Errorf("%v", found)
			}
			if opened := accepted.Load(); (settings.Correlation == "") != (opened > 1) {
				t.Errorf("%d connections", opened)
			}
		})
	}
}

func TestAServiceThatNeverAnswersIsATimeout(t *testing.T) {
	address, _ := serveSockets(t, func(s served) {
		for _, ok := s.next(); ok; _, ok = s.next() {
		}
	})
	b := socketLoad(t, address, byID, `{}`)
	b.Load.TimeoutSeconds = 0.1
	for failure := range failuresOf(t, b) {
		if !strings.Contains(failure, "deadline exceeded") {
			t.Errorf("%q", failure)
		}
	}
}

func TestAConnectionThatClosesIsAFailureByItsCode(t *testing.T) {
	close1009 := func(s served) { _ = s.Close(websocket.StatusMessageTooBig, "too long, https://example.com") }
	for name, test := range map[string]struct {
		talk func(served)
		want string
	}{
		"before the answer": {func(s served) { s.next(); close1009(s) }, "closed with 1009 (message too big) before the answer"},
		"after the answer": {func(s served) {
			message, _ := s.next()
			s.say(message)
			close1009(s)
		}, "closed with 1009 (message too big) between requests"},
		"an own code":    {func(s served) { s.next(); _ = s.Close(4001, "") }, "closed with 4001 before the answer"},
		"without a word": {func(s served) { s.next(); _ = s.CloseNow() }, "connection lost before the answer"},
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := serveSockets(t, test.talk)
			if found := failuresOf(t, socketLoad(t, address, byID, `{}`)); found[test.want] < 5 || len(found) > 2 {
				t.Errorf("%v", found)
			}
		})
	}
}

func TestWhatIsNoFrameIsAFailure(t *testing.T) {
	address := serveWith(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hash := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		conn, stream, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n\r\n",
			base64.StdEncoding.EncodeToString(hash[:]))
		_, _ = stream.ReadByte()
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		_, _ = io.Copy(io.Discard, stream)
	}), nil)
	found := failuresOf(t, socketLoad(t, address, byID, `{}`))
	if found["broken frame"] < 15 || len(found) != 1 {
		t.Errorf("%v", found)
	}
}

func TestAConnectionThatWasClosedInGoodOrderIsOpenedAnew(t *testing.T) {
	address, accepted := serveSockets(t, func(s served) {
		message, _ := s.next()
		s.say(message)
		_ = s.Close(websocket.StatusGoingAway, "")
	})
	found := failuresOf(t, socketLoad(t, address, byID, `{}`))
	if found[""] < 15 || len(found) != 1 || found[""] > int(accepted.Load()) {
		t.Errorf("%v, %d connections", found, accepted.Load())
	}
}

func TestWhatWasSentWhenTheServiceEndsIsCountedAsFailed(t *testing.T) {
	var received atomic.Int32
	address, _ := serveSockets(t, func(s served) {
		for message, ok := s.next(); ok; message, ok = s.next() {
			if received.Add(1) > 10 {
				return
			}
			s.say(message)
		}
	})
	b := socketLoad(t, address, byID, `{}`)
	found := failuresOf(t, b)
	if found[""] != 10 || found["connection lost before the answer"] != len(recordsOf(t, b))-10 {
		t.Errorf("%v", found)
	}
}

func TestAnAnswerWithoutEndIsCutOffAndNotKept(t *testing.T) {
	chunk := make([]byte, 1<<20)
	address, _ := serveSockets(t, func(s served) {
		for _, ok := s.next(); ok; _, ok = s.next() {
			w, err := s.Writer(s.ctx, websocket.MessageText)
			for i := 0; i < 100 && err == nil; i++ {
				_, err = w.Write(chunk)
			}
			_ = w.Close()
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b := socketLoad(t, address, byID, `{}`)
	b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser = "users", 1, 2
	found := failuresOf(t, b)
	runtime.ReadMemStats(&after)
	if found["answer over 64 MiB"] < 1 || len(found) != 1 {
		t.Errorf("%v", found)
	}
	if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 16 {
		t.Errorf("%d MiB were allocated", grown)
	}
}

func TestAHandshakeThatIsRefusedIsAFailureWithItsStatus(t *testing.T) {
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"401": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }, "handshake refused with HTTP 401"},
		"302": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/there", 302) }, "handshake refused with HTTP 302"},
		"200": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }, "handshake refused with HTTP 200"},
		"wrong": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Upgrade", "websocket")
			w.WriteHeader(101)
		}, "handshake did not open a WebSocket"},
	} {
		t.Run(name, func(t *testing.T) {
			found := failuresOf(t, socketLoad(t, serveWith(t, test.answer, nil), byID, `{}`))
			if found[test.want] < 15 || len(found) != 1 {
				t.Errorf("%v", found)
			}
		})
	}
}

func TestAnotherSubprotocolIsAFailure(t *testing.T) {
	address, _ := serveSockets(t, echo)
	found := failuresOf(t, socketLoad(t, address, socketSettings{Subprotocols: []string{"v1"}}, "a"))
	if found["unexpected sub-protocol"] < 15 || len(found) != 1 {
		t.Errorf("%v", found)
	}
}

func TestAnAnswerWithoutTheKeyThatItIsToHaveIsAFailure(t *testing.T) {
	address, _ := serveSockets(t, func(s served) {
		for message, ok := s.next(); ok; message, ok = s.next() {
			s.say(strings.Replace(message, "}", `,"result":null,"error":{"result":1}}`, 1))
		}
	})
	found := failuresOf(t, socketLoad(t, address, socketSettings{Correlation: "id", Answer: "result"}, `{}`))
	if found["answer without its key"] < 15 || len(found) != 1 {
		t.Errorf("%v", found)
	}
}

func TestPingsAreAnsweredBetweenRequests(t *testing.T) {
	ponged := make(chan error, 1)
	address, _ := serveSockets(t, func(s served) {
		go echo(s)
		limit, cancel := context.WithTimeout(s.ctx, 5*time.Second)
		defer cancel()
		ponged <- s.Ping(limit)
		<-s.ctx.Done()
	})
	b := socketLoad(t, address, byID, `{}`)
	b.Load.Workers = 1
	failuresOf(t, b)
	if err := <-ponged; err != nil {
		t.Error(err)
	}
}

func TestLoadsOfOneLoopShareConnectionsIfTheyAreOpenedAlike(t *testing.T) {
	address, accepted := serveSockets(t, echo)
	a, b := socketLoad(t, address, byID, `{"a":1}`), socketLoad(t, address, byID, `{"b":1}`)
	for i, one := range []*blockLoad{&a, &b} {
		one.Load.Kind, one.Load.Weight, one.Load.Workers = "saturate", float64(1+2*i), 2
	}
	runLoads(t, newStage(), a, b)
	ofA, ofB := len(recordsOf(t, a)), len(recordsOf(t, b))
	if ofA < 5 || ofB < 3*ofA-4 || ofB > 3*ofA+4 || accepted.Load() != 4 {
		t.Errorf("%d and %d requests over %d connections", ofA, ofB, accepted.Load())
	}
}

func TestARefusedConnectionIsOneForAWebSocketToo(t *testing.T) {
	for failure := range failuresOf(t, socketLoad(t, closedAddress(t), byID, `{}`)) {
		if !strings.Contains(failure, "connection refused") {
			t.Errorf("%q", failure)
		}
	}
}
