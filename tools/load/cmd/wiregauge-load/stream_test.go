package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/h2c"
)

// bodies are answers of a service by path: each with its content type and its parts, between which the service waits.
var bodies = map[string][]string{
	"/lines":       {"application/x-ndjson", "{\"id\":1}\n", "{\"id\":2}\n{\"id\":3}\n"},
	"/unended":     {"application/x-ndjson; charset=utf-8", "{\"id\":1}\r\n\r\n{\"id\":2}\r\n", "{\"id\":3}"},
	"/parts":       {"application/jsonl", "{\"id\":1}\n{\"id\"", ":2}\n{\"i", "d\":3}\n"},
	"/events":      {"text/event-stream", "data: {\"id\":1}\n\n", ": here\nevent: user\ndata: {\"id\":2}\n\nid: 3\ndata: {\"id\":\ndata: 3}\n\n"},
	"/whole":       {"application/json", `[{"id":1},{"id":2},`, `{"i`, `d":3}]`},
	"/lines-few":   {"application/x-ndjson", "{\"id\":1}\n", "{\"id\":3}\n"},
	"/lines-more":  {"application/x-ndjson", "{\"id\":1}\n{\"id\":2}\n", "{\"id\":3}\n{\"id\":4}\n"},
	"/lines-other": {"application/x-ndjson", "{\"id\":3}\n{\"id\":2}\n", "{\"id\":1}\n"},
	"/events-few":  {"text/event-stream", "data: {\"id\":1}\n\n", "data: {\"id\":2}\n\ndata: {\"id\":3}\n"},
	"/whole-other": {"application/json", `[{"id":1},{"id":2}`, `]`},
	"/broken":      {"application/x-ndjson", "{\"id\":1}\n", "broken"},
}

func serveBodies(t *testing.T) string {
	t.Helper()
	return serveBoth(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			w.Header().Set("Content-Type", "application/x-ndjson")
			w.WriteHeader(http.StatusNotFound)
			return
		}
		parts := bodies[r.URL.Path]
		w.Header().Set("Content-Type", parts[0])
		for i, part := range parts[1:] {
			if i > 0 {
				w.(http.Flusher).Flush()
				time.Sleep(streamPause)
			}
			if part == "broken" {
				panic(http.ErrAbortHandler)
			}
			_, _ = io.WriteString(w, part)
		}
	})
}

// serveBoth answers over HTTP/1.1 and over h2c.
func serveBoth(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	return serveWith(t, h2c.NewHandler(handler, &http2.Server{}), nil)
}

// firstsOf returns the times to the first message of the records, and their latencies.
func firstsOf(t *testing.T, b blockLoad) (firsts, latencies []time.Duration) {
	t.Helper()
	for _, r := range recordsOf(t, b) {
		firsts, latencies = append(firsts, r.first), append(latencies, r.latency)
	}
	return firsts, latencies
}

// asStream requires each answer of a load to have three messages, the last of which contains a text.
func asStream(b blockLoad, last string) blockLoad {
	b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser, b.Load.Seconds = "users", 2, 10, 20
	b.Load.Target.Stream = &streamed{Messages: 3, Last: last}
	return b
}

func TestOfAStreamTheTimeToItsFirstMessageIsRecorded(t *testing.T) {
	address, calls := serveBodies(t), serveStreams(t, nil)
	loads := map[string]blockLoad{
		"server streaming": asStream(streamLoad(t, calls.address, "Download", `{"text":"three"}`), "three"),
		"both ways":        asStream(streamLoad(t, calls.address, "Chat", `[{"text":"one"},{"text":"two"},{"text":"three"}]`), "three"),
	}
	for _, path := range []string{"/lines", "/unended", "/parts", "/events"} {
		loads[path] = asStream(httpLoad(t, address, "GET "+path), "3}")
	}
	over := asStream(httpLoad(t, address, "GET /lines"), `"id":3`)
	over.Load.Target.Connection = &connection{HTTP: "h2c"}
	loads["h2c"] = over
	for name, b := range loads {
		t.Run(name, func(t *testing.T) {
			runLoads(t, newStage(), b)
			allAnswered(t, b)
			longest := time.Duration(0)
			firsts, latencies := firstsOf(t, b)
			for i, first := range firsts {
				if first <= 0 || first > latencies[i] {
					t.Fatalf("the first message after %v of %v", first, latencies[i])
				}
				longest = max(longest, latencies[i]-first)
			}
			if longest < streamPause {
				t.Errorf("at most %v before the end, and the service waits for %v behind its first message", longest, streamPause)
			}
		})
	}
}

