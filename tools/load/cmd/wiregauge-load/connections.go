package main

import (
	"net/http"
	"sync/atomic"
)

// turnsOfConnections sends each request over the next of its transports, each of which has one connection, and opens another only if a
// service allows fewer streams than there are requests in flight.
type turnsOfConnections struct {
	all  []http.RoundTripper
	next atomic.Uint64
}

// inTurn returns transports that take turns; a single one for 0, which opens as many connections as it needs.
func inTurn(most int, open func() http.RoundTripper) http.RoundTripper {
	if most < 2 {
		return open()
	}
	turns := &turnsOfConnections{}
	for range most {
		turns.all = append(turns.all, open())
	}
	return turns
}

func (t *turnsOfConnections) RoundTrip(request *http.Request) (*http.Response, error) {
	return t.all[(t.next.Add(1)-1)%uint64(len(t.all))].RoundTrip(request)
}

// CloseIdleConnections is called by http.Client.
func (t *turnsOfConnections) CloseIdleConnections() {
	for _, one := range t.all {
		(&http.Client{Transport: one}).CloseIdleConnections()
	}
}
