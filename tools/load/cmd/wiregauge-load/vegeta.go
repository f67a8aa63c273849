package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
	"golang.org/x/net/http2"
)

// tcpProbes is the value of vegeta's command.
const tcpProbes = 30 * time.Second

var httpCall = regexp.MustCompile(`^([A-Z]+) (/\S*)$`)

// vegetaLoad has the loads of a group over HTTP, sent by vegeta's library like `vegeta attack`. Redirects are not followed, since two requests
// would be recorded as one. Responses are read to their end, and not kept.
type vegetaLoad struct {
	load load
	// clients has one for all, or one for each user.
	clients []*http.Client
	targets [][]vegeta.Target
	turns   *turns
	records []*recorder
}

func newVegetaLoad(g *group, kept *httpConnections) (*vegetaLoad, error) {
	v := &vegetaLoad{load: g.whole().Load, turns: newTurns(g.loads)}
	for _, client := range kept.clients {
		v.clients = append(v.clients, lookedAt(limited(client, g.loads), g.loads))
	}
	for i, b := range g.loads {
		targets := make([]vegeta.Target, 0, len(b.Load.Target.Requests))
		for _, request := range b.Load.Target.Requests {
			target, err := httpTarget(b.Load.Target, request)
			if err != nil {
				return nil, errors.Join(err, v.close())
			}
			if len(g.loads) > 1 {
				target.URL = markedURL(target.URL, i)
			}
			targets = append(targets, target)
		}
		records, err := newRecorder(b)
		if err != nil {
			return nil, errors.Join(err, v.close())
		}
		v.targets, v.records = append(v.targets, targets), append(v.records, records)
	}
	return v, nil
}

func (v *vegetaLoad) close() (failed error) {
	for _, records := range v.records {
		failed = errors.Join(failed, records.abandon())
	}
	return failed
}

// next is the vegeta.Targeter of the loads in turn.
func (v *vegetaLoad) next(t *vegeta.Target) error {
	next := v.turns.next()
	targets := v.targets[next.load]
	*t = targets[next.nth%uint64(len(targets))]
	return nil
}

func httpTarget(t target, request callRequest) (vegeta.Target, error) {
	parts := httpCall.FindStringSubmatch(request.Call)
	if parts == nil {
		return vegeta.Target{}, fmt.Errorf("vegeta cannot send %q: it is not an HTTP method and path", request.Call)
	}
	found := vegeta.Target{Method: parts[1], URL: t.origin() + parts[2], Header: http.Header{}, Body: request.Body}
	for name, value := range request.Headers {
		found.Header.Set(name, value)
	}
	return found, nil
}

// origin is the beginning of every URL. Its host is compared with the certificate.
func (t target) origin() string {
	if t.Connection == nil || t.Connection.TLS == nil {
		return "http://" + t.Address
	}
	if name := t.Connection.TLS.ServerName; name != "" {
		return "https://" + name + t.Address[strings.LastIndex(t.Address, ":"):]
	}
	return "https://" + t.Address
}

func (v *vegetaLoad) run(start time.Time) error {
	for _, records := range v.records {
		records.begin(start)
	}
	if v.load.isOfUsers() {
		return v.record(v.byUsers(v.next, usersOf(v.load, start)))
	}
	pace, err := byAlarm(newPacer(v.load, start))
	if err != nil {
		return errors.Join(err, v.close())
	}
	defer pace.close()
	return errors.Join(v.record(v.attacker(v.load.Workers, 0).Attack(v.next, pace, 0, "")), pace.failed)
}

// attacker returns a new one for each attack, since its end stops an attacker for good.
func (v *vegetaLoad) attacker(workers, number int) *vegeta.Attacker {
	return vegeta.NewAttacker(
		vegeta.Client(v.clients[number%len(v.clients)]),
		vegeta.Timeout(v.load.timeout()),
		vegeta.Redirects(vegeta.NoFollow),
		vegeta.Workers(uint64(workers)),
		vegeta.MaxWorkers(uint64(workers)),
		vegeta.MaxBody(0),
	)
}

