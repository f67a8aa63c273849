package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// relayTarget is an address that a service calls, with the name of its need.
type relayTarget struct {
	Name string `json:"name"`
	To   string `json:"to"`
}

// needCalls counts a service's calls to a need since the last report.
type needCalls struct {
	Name string `json:"name"`
	// Protocol is empty before the first bytes, and "unknown" if the relay cannot read it.
	Protocol    string `json:"protocol"`
	Connections int    `json:"connections"`
	RoundTrips  int    `json:"roundTrips"`
	// Commands are counted by their text without literals. If they cannot be read, each round trip counts as one.
	Commands      map[string]int `json:"commands"`
	SentBytes     int64          `json:"sentBytes"`
	ReceivedBytes int64          `json:"receivedBytes"`
	// Unread is the reason that not all commands can be read; empty if they can.
	Unread string `json:"unread"`
}

// roundTrip is the text of a command that cannot be read.
const roundTrip = "round trip"

// mostTexts limits the commands that a report distinguishes. All others count as one.
const mostTexts = 200

const otherTexts = "other commands"

// relay counts the calls of a service to its needs.
type relay struct {
	lock sync.Mutex
	// Name of each target, in their order.
	names []string
	needs map[string]*needCalls
}

// runRelay reads lines until its input ends. For targets it prints the ports that it listens on, for an empty line the calls since the last one.
func runRelay(input io.Reader, output io.Writer, host string) error {
	lines := bufio.NewReader(input)
	answers := json.NewEncoder(output)
	r := &relay{needs: map[string]*needCalls{}}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil
		}
		if len(line) == 1 {
			if err := answers.Encode(map[string][]needCalls{"needs": r.take()}); err != nil {
				return err
			}
			continue
		}
		var targets []relayTarget
		if err := json.Unmarshal(line, &targets); err != nil {
			return fmt.Errorf("the targets are malformed: %w", err)
		}
		ports := make([]int, 0, len(targets))
		for _, target := range targets {
			listener, err := listenBelowEphemeral(host)
			if err != nil {
				return err
			}
			defer listener.Close()
			ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
			go r.accept(listener, target, r.needOf(target.Name))
		}
		if err := answers.Encode(map[string][]int{"ports": ports}); err != nil {
			return err
		}
	}
}

func (r *relay) needOf(name string) *needCalls {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.needs[name] == nil {
		r.names = append(r.names, name)
		r.needs[name] = &needCalls{Name: name, Commands: map[string]int{}}
	}
	return r.needs[name]
}

// listenBelowEphemeral listens on a free port outside of the kernel's range for outgoing connections.
func listenBelowEphemeral(host string) (net.Listener, error) {
	var last error
	for attempt := 0; attempt < 200; attempt++ {
		listener, err := net.Listen("tcp", fmt.Sprintf("%s:%d", host, 20_000+rand.IntN(12_000)))
		if err == nil {
			return listener, nil
		}
		last = err
	}
	return nil, fmt.Errorf("no port is free: %w", last)
}

// take returns the calls since it was last called.
func (r *relay) take() []needCalls {
	r.lock.Lock()
	defer r.lock.Unlock()
	taken := make([]needCalls, 0, len(r.names))
	for _, name := range r.names {
		need := r.needs[name]
		taken = append(taken, *need)
		*need = needCalls{Name: name, Protocol: need.Protocol, Unread: need.Unread, Commands: map[string]int{}}
	}
	return taken
}

const shortagePause = 10 * time.Millisecond

// isShortage is true if ending connections would make room.
func isShortage(err error) bool {
	shortages := []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM}
	return slices.ContainsFunc(shortages, func(shortage error) bool { return errors.Is(err, shortage) })
}

const needDialLimit = 10 * time.Second

// dialing retries a dial for which there is no room, until its time limit.
func dialing(dial func(limit time.Duration) (net.Conn, error)) (net.Conn, error) {
	end := time.Now().Add(needDialLimit)
	for {
		connection, err := dial(time.Until(end))
		if !isShortage(err) || time.Until(end) <= shortagePause {
			return connection, err
		}
		time.Sleep(shortagePause)
	}
}

