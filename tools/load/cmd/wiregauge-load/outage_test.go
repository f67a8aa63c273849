package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
)

// outage fails the requests from the eleventh to the twentieth, like a service whose database disappears temporarily.
type outage struct{ received atomic.Int32 }

func (o *outage) fails() bool {
	received := o.received.Add(1)
	return received > 10 && received <= 20
}

func TestADatabaseThatGoesAwayAndComesBackIsCountedByKindAndNothingIsLost(t *testing.T) {
	for name, test := range map[string]struct {
		kind   string
		handle func(*outage) http.HandlerFunc
	}{
		"REST": {"503", func(o *outage) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				if o.fails() {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			}
		}},
		"GraphQL": {"graphql", func(o *outage) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				answer := `{"data":{"game":{"id":1}}}`
				if o.fails() {
					answer = `{"data":{"game":null},"errors":[{"message":"the database failed"}]}`
				}
				_, _ = io.WriteString(w, answer)
			}
		}},
		"WebSocket": {"answer without its key", func(o *outage) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				conn, err := websocket.Accept(w, r, nil)
				if err != nil {
					return
				}
				s := served{conn, r.Context()}
				for message, ok := s.next(); ok; message, ok = s.next() {
					key := "result"
					if o.fails() {
						key = "error"
					}
					s.say(strings.Replace(message, "}", fmt.Sprintf(`,%q:{"id":1}}`, key), 1))
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := &outage{}
			address := serveWith(t, test.handle(o), nil)
			b := httpLoad(t, address, "POST /graphql")
			if name == "GraphQL" {
				b.Load.Target.Checked = "graphql"
			}
			if name == "WebSocket" {
				b = socketLoad(t, address, socketSettings{Correlation: "id", Answer: "result"}, `{}`)
			}
			b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser, b.Load.Seconds = "users", 1, 40, 5
			runLoads(t, newStage(), b)
			records := recordsOf(t, b)
			failed := 0
			for i, r := range records {
				if r.failure == "" {
					continue
				}
				failed++
				if i < 10 || i >= 20 || !strings.Contains(strings.ToLower(r.failure), test.kind) {
					t.Errorf("request %d: %q", i, r.failure)
				}
			}
			if len(records) != 40 || failed != 10 || o.received.Load() != 40 {
				t.Errorf("%d records of %d requests, %d failed", len(records), o.received.Load(), failed)
			}
		})
	}
}
