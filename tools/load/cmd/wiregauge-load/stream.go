package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// streamed is the StreamSettings of src/model/suite/stream.ts: the number of messages of an answer, and a text that the last one
// must contain; empty: any.
type streamed struct {
	Messages int    `json:"messages"`
	Last     string `json:"last"`
}

// Messages that src/measure/samples/record-file.ts recognizes.
var (
	errFewMessages  = errors.New("stream: it ended before its last message")
	errManyMessages = errors.New("stream: it has more messages than expected")
	errOtherLast    = errors.New("stream: its last message is not the expected one")
)

// watch checks an answer while it arrives. A nil watch sees nothing, and finds no mistakes.
type watch struct {
	wanted streamed
	begun  time.Time
	// isWhole is true if all messages are in one answer, which is complete when it has ended.
	isWhole bool
	count   int
	first   time.Duration
	hasLast bool
}

func (s *streamed) watch(begun time.Time, isWhole bool) *watch {
	if s == nil {
		return nil
	}
	return &watch{wanted: *s, begun: begun, isWhole: isWhole}
}

// see takes a message that has arrived.
func (w *watch) see(message []byte) {
	if w == nil {
		return
	}
	if w.count == 0 {
		w.first = time.Since(w.begun)
	}
	w.count++
	// Only that of the last one counts: no other is searched.
	if w.isWhole || w.count == w.wanted.Messages {
		w.hasLast = bytes.Contains(message, []byte(w.wanted.Last))
	}
}

// firstAfter is the time to the first message, or none.
func (w *watch) firstAfter() time.Duration {
	if w == nil || w.count == 0 {
		return none
	}
	return w.first
}

// failure is the mistake in an answer that has ended.
func (w *watch) failure() error {
	switch {
	case w == nil:
		return nil
	case w.count > w.wanted.Messages && !w.isWhole:
		return errManyMessages
	case w.count < w.wanted.Messages && !w.isWhole:
		return errFewMessages
	case !w.hasLast:
		return errOtherLast
	}
	return nil
}

// watchedStreams are the loads of a group over HTTP whose answers are checked while they arrive; nil for those of others.
type watchedStreams struct {
	inner http.RoundTripper
	loads []*streamed
}

// lookedAt returns a client that checks the answers of the loads, or the same client if no answer needs checking.
func lookedAt(client *http.Client, loads []blockLoad) *http.Client {
	round := watchedStreams{inner: client.Transport}
	found := false
	for _, one := range loads {
		round.loads = append(round.loads, one.Load.Target.Stream)
		found = found || one.Load.Target.Stream != nil
	}
	if !found {
		return client
	}
	return &http.Client{Transport: round}
}

func (s watchedStreams) RoundTrip(r *http.Request) (*http.Response, error) {
	begun := time.Now()
	_, load := unmarkedURL("#" + r.URL.Fragment)
	response, err := s.inner.RoundTrip(r)
	if err == nil && s.loads[load] != nil && response.StatusCode >= 200 && response.StatusCode < 300 {
		response.Body = newStreamBody(response, s.loads[load], begun)
	}
	return response, err
}

// firstKey is the header key for the time to the first message of an answer that has ended, since vegeta's results have no other
// field for it. No header received over a connection can have this name.
const firstKey = "\n"

// recordedFirst returns the time to the first message of an answer, or none.
func recordedFirst(header http.Header) time.Duration {
	first, err := strconv.ParseInt(strings.Join(header[firstKey], ""), 10, 64)
	if err != nil {
		return none
	}
	return time.Duration(first)
}

// streamBody splits a response into its messages, and ends with an error instead of io.EOF if they violate a condition.
type streamBody struct {
	io.ReadCloser
	header http.Header
	watch  *watch
	cut    func(b *streamBody, data []byte)
	// rest is the data after the last line end; for a whole answer, its end.
	rest []byte
	// event is the data of a server-sent event that has not ended.
	event   []byte
	isEvent bool
}

func newStreamBody(response *http.Response, wanted *streamed, begun time.Time) *streamBody {
	b := &streamBody{ReadCloser: response.Body, header: response.Header}
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(kind)) {
	case "application/x-ndjson", "application/ndjson", "application/jsonl":
		b.cut = (*streamBody).lines
	case "text/event-stream":
		b.cut = (*streamBody).events
	}
	b.watch = wanted.watch(begun, b.cut == nil)
	return b
}

func (b *streamBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.watch.isWhole {
		b.whole(p[:n])
	} else {
		b.cut(b, p[:n])
	}
	if err != io.EOF {
		return n, err
	}
	if failure := b.end(); failure != nil {
		return n, failure
	}
	b.header[firstKey] = []string{strconv.FormatInt(b.watch.first.Nanoseconds(), 10)}
	return n, err
}

// end is called at the end of the answer.
func (b *streamBody) end() error {
	switch {
	case b.watch.isWhole:
		b.watch.see(b.rest)
	case len(b.rest) > 0:
		// A last line need not have an end; an event without one is ignored.
		b.cut(b, []byte("\n"))
	}
	return b.watch.failure()
}

// whole keeps only the part of an answer that may contain the required text: it stops once the text is found.
func (b *streamBody) whole(data []byte) {
	wanted := []byte(b.watch.wanted.Last)
	if len(wanted) == 0 || bytes.Contains(b.rest, wanted) {
		return
	}
	b.rest = append(b.rest, data...)
	if at := bytes.Index(b.rest, wanted); at >= 0 {
		b.rest = b.rest[at : at+len(wanted)]
	} else if most := len(wanted) - 1; len(b.rest) > most {
		b.rest = append(b.rest[:0], b.rest[len(b.rest)-most:]...)
	}
}

// eachLine calls see for each complete line, without its end.
func (b *streamBody) eachLine(data []byte, see func(line []byte)) {
	for {
		line, behind, found := bytes.Cut(data, []byte("\n"))
		b.rest = append(b.rest, line...)
		if !found {
			return
		}
		see(bytes.TrimSuffix(b.rest, []byte("\r")))
		b.rest, data = b.rest[:0], behind
	}
}

// lines are messages in NDJSON, one each.
func (b *streamBody) lines(data []byte) {
	b.eachLine(data, func(line []byte) {
		if len(line) > 0 {
			b.watch.see(line)
		}
	})
}

// events are server-sent events, each of which an empty line ends. Those without data are ignored.
func (b *streamBody) events(data []byte) {
	b.eachLine(data, func(line []byte) {
		if more, isData := bytes.CutPrefix(line, []byte("data:")); isData {
			b.event, b.isEvent = append(b.event, more...), true
		} else if len(line) == 0 && b.isEvent {
			b.watch.see(b.event)
			b.event, b.isEvent = b.event[:0], false
		}
	})
}
