// Package answering is a layer's side towards the one above it: the same users over HTTP with JSON, and over gRPC.
package answering

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"wiregauge/services/layers/go/internal/users"
)

// answerLimit is the time limit of the layers below.
const answerLimit = 5 * time.Second

// handler answers the paths of the study, and those for health and metrics.
func handler(source users.Source, figures *Figures) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/users/{id}", figures.request("GetUser", func(request *http.Request) (any, error) {
		return source.Get(request.Context(), request.PathValue("id"))
	}))
	mux.HandleFunc("GET /api/v1/users", figures.request("ListUsers", func(request *http.Request) (any, error) {
		page, size, err := pageOf(request)
		if err != nil {
			return nil, err
		}
		return source.List(request.Context(), page, size)
	}))
	mux.HandleFunc("GET /health", func(answer http.ResponseWriter, _ *http.Request) {
		write(answer, http.StatusOK, []byte(`{"status":"SERVING"}`))
	})
	mux.Handle("GET /metrics", figures.page())
	return mux
}

func pageOf(request *http.Request) (page, size int, err error) {
	query := request.URL.Query()
	page, err = numberOf(query.Get("page"), 1)
	if err != nil {
		return 0, 0, err
	}
	size, err = numberOf(query.Get("page_size"), users.UsualSize)
	return page, size, err
}

func numberOf(text string, usual int) (int, error) {
	if text == "" {
		return usual, nil
	}
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, users.Refusal{Kind: users.Invalid, Text: "page and page_size are whole numbers"}
	}
	return orUsual(int32(number), usual), nil
}

// respond answers a request and returns the status.
func respond(answer http.ResponseWriter, request *http.Request, ask func(request *http.Request) (any, error)) int {
	ctx, cancel := context.WithTimeout(request.Context(), answerLimit)
	defer cancel()
	status := http.StatusOK
	value, err := ask(request.WithContext(ctx))
	if err != nil {
		status, value = statusOf(err), users.Refused{Error: err.Error()}
	}
	text, err := json.Marshal(value)
	if err != nil {
		status, text = http.StatusInternalServerError, nil
	}
	write(answer, status, text)
	return status
}

func statusOf(err error) int {
	var refusal users.Refusal
	if errors.As(err, &refusal) {
		return users.HTTPStatus[refusal.Kind]
	}
	return http.StatusBadGateway
}

func write(answer http.ResponseWriter, status int, text []byte) {
	answer.Header().Set("Content-Type", "application/json")
	answer.WriteHeader(status)
	_, _ = answer.Write(text)
}
