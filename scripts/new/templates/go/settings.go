package main

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

// settings are read once, from the environment.
type settings struct {
	// host:port.
	address string
	// greeting is the first word of each answer.
	greeting string
	// graceful is the time for requests in flight after SIGTERM.
	graceful time.Duration
}

func readSettings() (settings, error) {
	port, err := whole("PORT", 5000, 65_535)
	if err != nil {
		return settings{}, err
	}
	seconds, err := whole("GRACEFUL_SECONDS", 1, 300)
	if err != nil {
		return settings{}, err
	}
	return settings{
		address:  net.JoinHostPort(text("HOST", "127.0.0.1"), strconv.Itoa(port)),
		greeting: text("GREETING", "Hello"),
		graceful: time.Duration(seconds) * time.Second,
	}, nil
}

func text(name, usual string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return usual
}

// whole reads a number from 1 to the largest.
func whole(name string, usual, largest int) (int, error) {
	value := text(name, strconv.Itoa(usual))
	number, err := strconv.Atoi(value)
	if err != nil || number < 1 || number > largest {
		return 0, fmt.Errorf("%s is %q: it must be a whole number from 1 to %d", name, value, largest)
	}
	return number, nil
}
