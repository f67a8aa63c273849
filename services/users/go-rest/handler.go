package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"path"
	"strconv"
)

const allowed = "GET, HEAD, OPTIONS"

// handler answers with users as JSON.
func handler(list userList, description []byte) http.Handler {
	byID := make(map[int32]user, len(list.Users))
	for _, one := range list.Users {
		byID[one.ID] = one
	}
	mux := http.NewServeMux()
	resource(mux, "/user/{id}", func(answer http.ResponseWriter, request *http.Request) {
		id, ok := parseID(request.PathValue("id"))
		if !ok {
			refuse(answer, http.StatusBadRequest, fmt.Sprintf("A user's id is a whole number from 1 to %d.", math.MaxInt32))
			return
		}
		found, ok := byID[id]
		if !ok {
			refuse(answer, http.StatusNotFound, fmt.Sprintf("No user has the id %d.", id))
			return
		}
		sendJSON(answer, found)
	})
	resource(mux, "/users", func(answer http.ResponseWriter, _ *http.Request) { sendJSON(answer, list) })
	resource(mux, "/health", func(answer http.ResponseWriter, _ *http.Request) {
		sendJSON(answer, map[string]string{"status": "ok"})
	})
	resource(mux, "/openapi.json", func(answer http.ResponseWriter, _ *http.Request) {
		send(answer, http.StatusOK, "application/json", description)
	})
	mux.HandleFunc("/", notFound)
	return exactly(mux)
}

// resource answers GET and HEAD at a path, and refuses other methods.
func resource(mux *http.ServeMux, pattern string, get http.HandlerFunc) {
	mux.HandleFunc("GET "+pattern, get)
	mux.HandleFunc("OPTIONS "+pattern, func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Allow", allowed)
	})
	mux.HandleFunc(pattern, func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Allow", allowed)
		refuse(answer, http.StatusMethodNotAllowed, "The method is not allowed for the requested URL.")
	})
}

// exactly does not find another spelling of a path, which the mux would answer with a redirect.
func exactly(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		if path.Clean(request.URL.Path) != request.URL.Path {
			notFound(answer, request)
			return
		}
		mux.ServeHTTP(answer, request)
	})
}

// parseID returns the id in a path: decimal digits, without sign or leading zero.
func parseID(text string) (int32, bool) {
	if text == "" || text[0] < '1' || text[0] > '9' {
		return 0, false
	}
	id, err := strconv.ParseInt(text, 10, 32)
	return int32(id), err == nil
}

// problem is a problem document (RFC 9457).
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

func notFound(answer http.ResponseWriter, _ *http.Request) {
	refuse(answer, http.StatusNotFound, "There is nothing here; users are at /users and /user/1.")
}

func refuse(answer http.ResponseWriter, status int, detail string) {
	body, err := json.Marshal(problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail})
	if err != nil {
		panic(err)
	}
	send(answer, status, "application/problem+json", body)
}

func sendJSON(answer http.ResponseWriter, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		refuse(answer, http.StatusInternalServerError, "The answer could not be written as JSON.")
		return
	}
	send(answer, http.StatusOK, "application/json", body)
}

func send(answer http.ResponseWriter, status int, contentType string, body []byte) {
	answer.Header().Set("Content-Type", contentType)
	answer.Header().Set("Content-Length", strconv.Itoa(len(body)))
	answer.WriteHeader(status)
	// Only the client's connection can fail here, so nobody is left to receive the error.
	_, _ = answer.Write(body)
}
