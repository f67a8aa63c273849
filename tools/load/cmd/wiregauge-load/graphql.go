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

// graphqlChecked reads each answer of a success to its end, and has one with errors, or without data, as a failure.
type graphqlChecked struct {
	inner http.RoundTripper
}

func (c graphqlChecked) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.inner.RoundTrip(r)
	if err == nil && response.StatusCode >= 200 && response.StatusCode < 300 {
		response.Body = &graphqlBody{ReadCloser: response.Body}
	}
	return response, err
}

// CloseIdleConnections has http.Client.CloseIdleConnections reach those of the transport.
func (c graphqlChecked) CloseIdleConnections() {
	if closing, ok := c.inner.(interface{ CloseIdleConnections() }); ok {
		closing.CloseIdleConnections()
	}
}

// graphqlBody ends with an error in the place of io.EOF if its answer is none of a success.
type graphqlBody struct {
	io.ReadCloser
	answer graphqlAnswer
}

func (b *graphqlBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for _, c := range p[:n] {
		b.answer.push(c)
	}
	if err == io.EOF {
		if failure := b.answer.failure(); failure != nil {
			return n, failure
		}
	}
	return n, err
}

// longestKey is more than the keys that are looked for have, so that a longer one is told from them.
const longestKey = 8

// graphqlAnswer finds the keys "data" and "errors" of a map in JSON, byte by byte, without keeping or decoding the rest.
type graphqlAnswer struct {
	depth             int
	inText, isEscaped bool
	// key is the last text of the map itself that was not a value.
	key     []byte
	inValue bool
	// begun is whether the first byte of the value was seen; inErrors, whether that byte opened a list of errors.
	begun, inErrors    bool
	hasData, hasErrors bool
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

func (a *graphqlAnswer) push(c byte) {
	if a.inText {
		a.pushText(c)
		return
	}
	switch c {
	case ' ', '\t', '\r', '\n':
		return
	case ':':
		if a.depth == 1 {
			a.inValue, a.begun = true, false
		}
		return
	case ',':
		if a.depth == 1 {
			a.inValue, a.key = false, a.key[:0]
		}
		return
	}
	if a.inValue {
		a.pushValue(c)
	}
	switch c {
	case '"':
		a.inText = true
		if a.depth == 1 && !a.inValue {
			a.key = a.key[:0]
		}
	case '{', '[':
		a.depth++
	case '}', ']':
		a.depth--
	}
}

func (a *graphqlAnswer) pushText(c byte) {
	switch {
	case a.isEscaped:
		a.isEscaped = false
	case c == '\\':
		a.isEscaped = true
	case c == '"':
		a.inText = false
		return
	}
	if a.depth == 1 && !a.inValue && len(a.key) < longestKey {
		a.key = append(a.key, c)
	}
}

// pushValue takes a byte of a value of the map itself, or of what is in it, outside of texts and spaces.
func (a *graphqlAnswer) pushValue(c byte) {
	switch {
	case a.inErrors:
		// An empty list is no error.
		a.hasErrors = a.hasErrors || c != ']'
		a.inErrors = false
	case a.begun:
	default:
		a.begun = true
		switch key := string(a.key); {
		case key == "data":
			a.hasData = a.hasData || c != 'n'
		case key == "errors" && c == '[':
			a.inErrors = true
		case key == "errors":
			a.hasErrors = a.hasErrors || c != 'n'
		}
	}
}
