package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"
)

// recordRow is one request. Times are in nanoseconds since the origin of the records; first is none if the answer has no first message.
type recordRow struct {
	sent, done, first int64
	outcome           uint32
}

const none = -1

// outcome is the result of a request: the status of HTTP ("200") or of gRPC ("OK"), and a text if the status is not
// sufficient.
type outcome struct {
	Status string `json:"status"`
	Text   string `json:"text,omitempty"`
}

// mostOutcomes limits the number of distinct outcomes. All others count as one.
const mostOutcomes = 10_000

var furtherOutcomes = outcome{Text: "failures of further kinds"}

// recordHeader is the first line of a record file. The columns follow in sequence: "due", "sent", "first" and "done" in nanoseconds since
// the origin, as 64-bit floating-point numbers, and "code", the index in the list of outcomes, in 32 bits; all little endian. There is no
// "due" in a closed loop, and no "first" if no answer is a stream.
type recordHeader struct {
	Records  int       `json:"records"`
	OriginMs int64     `json:"originMs"`
	Columns  []string  `json:"columns"`
	Outcomes []outcome `json:"outcomes"`
}

// recorder collects the records of a load, and writes them when it is over: so a record only costs its memory while requests are sent.
type recorder struct {
	output *os.File
	load   load
	origin time.Time
	lock   sync.Mutex
	rows   []recordRow
	codes  map[outcome]uint32
	// outcomes are indexed by codes.
	outcomes []outcome
}

func newRecorder(b blockLoad) (*recorder, error) {
	output, err := os.Create(b.Output)
	if err != nil {
		return nil, err
	}
	return &recorder{output: output, load: b.Load, codes: map[outcome]uint32{}}, nil
}

// begin sets the origin: the whole millisecond before the start.
func (r *recorder) begin(start time.Time) {
	r.origin = start.Add(-time.Duration(start.UnixNano() % int64(time.Millisecond)))
}

// add records a request that was sent at an instant, and its outcome; first is the time to its first message, or none.
func (r *recorder) add(sent time.Time, latency, first time.Duration, end outcome) {
	r.lock.Lock()
	defer r.lock.Unlock()
	at := sent.Sub(r.origin).Nanoseconds()
	row := recordRow{at, at + latency.Nanoseconds(), none, r.code(end)}
	if first != none {
		row.first = at + first.Nanoseconds()
	}
	r.rows = append(r.rows, row)
}

func (r *recorder) code(end outcome) uint32 {
	code, known := r.codes[end]
	if known {
		return code
	}
	if len(r.outcomes) >= mostOutcomes && end != furtherOutcomes {
		return r.code(furtherOutcomes)
	}
	code = uint32(len(r.outcomes))
	r.codes[end] = code
	r.outcomes = append(r.outcomes, end)
	return code
}

// write writes the records in the order in which they were sent, and closes the file.
func (r *recorder) write() error {
	slices.SortStableFunc(r.rows, func(a, b recordRow) int { return int(a.sent - b.sent) })
	header := recordHeader{len(r.rows), r.origin.UnixMilli(), r.columns(), r.outcomes}
	line, err := json.Marshal(header)
	out := bufio.NewWriterSize(r.output, 1<<16)
	out.Write(append(line, '\n'))
	for _, name := range header.Columns {
		r.writeColumn(out, name)
	}
	// A buffered writer keeps its first error.
	return errors.Join(err, out.Flush(), r.output.Close())
}

func (r *recorder) columns() (columns []string) {
	if r.load.Kind == "open" {
		columns = append(columns, "due")
	}
	columns = append(columns, "sent")
	if r.load.Target.Stream != nil {
		columns = append(columns, "first")
	}
	return append(columns, "done", "code")
}

func (r *recorder) writeColumn(out *bufio.Writer, name string) {
	due := dueTimes(r.load, r.rows)
	for i, row := range r.rows {
		place := out.AvailableBuffer()
		switch name {
		case "code":
			place = binary.LittleEndian.AppendUint32(place, row.outcome)
		case "due":
			place = appendNumber(place, due(i))
		case "sent":
			place = appendNumber(place, float64(row.sent))
		case "done":
			place = appendNumber(place, float64(row.done))
		case "first":
			first := math.NaN()
			if row.first != none {
				first = float64(row.first)
			}
			place = appendNumber(place, first)
		}
		out.Write(place)
	}
}

func appendNumber(place []byte, number float64) []byte {
	return binary.LittleEndian.AppendUint64(place, math.Float64bits(number))
}

// dueTimes returns when each request was due, by its index in the order of sending. The workers limit the requests in flight, so that requests
// are sent late while a service stalls, and the wait is missing in the records (coordinated omission). The schedule is known, so the wait can be
// restored: request i was due i intervals after the first one was sent. Exact, since the workers catch up and leave out none.
func dueTimes(l load, rows []recordRow) func(i int) float64 {
	if l.Kind != "open" || len(rows) == 0 {
		return nil
	}
	first, interval := float64(rows[0].sent), float64(time.Second)/float64(l.RatePerSecond)
	moved := func(uint64) float64 { return 0 }
	if l.JitterSeed != nil {
		moved = func(place uint64) float64 { return randomAt(*l.JitterSeed, place) }
	}
	at := func(i int) float64 { place := l.Share.place(uint64(i)); return float64(place) + moved(place) }
	return func(i int) float64 { return first + (at(i)-at(0))*interval }
}

// abandon closes the file without any record.
func (r *recorder) abandon() error { return r.output.Close() }

var (
	// quotedAddress is Go's prefix for the cause of a failed request, `Get "http://127.0.0.1:80/user/1": `.
	quotedAddress = regexp.MustCompile(`^\w+ "[^"]*": `)
	// localPort is that of the client in "read tcp 127.0.0.1:40000->127.0.0.1:80", a different one for each connection.
	localPort = regexp.MustCompile(`:\d+->`)
)

// failed is the outcome of a request without a status, without parts that would make each failure a separate kind.
func failed(text string) outcome {
	return outcome{Text: localPort.ReplaceAllString(quotedAddress.ReplaceAllString(text, ""), "->")}
}
