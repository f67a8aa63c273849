package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAnswers(t *testing.T) {
	for _, one := range []struct {
		method, path, body string
		status             int
	}{
		{http.MethodGet, "/greeting/Ada", `{"text":"Hello, Ada!"}`, http.StatusOK},
		{http.MethodGet, "/greeting/Ada%20L%C3%B6w", `{"text":"Hello, Ada Löw!"}`, http.StatusOK},
		{http.MethodGet, "/health", `{"status":"ok"}`, http.StatusOK},
		{http.MethodGet, "/other", "404 page not found", http.StatusNotFound},
		{http.MethodPost, "/greeting/Ada", "Method Not Allowed", http.StatusMethodNotAllowed},
	} {
		t.Run(one.method+" "+one.path, func(t *testing.T) {
			answer := httptest.NewRecorder()
			handler("Hello").ServeHTTP(answer, httptest.NewRequest(one.method, one.path, nil))

			if answer.Code != one.status || strings.TrimSpace(answer.Body.String()) != one.body {
				t.Errorf("answered %d %q, want %d %q", answer.Code, answer.Body, one.status, one.body)
			}
		})
	}
}

func TestRefusesAWrongSetting(t *testing.T) {
	t.Setenv("PORT", "0")

	if err := run(nil); err == nil || !strings.Contains(err.Error(), `PORT is "0"`) {
		t.Errorf("got %v, want an error about PORT", err)
	}
}

func TestHealthOfAServiceThatRuns(t *testing.T) {
	server := httptest.NewServer(handler("Hello"))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")

	if err := healthy(address); err != nil {
		t.Error(err)
	}
	server.Close()
	if healthy(address) == nil {
		t.Error("a service that does not run is healthy")
	}
}