func allAnswered(t *testing.T, b blockLoad) {
	t.Helper()
	records := recordsOf(t, b)
	if len(records) != b.Load.Workers*b.Load.RequestsPerUser {
		t.Fatalf("%d records", len(records))
	}
	for _, r := range records {
		if r.failure != "" {
			t.Fatal(r.failure)
		}
	}
}

func TestTheFirstMessageOfAWholeAnswerIsThereAtItsEnd(t *testing.T) {
	address, calls := serveBodies(t), serveStreams(t, nil)
	for name, b := range map[string]blockLoad{
		"HTTP": asStream(httpLoad(t, address, "GET /whole"), `{"id":3}`),
		"gRPC": asStream(streamLoad(t, calls.address, "Echo", `{"text":"all"}`), "all"),
	} {
		t.Run(name, func(t *testing.T) {
			runLoads(t, newStage(), b)
			allAnswered(t, b)
			firsts, _ := firstsOf(t, b)
			for _, first := range firsts {
				if first < streamPause {
					t.Fatalf("after %v, and the service takes %v", first, streamPause)
				}
			}
		})
	}
}

func TestAStreamThatIsNotAsItIsToBeIsAFailure(t *testing.T) {
	address, calls := serveBodies(t), serveStreams(t, nil)
	messages := func(texts ...string) string {
		return `[{"text":"` + strings.Join(texts, `"},{"text":"`) + `"}]`
	}
	over := func(path string) blockLoad { return asStream(httpLoad(t, address, "GET "+path), `"id":3`) }
	for name, test := range map[string]struct {
		load    blockLoad
		failure string
	}{
		"lines, too few":       {over("/lines-few"), errFewMessages.Error()},
		"lines, too many":      {over("/lines-more"), errManyMessages.Error()},
		"lines, another last":  {over("/lines-other"), errOtherLast.Error()},
		"events, an open one":  {over("/events-few"), errFewMessages.Error()},
		"whole, without it":    {over("/whole-other"), errOtherLast.Error()},
		"lines, cut off":       {over("/broken"), "EOF"},
		"refused":              {over("/refused"), "404"},
		"gRPC, too few":        {asStream(streamLoad(t, calls.address, "Chat", messages("a", "b")), ""), errFewMessages.Error()},
		"gRPC, too many":       {asStream(streamLoad(t, calls.address, "Chat", messages("a", "b", "c", "d")), ""), errManyMessages.Error()},
		"gRPC, another last":   {asStream(streamLoad(t, calls.address, "Download", `{"text":"a"}`), "b"), errOtherLast.Error()},
		"gRPC, whole, another": {asStream(streamLoad(t, calls.address, "Echo", `{"text":"a"}`), "b"), errOtherLast.Error()},
		"gRPC, its status":     {asStream(streamLoad(t, calls.address, "Chat", messages("a", "b", "refuse")), ""), "InvalidArgument"},
	} {
		t.Run(name, func(t *testing.T) {
			runLoads(t, newStage(), test.load)
			for _, r := range recordsOf(t, test.load) {
				if !strings.Contains(r.failure, test.failure) {
					t.Fatalf("%q, and %q is expected", r.failure, test.failure)
				}
			}
		})
	}
}

