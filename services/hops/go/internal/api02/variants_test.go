package api02

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wiregauge/services/hops/go/internal/api01"
	"wiregauge/services/hops/go/internal/broker"
	"wiregauge/services/hops/go/internal/products"
)

// bodyAt returns the body of an answer with 200.
func bodyAt(t *testing.T, address, path string) []byte {
	t.Helper()
	answer, status := get(t, address, path)
	if status != http.StatusOK {
		t.Fatalf("%s answered %s", path, answer)
	}
	return bodyOf(answer)
}

func TestGivesTheSameAnswerOverTLSInAChainAndOfSeveralAtOnce(t *testing.T) {
	at := api01.Places{HTTP: listener(t), GRPC: listener(t), TLS: listener(t)}
	plain := "http://" + startApi01(t, at)
	expected := bodyAt(t, at.HTTP.Addr().String(), "/products")
	middle := "http://" + startApi02(t, "http2", Addresses{URL: plain})

	for name, url := range map[string]string{
		"TLS": "https://" + at.TLS.Addr().String(), "a chain": middle, "several at once": plain + "," + middle + "," + plain,
	} {
		if found := bodyAt(t, startApi02(t, "http2", Addresses{URL: url}), "/products"); !bytes.Equal(found, expected) {
			t.Errorf("%s: %s, expected %s", name, found, expected)
		}
	}
}

func TestRefusesAServerOverTLSWithAnotherName(t *testing.T) {
	at := api01.Places{HTTP: listener(t), GRPC: listener(t), TLS: listener(t)}
	startApi01(t, at)
	transport := overHTTP2(nil)
	defer transport.CloseIdleConnections()
	_, err := overHTTPTo(&http.Client{Transport: transport}, "https://"+at.TLS.Addr().String())(t.Context())
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("expected a client that does not trust api01 to refuse its certificate, found %v", err)
	}
}

func TestAsksSeveralAtOnceAndNotOneAfterTheOther(t *testing.T) {
	var arrived atomic.Int32
	all := make(chan struct{})
	one := func(ctx context.Context) (products.List, error) {
		if arrived.Add(1) == 3 {
			close(all)
		}
		select {
		case <-all:
			return products.All, nil
		case <-ctx.Done():
			return products.List{}, ctx.Err()
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, err := atOnce([]way{one, one, one})(ctx); err != nil {
		t.Errorf("not all were asked while the first waited: %v", err)
	}
}

func TestSaysIfOneOfSeveralFailsOrAnswersAnotherThing(t *testing.T) {
	gives := func(list products.List, err error) way {
		return func(context.Context) (products.List, error) { return list, err }
	}
	good := gives(products.All, nil)
	for expected, other := range map[string]way{
		"no way":                            gives(products.List{}, errors.New("no way")),
		"not all of them answered the same": gives(products.List{Products: products.All.Products[:2]}, nil),
	} {
		if _, err := atOnce([]way{good, other, good})(t.Context()); err == nil || err.Error() != expected {
			t.Errorf("found %v, expected %q", err, expected)
		}
	}
}

// queue starts a NATS server, a number of api01 in one queue group, each with a wait, and api02.
func queue(t *testing.T, workers int, wait time.Duration) string {
	t.Helper()
	bus, err := broker.Start("127.0.0.1", -1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { broker.Stop(bus) })
	for range workers {
		startApi01(t, api01.Places{HTTP: listener(t), GRPC: listener(t), Messages: bus.ClientURL(), Group: "workers", Wait: wait})
	}
	return startApi02(t, "nats", Addresses{Messages: bus.ClientURL()})
}

func TestAsksOneOfAQueueGroup(t *testing.T) {
	own := queue(t, 4, 0)
	var list products.List
	if err := json.Unmarshal(bodyAt(t, own, "/products"), &list); err != nil || len(list.Products) != len(products.All.Products) {
		t.Errorf("found %v, %v", list, err)
	}
}

func TestTellsTheLagOfAQueueByAJobThatWaitsForItsTurn(t *testing.T) {
	const jobs, wait = 10, 20 * time.Millisecond
	own := queue(t, 1, wait)
	started := time.Now()

	for range jobs {
		if answer, status := send(t, own, http.MethodPost, "/jobs"); status != http.StatusAccepted {
			t.Fatalf("found %s", answer)
		}
	}
	if found := bodyAt(t, own, "/jobs/lag"); string(found) != `{"done":true}` {
		t.Errorf("found %s", found)
	}

	// Timers are never early, and the worker does one job after another.
	if lag := time.Since(started); lag < (jobs+1)*wait {
		t.Errorf("the last of %d jobs was done after %v, and each takes at least %v", jobs+1, lag, wait)
	}
}

func TestAcceptsJobsWithoutAWorkerAndSaysThatNoneTookOne(t *testing.T) {
	own := queue(t, 0, 0)
	if answer, status := send(t, own, http.MethodPost, "/jobs"); status != http.StatusAccepted || string(bodyOf(answer)) != `{"accepted":true}` {
		t.Errorf("found %s", answer)
	}
	answer, status := get(t, own, "/jobs/lag")
	if status != http.StatusBadGateway || !strings.Contains(string(answer), "no responders") {
		t.Errorf("found %s", answer)
	}
}
