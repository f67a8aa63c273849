package main

import (
	"errors"
	"io"
	"net/http"
)

var (
	errGraphQLErrors = errors.New("graphql: answered with errors")
	errNoGraphQLData = errors.New("graphql: answered without data")
)

// graphqlChecked reads each successful answer to its end, and treats one with errors, or without data, as a failure.
type graphqlChecked struct {
	inner http.RoundTripper
}

func (c graphqlChecked) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.inner.RoundTrip(r)
	if err == nil && response.StatusCode >= 200 && response.StatusCode < 300 {
		response.Body = newGraphQLBody(response.Body)
	}
	return response, err
}

// CloseIdleConnections lets http.Client.CloseIdleConnections reach those of the transport.
func (c graphqlChecked) CloseIdleConnections() {
	if closing, ok := c.inner.(interface{ CloseIdleConnections() }); ok {
		closing.CloseIdleConnections()
	}
}

// graphqlBody ends with an error instead of io.EOF if its answer is not a success.
type graphqlBody struct {
	io.ReadCloser
	answer *graphqlAnswer
}

func newGraphQLBody(body io.ReadCloser) *graphqlBody {
	return &graphqlBody{body, newGraphQLAnswer()}
}

func (b *graphqlBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for _, c := range p[:n] {
		b.answer.inner.push(c)
	}
	if err == io.EOF {
		if failure := b.answer.failure(); failure != nil {
			return n, failure
		}
	}
	return n, err
}

// graphqlAnswer finds the keys "data" and "errors" of an answer.
type graphqlAnswer struct {
	inner              jsonMap
	hasData, hasErrors bool
}

func newGraphQLAnswer() *graphqlAnswer {
	answer := &graphqlAnswer{}
	answer.inner.see = answer.see
	return answer
}

func (a *graphqlAnswer) failure() error {
	switch {
	case a.hasErrors:
		return errGraphQLErrors
	case !a.hasData:
		return errNoGraphQLData
	}
	return nil
}

func (a *graphqlAnswer) see(key, value []byte) {
	switch string(key) {
	case `"data"`:
		a.hasData = a.hasData || string(value) != "null"
	case `"errors"`:
		// An empty list means no error.
		a.hasErrors = a.hasErrors || (string(value) != "null" && string(value) != "[]")
	}
}