func TestOnlyTheLoadsOfAMixThatAreStreamsAreLookedAt(t *testing.T) {
	address := serveBodies(t)
	stream, other := asStream(httpLoad(t, address, "GET /lines"), `"id":3`), httpLoad(t, address, "GET /lines-few")
	other.Load.Kind, other.Load.Workers, other.Load.RequestsPerUser, other.Load.Seconds = "users", 2, 10, 20
	stream.Load.Weight, other.Load.Weight = 1, 1
	runLoads(t, newStage(), stream, other)
	if firsts, _ := firstsOf(t, stream); len(firsts) == 0 {
		t.Error("none was recorded")
	}
	for _, r := range append(recordsOf(t, stream), recordsOf(t, other)...) {
		if r.failure != "" {
			t.Fatal(r.failure)
		}
	}
}

func TestAStreamHasAMessage(t *testing.T) {
	b := asStream(httpLoad(t, closedAddress(t), "GET /lines"), "")
	b.Load.Target.Stream.Messages = 0
	if got := newStage().runNow(request{Loads: []blockLoad{b}}).Results[0].Error; !strings.Contains(got, "at least one message") {
		t.Errorf("%q", got)
	}
}

func TestATextIsFoundInAWholeAnswerHoweverItIsCut(t *testing.T) {
	const answer = "abcabdabcde"
	for size := 1; size <= len(answer); size++ {
		for wanted, has := range map[string]bool{"abcde": true, "cabd": true, "a": true, "": true, "abce": false, "edc": false} {
			b := &streamBody{watch: (&streamed{Messages: 1, Last: wanted}).watch(time.Now(), true)}
			for at := 0; at < len(answer); at += size {
				b.whole([]byte(answer[at:min(at+size, len(answer))]))
			}
			if failed := b.end() != nil; failed == has {
				t.Errorf("%q in pieces of %d: failed %t", wanted, size, failed)
			}
			if len(b.rest) > len(wanted) {
				t.Errorf("%q is kept", b.rest)
			}
		}
	}
}

func TestASlowReaderIsSentNoFasterThanItReads(t *testing.T) {
	const size = 400_000
	answer := strings.Repeat(strings.Repeat("x", 99)+"\n", size/100)
	address := serveBoth(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
	over := httpLoad(t, address, "GET /")
	over.Load.Target.Connection = &connection{HTTP: "h2c"}
	// One megabyte per second, which this program does not read ahead.
	slow := network{ReadMbit: 8}
	least := slow.transferAt(size)
	for name, b := range map[string]blockLoad{
		"HTTP/1.1": httpLoad(t, address, "GET /"),
		"h2c":      over,
		"gRPC":     streamLoad(t, serveFrames(t, []byte(answer)), "Echo", `{"text":"a"}`),
	} {
		t.Run(name, func(t *testing.T) {
			b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser, b.Load.Seconds, b.Load.Network = "users", 1, 1, 20, &slow
			runLoads(t, newStage(), b)
			for _, r := range recordsOf(t, b) {
				// The last piece arrives before its time is over.
				if r.failure != "" || r.latency < least*9/10 {
					t.Errorf("%v, sooner than %v: %s", r.latency, least, r.failure)
				}
			}
		})
	}
}

// transferAt returns the time in which a slow reader reads this many bytes.
func (n network) transferAt(bytes int) time.Duration {
	return network{BandwidthMbit: n.ReadMbit}.transfer(bytes)
}

func TestSlowReadersHaveConnectionsOfTheirOwn(t *testing.T) {
	address, noted := serveHTTP(t)
	s := newStage()
	for _, n := range []*network{nil, {ReadMbit: 1}, {ReadMbit: 1}, {RTTMs: 1, ReadMbit: 1}, {}} {
		b := httpLoad(t, address, "GET /")
		b.Load.Kind, b.Load.Workers, b.Load.RequestsPerUser, b.Load.Network = "users", 1, 1, n
		runLoads(t, s, b)
	}
	if len(noted.connections) != 4 {
		t.Errorf("%d connections", len(noted.connections))
	}
	b := httpLoad(t, address, "GET /")
	b.Load.Network = &network{ReadMbit: -1}
	if got := fmt.Sprint(b.Load.check()); !strings.Contains(got, "read rate of a network must not be negative") {
		t.Errorf("%q", got)
	}
}