func (r *relay) accept(listener net.Listener, target relayTarget, need *needCalls) {
	for {
		connection, err := listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if isShortage(err) || errors.Is(err, syscall.ECONNABORTED) {
			time.Sleep(shortagePause)
			continue
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "relay to %s: cannot accept more connections: %v\n", target.Name, err)
			listener.Close()
			return
		}
		go r.carry(connection, target, need)
	}
}

// carry copies bytes both ways, unchanged, until one side ends. The service sees a need's refusal as a closed connection.
func (r *relay) carry(client net.Conn, target relayTarget, need *needCalls) {
	defer client.Close()
	server, err := dialing(func(limit time.Duration) (net.Conn, error) {
		return net.DialTimeout("tcp", target.To, limit)
	})
	if err != nil {
		return
	}
	defer server.Close()
	c := &conversation{relay: r, need: need}
	r.lock.Lock()
	c.need.Connections++
	r.lock.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		pump(server, client, c.received)
	}()
	pump(client, server, c.sent)
	<-done
	c.end()
}

// pump copies until the source ends, and ends the destination then; each part is read before it is passed on.
func pump(from, to net.Conn, see func([]byte)) {
	buffer := make([]byte, 64<<10)
	for {
		size, err := from.Read(buffer)
		if size > 0 {
			see(buffer[:size])
			if _, failed := to.Write(buffer[:size]); failed != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	// Half of a connection may continue.
	if half, ok := to.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
	if half, ok := from.(*net.TCPConn); ok {
		_ = half.CloseRead()
	}
}

// conversation counts one connection.
type conversation struct {
	relay *relay
	need  *needCalls
	// reading is nil before the protocol is known, and once it could not be read.
	reading wire
	isLost  bool
	// early are the first bytes of both sides, until the protocol is known.
	early struct{ client, server []byte }
	// isMidTrip is true if the last bytes were from the client.
	isMidTrip bool
}

func (c *conversation) sent(bytes []byte) {
	c.relay.lock.Lock()
	defer c.relay.lock.Unlock()
	c.need.SentBytes += int64(len(bytes))
	isNew := !c.isMidTrip
	c.isMidTrip = true
	if isNew {
		c.need.RoundTrips++
	}
	if !c.isLost {
		c.read(bytes, nil)
	}
	if c.isLost && isNew {
		c.count(roundTrip)
	}
}

func (c *conversation) received(bytes []byte) {
	c.relay.lock.Lock()
	defer c.relay.lock.Unlock()
	c.need.ReceivedBytes += int64(len(bytes))
	c.isMidTrip = false
	if !c.isLost {
		c.read(nil, bytes)
	}
}

// read passes bytes of either side to the reader of the protocol, which the first bytes determine.
func (c *conversation) read(client, server []byte) {
	if c.reading == nil {
		c.early.client = append(c.early.client, client...)
		c.early.server = append(c.early.server, server...)
		protocol, reading, err := wireOf(c.early.client, c.early.server, c.count)
		if err != nil {
			c.lose(protocol, err)
			return
		}
		if reading == nil {
			return
		}
		c.need.Protocol, c.reading = protocol, reading
		client, server = c.early.client, c.early.server
		c.early.client, c.early.server = nil, nil
	}
	err := c.reading.client(client)
	if err == nil {
		err = c.reading.server(server)
	}
	if err != nil {
		c.lose(c.need.Protocol, err)
	}
}

func (c *conversation) lose(protocol string, why error) {
	c.isLost, c.reading = true, nil
	c.early.client, c.early.server = nil, nil
	c.need.Protocol, c.need.Unread = protocol, why.Error()
}

// count is called with the lock, or by a reader that owns it.
func (c *conversation) count(text string) {
	commands := c.need.Commands
	if _, known := commands[text]; !known && len(commands) >= mostTexts {
		text = otherTexts
	}
	commands[text]++
}

func (c *conversation) end() {
	c.relay.lock.Lock()
	defer c.relay.lock.Unlock()
	if c.reading != nil {
		c.reading.end()
	}
}
