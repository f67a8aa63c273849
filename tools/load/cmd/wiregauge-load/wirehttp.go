package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const http2Preface = http2.ClientPreface

// isHTTP is true if bytes begin with a method of HTTP and a path.
func isHTTP(client []byte) bool {
	method, rest, isWhole := bytes.Cut(client[:min(len(client), 12)], []byte(" "))
	if !isWhole || len(rest) == 0 || rest[0] != '/' && rest[0] != 'h' && rest[0] != '*' {
		return false
	}
	switch string(method) {
	case "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS":
		return true
	}
	return false
}

// piped reads one direction of a connection with a library that reads from a stream. It returns to its feeder when the library needs more, so
// that each request is counted before its response.
type piped struct {
	lock      sync.Mutex
	changed   *sync.Cond
	bytes     []byte
	found     []string
	needsMore bool
	isEnded   bool
	// failed is the reason that the stream cannot be read.
	failed error
	count  func(string)
}

// newPiped starts a reader; the function that read returns gives the text of the next request.
func newPiped(count func(string), read func(stream *bufio.Reader) func() (string, error)) *piped {
	p := &piped{count: count}
	p.changed = sync.NewCond(&p.lock)
	go func() {
		next := read(bufio.NewReader(p))
		for {
			text, err := next()
			p.lock.Lock()
			if err != nil {
				p.failed = err
				p.changed.Broadcast()
				p.lock.Unlock()
				return
			}
			p.found = append(p.found, text)
			p.lock.Unlock()
		}
	}()
	return p
}

// Read is for the library.
func (p *piped) Read(buffer []byte) (int, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	for len(p.bytes) == 0 {
		if p.isEnded {
			return 0, io.EOF
		}
		p.needsMore = true
		p.changed.Broadcast()
		p.changed.Wait()
	}
	p.needsMore = false
	size := copy(buffer, p.bytes)
	p.bytes = p.bytes[size:]
	return size, nil
}

func (p *piped) client(part []byte) error {
	if len(part) == 0 {
		return nil
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.bytes, p.needsMore = append(p.bytes, part...), false
	p.changed.Broadcast()
	for p.failed == nil && !(p.needsMore && len(p.bytes) == 0) {
		p.changed.Wait()
	}
	for _, text := range p.found {
		p.count(text)
	}
	p.found = nil
	if p.failed != nil {
		return errTorn
	}
	return nil
}

func (p *piped) server([]byte) error { return nil }

func (p *piped) end() {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.isEnded = true
	p.changed.Broadcast()
}

func newHTTP1(count func(string)) *piped {
	return newPiped(count, func(stream *bufio.Reader) func() (string, error) {
		return func() (string, error) {
			request, err := http.ReadRequest(stream)
			if err != nil {
				return "", err
			}
			_, err = io.Copy(io.Discard, request.Body)
			return request.Method + " " + pathShape(request.URL.Path), err
		}
	})
}

// newHTTP2 counts streams, including gRPC calls.
func newHTTP2(count func(string)) *piped {
	return newPiped(count, func(stream *bufio.Reader) func() (string, error) {
		isBegun := false
		framer := http2.NewFramer(io.Discard, stream)
		framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
		return func() (string, error) {
			if !isBegun {
				isBegun = true
				if _, err := io.CopyN(io.Discard, stream, int64(len(http2Preface))); err != nil {
					return "", err
				}
			}
			for {
				frame, err := framer.ReadFrame()
				if err != nil {
					return "", err
				}
				if headers, ok := frame.(*http2.MetaHeadersFrame); ok && headers.PseudoValue("method") != "" {
					return textOfStream(headers), nil
				}
			}
		}
	})
}

// textOfStream keeps the path of a gRPC call, which contains no values.
func textOfStream(headers *http2.MetaHeadersFrame) string {
	path := headers.PseudoValue("path")
	for _, field := range headers.RegularFields() {
		if field.Name == "content-type" && strings.HasPrefix(field.Value, "application/grpc") {
			return cutText(path)
		}
	}
	return headers.PseudoValue("method") + " " + pathShape(path)
}
