package main

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// group has the loads of a block that run as one: those of a closed loop with weights share its workers, any other is
// alone.
type group struct {
	loads []blockLoad
	// at are their indexes in the block.
	at []int
}

// groupsOf groups the loads of a block, in the order of their first.
func groupsOf(loads []blockLoad) []*group {
	var groups []*group
	for i, load := range loads {
		joined := false
		for _, g := range groups {
			if joined = isOneLoop(g.loads[0], load); joined {
				g.loads, g.at = append(g.loads, load), append(g.at, i)
				break
			}
		}
		if !joined {
			groups = append(groups, &group{[]blockLoad{load}, []int{i}})
		}
	}
	return groups
}

func isOneLoop(a, b blockLoad) bool {
	return a.Load.Kind != "open" && a.Load.Weight > 0 && b.Load.Weight > 0 && a.Load.Kind == b.Load.Kind && a.Tool == b.Tool &&
		a.Load.Target.Address == b.Load.Target.Address && a.Load.Seconds == b.Load.Seconds &&
		a.Load.RequestsPerUser == b.Load.RequestsPerUser && a.Load.RampSeconds == b.Load.RampSeconds &&
		a.Load.ThinkSeconds == b.Load.ThinkSeconds && a.Load.distance() == b.Load.distance() && slices.Equal(a.Load.Stages, b.Load.Stages)
}

// whole returns the combined load of the group: its first load, with the workers of all. Stages are those of the whole group in each of
// its loads.
func (g *group) whole() blockLoad {
	all := g.loads[0]
	all.Load.Workers = 0
	for _, one := range g.loads {
		all.Load.Workers += one.Load.Workers
		all.Load.TimeoutSeconds = max(all.Load.TimeoutSeconds, one.Load.TimeoutSeconds)
	}
	all.Load.Workers = max(all.Load.Workers, all.Load.mostUsers())
	return all
}

// turns distributes the requests of a group over its loads by their weights, as Webster's method distributes seats: after any number of requests
// each has had its share of them, within rounding. The next free worker sends, so a slow load gets no fewer requests than a fast one.
type turns struct {
	lock    sync.Mutex
	weights []float64
	had     []uint64
}

// turn is the index of a load in its group, and the number of its earlier requests.
type turn struct {
	load int
	nth  uint64
}

func newTurns(loads []blockLoad) *turns {
	t := &turns{had: make([]uint64, len(loads))}
	for _, one := range loads {
		t.weights = append(t.weights, one.Load.Weight)
	}
	return t
}

func (t *turns) next() turn {
	t.lock.Lock()
	defer t.lock.Unlock()
	chosen := 0
	for i := 1; i < len(t.had); i++ {
		if t.due(i) < t.due(chosen) {
			chosen = i
		}
	}
	t.had[chosen]++
	return turn{chosen, t.had[chosen] - 1}
}

func (t *turns) due(load int) float64 {
	return (float64(t.had[load]) + 0.5) / t.weights[load]
}

// Only the URL identifies a load of a group in vegeta's results, so its index is appended to the URL as a fragment, which HTTP
// does not send.
func markedURL(url string, load int) string {
	return url + "#" + strconv.Itoa(load)
}

// unmarkedURL returns the URL and the index of its load.
func unmarkedURL(marked string) (url string, load int) {
	at := max(strings.LastIndexByte(marked, '#'), 0)
	load, _ = strconv.Atoi(strings.TrimPrefix(marked[at:], "#"))
	return marked[:at], load
}

// limits ends each request of a group at the time limit of its load: vegeta only has one for all.
type limits struct {
	inner  http.RoundTripper
	limits []time.Duration
}

// limited returns a client with the time limits of the loads, or the same client if they have one in common.
func limited(client *http.Client, loads []blockLoad) *http.Client {
	round := limits{inner: client.Transport}
	differ := false
	for _, one := range loads {
		round.limits = append(round.limits, one.Load.timeout())
		differ = differ || one.Load.timeout() != loads[0].Load.timeout()
	}
	if !differ {
		return client
	}
	return &http.Client{Transport: round}
}

func (l limits) RoundTrip(r *http.Request) (*http.Response, error) {
	_, load := unmarkedURL("#" + r.URL.Fragment)
	ctx, cancel := context.WithTimeout(r.Context(), l.limits[load])
	response, err := l.inner.RoundTrip(r.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	response.Body = cancelling{response.Body, cancel}
	return response, nil
}

// cancelling is a body that cancels its context once it is closed.
type cancelling struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (c cancelling) Close() error {
	defer c.cancel()
	return c.ReadCloser.Close()
}
