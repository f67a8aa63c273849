package overhttp

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// problem is a problem document (RFC 9457).
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
}

func refuse(writer http.ResponseWriter, status int, detail string) {
	body, err := json.Marshal(problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail})
	if err != nil {
		body = nil
	}
	writer.Header().Set("Content-Type", "application/problem+json")
	writer.Header().Set("Content-Length", strconv.Itoa(len(body)))
	writer.WriteHeader(status)
	_, _ = writer.Write(body)
}
