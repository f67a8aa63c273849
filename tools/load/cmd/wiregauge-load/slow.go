package main

import (
	"net"
	"time"
)

// readAhead limits how much the kernel buffers for a slow reader. By default it would be megabytes, and a service would seldom have to wait.
const readAhead = 64 << 10

// readAtOnce is so little that a slow reader reads often.
const readAtOnce = 4 << 10

// slowReader is a connection that is read no faster than at a rate, so that who sends has to wait. Its protocol reads it by one goroutine.
type slowReader struct {
	net.Conn
	network network
	free    time.Time
}

func newSlowReader(conn net.Conn, mbit float64) *slowReader {
	if sized, ok := conn.(interface{ SetReadBuffer(bytes int) error }); ok {
		// Without it, the kernel reads ahead.
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
