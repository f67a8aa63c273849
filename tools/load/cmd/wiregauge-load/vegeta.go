package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// tcpProbes is what vegeta's command sets.
const tcpProbes = 30 * time.Second

var httpCall = regexp.MustCompile(`^([A-Z]+) (/\S*)$`)

// vegetaLoad is a load over HTTP, played as `vegeta attack` plays it with the arguments in src/generators/vegeta.ts.
type vegetaLoad struct {
	load    load
	client  *http.Client
	targets []vegeta.Target
	output  *os.File
}

func newVegetaLoad(b blockLoad, kept *httpConnections) (*vegetaLoad, error) {
	targets := make([]vegeta.Target, 0, len(b.Load.Target.Requests))
	for _, request := range b.Load.Target.Requests {
		target, err := httpTarget(b.Load.Target.Address, request)
		if err != nil {
			return nil, err
		}
		targets = append(targets, target)
	}
	output, err := os.Create(b.Output)
	if err != nil {
		return nil, err
	}
	return &vegetaLoad{b.Load, kept.client, targets, output}, nil
}

func httpTarget(address string, request callRequest) (vegeta.Target, error) {
	parts := httpCall.FindStringSubmatch(request.Call)
	if parts == nil {
		return vegeta.Target{}, fmt.Errorf("vegeta cannot send %q: it is no HTTP method and path", request.Call)
	}
	found := vegeta.Target{Method: parts[1], URL: "http://" + address + parts[2], Header: http.Header{}}
	if request.Body != nil {
		found.Body = request.Body
		found.Header.Set("Content-Type", "application/json")
	}
	return found, nil
}

func (v *vegetaLoad) play(start time.Time) error {
	// A new one for each block, since its end stops an attacker for good.
	attacker := vegeta.NewAttacker(
		vegeta.Client(v.client),
		vegeta.Timeout(v.load.timeout()),
		vegeta.Redirects(vegeta.NoFollow),
		vegeta.Workers(uint64(v.load.Workers)),
		vegeta.MaxWorkers(uint64(v.load.Workers)),
		vegeta.MaxBody(0),
	)
	pace, err := byAlarm(newPacer(v.load, start))
	if err != nil {
		return errors.Join(err, v.output.Close())
	}
	defer pace.close()
	failed := writeGob(v.output, attacker.Attack(vegeta.NewStaticTargeter(v.targets...), pace, 0, ""))
	return errors.Join(failed, pace.failed, v.output.Close())
}

// writeGob takes the results to their end even where one cannot be written: the workers wait for somebody to take them.
func writeGob(output *os.File, results <-chan *vegeta.Result) error {
	records := bufio.NewWriter(output)
	encoder := vegeta.NewEncoder(records)
	var failed error
	for r := range results {
		if failed == nil {
			failed = encoder.Encode(r)
		}
	}
	return errors.Join(failed, records.Flush())
}

// httpConnections are kept alive by the transport of a client.
type httpConnections struct {
	client *http.Client
}

// dialHTTP gives the client that vegeta's command makes of its arguments. It dials when a worker finds no connection idle.
func dialHTTP(workers int) *httpConnections {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: vegeta.DefaultLocalAddr.IP}, KeepAlive: tcpProbes}
	return &httpConnections{&http.Client{
		Transport: &http.Transport{DialContext: dialer.DialContext, MaxIdleConnsPerHost: workers},
	}}
}

// ready is always true: the transport itself drops connections that were closed.
func (c *httpConnections) ready() bool { return true }

func (c *httpConnections) close() { c.client.CloseIdleConnections() }
