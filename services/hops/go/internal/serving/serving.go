// Package serving has the common parts of api01 and api02 as HTTP servers.
package serving

import "net/http"

// Server answers over HTTP/1.1, and over HTTP/2 with and without TLS, depending on its listener. All other settings are the
// defaults of net/http.
func Server(handler http.Handler) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{Handler: handler, Protocols: protocols}
}

// WriteJSON answers a request with JSON, or with the error of its conversion.
func WriteJSON(answer http.ResponseWriter, text []byte, err error) {
	if err != nil {
		http.Error(answer, err.Error(), http.StatusInternalServerError)
		return
	}
	answer.Header().Set("Content-Type", "application/json")
	_, _ = answer.Write(text)
}

// Healthy answers the path that shows whether a program is ready.
func Healthy(answer http.ResponseWriter, _ *http.Request) { answer.WriteHeader(http.StatusNoContent) }
