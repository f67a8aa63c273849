package main

import (
	"net"
	"time"
)

// readAhead limits the kernel's buffer for a slow reader. By default it would be megabytes, and a service would seldom have to wait.
const readAhead = 64 << 10

// readAtOnce is small, so that a slow reader reads often.
const readAtOnce = 4 << 10

// slowReader is a connection that is read at a limited rate, so that the sender has to wait. Its protocol reads it from one goroutine.
type slowReader struct {
	net.Conn
	network network
	free    time.Time
}

func newSlowReader(conn net.Conn, mbit float64) *slowReader {
	if sized, ok := conn.(interface{ SetReadBuffer(bytes int) error }); ok {
		// Otherwise the kernel reads ahead.
		_ = sized.SetReadBuffer(readAhead)
	}
	return &slowReader{Conn: conn, network: network{BandwidthMbit: mbit}}
}

func (s *slowReader) Read(p []byte) (int, error) {
	time.Sleep(time.Until(s.free))
	n, err := s.Conn.Read(p[:min(len(p), readAtOnce)])
	if now := time.Now(); s.free.Before(now) {
		s.free = now
	}
	s.free = s.free.Add(s.network.transfer(n))
	return n, err
}
