// Package overhttp answers with objects over HTTP, in one form or the other.
package overhttp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"

	"wiregauge/services/payload/go/internal/answers"
	"wiregauge/services/payload/go/internal/settings"
)

// Service is a server that is not started yet.
type Service struct {
	server   *http.Server
	graceful time.Duration
}

// New makes a server that answers in a form.
func New(form answers.Form, read settings.Settings) Service {
	server := &http.Server{
		Handler: handler{form: form, read: read},
		// 0 would mean no limit, so one answer per connection is set otherwise.
		IdleTimeout:       read.KeepAlive,
		ReadHeaderTimeout: time.Minute,
		Protocols:         &http.Protocols{},
	}
	server.Protocols.SetHTTP1(true)
	// For clients with prior knowledge; all others are answered over HTTP/1.1 on the same port.
	server.Protocols.SetUnencryptedHTTP2(true)
	server.SetKeepAlivesEnabled(read.KeepAlive > 0)
	return Service{server: server, graceful: read.Graceful}
}

// Serve answers on the listener until the context is done; requests in flight then have the graceful time.
func (s Service) Serve(ctx context.Context, listener net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- s.server.Serve(listener) }()
	fmt.Printf("Listening on http://%s\n", listener.Addr())
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	limit, cancel := context.WithTimeout(context.Background(), s.graceful)
	defer cancel()
	if err := s.server.Shutdown(limit); errors.Is(err, context.DeadlineExceeded) {
		return s.server.Close()
	}
	return nil
}

// IsHealthy checks a running service.
func IsHealthy(ctx context.Context, address string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

type handler struct {
	form answers.Form
	read settings.Settings
}

const allowed = "GET, HEAD, OPTIONS"

func (h handler) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	switch request.URL.Path {
	case "/objects", "/health":
	default:
		refuse(writer, http.StatusNotFound, "There is nothing here; objects are at /objects?count=100.")
		return
	}
	switch request.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		writer.Header().Set("Allow", allowed)
		return
	default:
		writer.Header().Set("Allow", allowed)
		refuse(writer, http.StatusMethodNotAllowed, "The method is not allowed for the requested URL.")
		return
	}
	if request.URL.Path == "/health" {
		send(writer, "application/json", []byte(`{"status":"ok"}`))
		return
	}
	h.objects(writer, request)
}

func (h handler) objects(writer http.ResponseWriter, request *http.Request) {
	count := answers.ParseCount(request.URL.Query()["count"])
	if err := answers.Check(count, h.read); err != nil {
		refuse(writer, http.StatusBadRequest, err.Error())
		return
	}
	if err := answers.Burn(h.form, count, h.read); err != nil {
		refuse(writer, http.StatusInternalServerError, "The answer could not be serialized.")
		return
	}
	body, err := h.form.Encode(count)
	if err != nil {
		refuse(writer, http.StatusInternalServerError, "The answer could not be serialized.")
		return
	}
	if len(body) > h.read.MaxAnswerBytes(math.MaxInt) {
		refuse(writer, http.StatusBadRequest, fmt.Sprintf(
			"The answer has %d bytes, and MAX_ANSWER_MIB allows %d MiB: ask for fewer objects.", len(body), h.read.MaxAnswerMiB))
		return
	}
	if h.read.Gzip {
		writer.Header().Set("Vary", "Accept-Encoding")
		if takesGzip(request.Header.Values("Accept-Encoding")) {
			writer.Header().Set("Content-Encoding", "gzip")
			body = compressed(body)
		}
	}
	send(writer, h.form.ContentType, body)
}

func send(writer http.ResponseWriter, contentType string, body []byte) {
	writer.Header().Set("Content-Type", contentType)
	writer.Header().Set("Content-Length", strconv.Itoa(len(body)))
	// Only the client's connection can fail here, so nobody is left to receive the error.
	_, _ = writer.Write(body)
}