// byUsers is an attack by one worker for each user. All results come through one channel with room for one of each user, so that no user waits
// for the records of others to be written.
func (v *vegetaLoad) byUsers(targets vegeta.Targeter, users []user) <-chan *vegeta.Result {
	results := make(chan *vegeta.Result, len(users))
	var attacks sync.WaitGroup
	for _, user := range users {
		attacks.Add(1)
		answered := make(chan struct{}, 1)
		own := v.attacker(1, user.number).Attack(targets, patient{user, answered}, 0, "")
		go func() {
			defer attacks.Done()
			for r := range own {
				answered <- struct{}{}
				results <- r
			}
		}()
	}
	go func() {
		attacks.Wait()
		close(results)
	}()
	return results
}

// record adds all results to the records of their loads, and writes those.
func (v *vegetaLoad) record(results <-chan *vegeta.Result) (failed error) {
	for r := range results {
		load := 0
		if len(v.records) > 1 {
			_, load = unmarkedURL(r.URL)
		}
		v.records[load].add(r.Timestamp, r.Latency, recordedFirst(r.Headers), endOfRequest(r))
	}
	for _, records := range v.records {
		failed = errors.Join(failed, records.write())
	}
	return failed
}

// endOfRequest is a status only if the answer was fully read; vegeta's error is then the status again.
func endOfRequest(r *vegeta.Result) outcome {
	if r.Code < 100 {
		return failed(r.Error)
	}
	return outcome{Status: strconv.Itoa(int(r.Code))}
}

// httpConnections are kept alive by the transport of a client: one for all workers, or one for each user.
type httpConnections struct {
	clients []*http.Client
}

// dialForEach gives each user a client with one connection. Users who think leave their connection idle: from one pool, all of them
// would share a few connections. A user who returns while the last answer is pending waits for it, and opens no second one.
func dialForEach(t target, users int) (*httpConnections, error) {
	all := &httpConnections{}
	for range users {
		one, err := dialHTTP(t, 1, 1)
		if err != nil {
			return nil, err
		}
		all.clients = append(all.clients, one.clients...)
	}
	return all, nil
}

// dialHTTP returns the client that vegeta's command would make from the same arguments. It dials when a worker finds no connection idle, and opens
// at most n connections: as many as it needs for 0. Connection settings of the target take precedence.
func dialHTTP(t target, workers, connections int) (*httpConnections, error) {
	config, err := t.Connection.tlsConfig()
	if err != nil {
		return nil, err
	}
	dial := t.dialer()
	kept := func(transport http.RoundTripper) *httpConnections {
		if t.Checked == "graphql" {
			transport = graphqlChecked{transport}
		}
		return &httpConnections{[]*http.Client{{Transport: transport}}}
	}
	most := t.Connection.most(workers, connections)
	transport := &http.Transport{DialContext: dial, TLSClientConfig: config, MaxIdleConnsPerHost: workers, MaxConnsPerHost: most}
	transport.DisableKeepAlives = !t.Connection.isKept()
	if t.Connection == nil {
		return kept(transport), nil
	}
	switch t.Connection.HTTP {
	case "h2c":
		return kept(inTurn(most, func() http.RoundTripper {
			return &http2.Transport{
				AllowHTTP: true,
				DialTLSContext: func(ctx context.Context, network, address string, _ *tls.Config) (net.Conn, error) {
					return dial(ctx, network, address)
				},
			}
		})), nil
	case "2":
		err = http2.ConfigureTransport(transport)
	default:
		transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	return kept(transport), err
}

// dialer opens connections to the target, regardless of the host in the URL.
func (t target) dialer() func(ctx context.Context, network, _ string) (net.Conn, error) {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: vegeta.DefaultLocalAddr.IP}, KeepAlive: tcpProbes}
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return t.link.dial(ctx, func() (net.Conn, error) { return dialer.DialContext(ctx, network, t.Address) })
	}
}

// ready is always true: the transport itself drops connections that were closed.
func (c *httpConnections) ready() bool { return true }

func (c *httpConnections) close() {
	for _, client := range c.clients {
		client.CloseIdleConnections()
	}
}
