package main

import (
	"errors"
	"net"
	"slices"
	"syscall"
	"time"
)

const (
	rttTries = 21
	rttLimit = 5 * time.Second
)

// roundTripTime is the median time until a TCP connection to an address is accepted or refused, which takes one round trip.
func roundTripTime(address string) (time.Duration, error) {
	times := make([]time.Duration, 0, rttTries)
	for range rttTries {
		began := time.Now()
		connection, err := net.DialTimeout("tcp", address, rttLimit)
		took := time.Since(began)
		if err == nil {
			err = connection.Close()
		}
		if err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
			return 0, err
		}
		times = append(times, took)
	}
	slices.Sort(times)
	return times[rttTries/2], nil
}
