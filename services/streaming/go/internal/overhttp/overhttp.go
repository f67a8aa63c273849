// Package overhttp serves users over HTTP: all in one answer, or as a stream of NDJSON or of server-sent events.
package overhttp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"wiregauge/services/streaming/go/internal/users"
)

// Server answers over HTTP/1.1, and over HTTP/2 without TLS to clients with prior knowledge. All other settings are the
// defaults of net/http.
func Server() *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /users", list)
	mux.HandleFunc("GET /health", func(answer http.ResponseWriter, _ *http.Request) { answer.WriteHeader(http.StatusNoContent) })
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{Handler: mux, Protocols: protocols}
}

// framing turns the JSON of a user, which ends with a line, into a message of a stream.
type framing struct{ contentType, before, after string }

var framings = []framing{
	{"application/x-ndjson", "", ""},
	{"text/event-stream", "data: ", "\n"},
}

func list(answer http.ResponseWriter, request *http.Request) {
	count, err := strconv.Atoi(request.URL.Query().Get("count"))
	if err != nil || !users.Has(count) {
		http.Error(answer, fmt.Sprintf("Ask for 1 to %d users, such as /users?count=100.", users.Most), http.StatusBadRequest)
		return
	}
	accepted := strings.Join(request.Header.Values("Accept"), ",")
	for _, form := range framings {
		if strings.Contains(accepted, form.contentType) {
			stream(answer, form, count)
			return
		}
	}
	whole(answer, count)
}

// whole completes the answer before it sends any of it.
func whole(answer http.ResponseWriter, count int) {
	all := make([]users.User, count)
	for i := range all {
		all[i] = users.At(i + 1)
	}
	text, err := json.Marshal(map[string][]users.User{"users": all})
	if err != nil {
		http.Error(answer, err.Error(), http.StatusInternalServerError)
		return
	}
	answer.Header().Set("Content-Type", "application/json")
	answer.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = answer.Write(text)
}

// stream makes a user when the previous one has been written, which waits for a client that reads slowly. The first is sent at once; others
// as net/http's buffer fills.
func stream(answer http.ResponseWriter, form framing, count int) {
	answer.Header().Set("Content-Type", form.contentType)
	encoder := json.NewEncoder(answer)
	for id := 1; id <= count; id++ {
		_, _ = io.WriteString(answer, form.before)
		err := encoder.Encode(users.At(id))
		_, _ = io.WriteString(answer, form.after)
		if err == nil && id == 1 {
			err = http.NewResponseController(answer).Flush()
		}
		if err != nil {
			// The client has disconnected.
			return
		}
	}
}
