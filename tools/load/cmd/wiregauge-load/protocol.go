package main

import (
	"errors"
	"time"
)

// request is one line on standard input: a block to run, the start of one that waits, or processes whose CPU time is requested.
type request struct {
	ID    int64       `json:"id"`
	Loads []blockLoad `json:"loads"`
	// Waits is whether the block is only prepared, until a request with StartNs, which is Unix time by this machine's clock.
	Waits   bool  `json:"waits"`
	StartNs int64 `json:"startNs"`
	// Pids requests the CPU time of these processes; answered at once, also while a block runs.
	Pids []int `json:"pids"`
}

// blockLoad is one load of a block. Output is the path of its records.
type blockLoad struct {
	Tool   string `json:"tool"`
	Output string `json:"output"`
	Load   load   `json:"load"`
}

// load is the Load of src/model/load.ts. RatePerSecond is 0 in a closed loop.
type load struct {
	Kind           string  `json:"kind"`
	Target         target  `json:"target"`
	RatePerSecond  int     `json:"ratePerSecond"`
	Seconds        float64 `json:"seconds"`
	Workers        int     `json:"workers"`
	TimeoutSeconds float64 `json:"timeoutSeconds"`
	// RequestsPerUser and RampSeconds are for users, of whom there are as many as workers. 0 requests: no limit to their number.
	RequestsPerUser int     `json:"requestsPerUser"`
	RampSeconds     float64 `json:"rampSeconds"`
	// Stages and ThinkSeconds are for users who come and go, and think between an answer and their next request.
	Stages       []userStage `json:"stages"`
	ThinkSeconds float64     `json:"thinkSeconds"`
	// Weight is the share of a load in a closed loop that it forms with the others of its block; 0 for a load of its own.
	Weight float64 `json:"weight"`
	// Fresh is whether its connections are opened for it alone, and closed when it is over.
	Fresh bool `json:"fresh"`
	// JitterSeed spreads the requests of an open load by chance; nil for an even schedule.
	JitterSeed *uint32 `json:"jitterSeed"`
	// Share is which of its requests an open load sends; nil for all.
	Share *share `json:"share"`
	// Network is how far away the service is; nil if it is here.
	Network *network `json:"network"`
}

// share is every nth request of a schedule, from a place on: several drivers with different places send all of it.
type share struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// place is where a request of the share is in the whole schedule.
func (s *share) place(nth uint64) uint64 {
	if s == nil {
		return nth
	}
	return nth*uint64(s.Of) + uint64(s.Index)
}

// target is where a load goes: its requests are taken in turn.
type target struct {
	Address  string        `json:"address"`
	Requests []callRequest `json:"requests"`
	// Method is how the calls of gRPC send and answer; nil for any other protocol.
	Method *methodKind `json:"method"`
	// Connection is nil where nothing is encrypted.
	Connection *connection `json:"connection"`
	// Checked is "graphql" if an answer with errors, or without data, is a failure.
	Checked string `json:"checked"`
	// Stream is nil if its answers are no streams.
	Stream *streamed `json:"stream"`
	// link is the way there; nil if it is here.
	link *link
}

// methodKind is which sides of a call over gRPC are streams.
type methodKind struct {
	ClientStreams bool `json:"clientStreams"`
	ServerStreams bool `json:"serverStreams"`
}

// callRequest is "GET /path" for HTTP, "TEXT /path" or "BINARY /path" for a WebSocket, and "package.Service/Method" for gRPC. All bytes are
// those that the services were verified with.
type callRequest struct {
	Call string `json:"call"`
	// Messages are for gRPC: one, or those of a stream.
	Messages [][]byte `json:"messages"`
	// Metadata is for gRPC; the value of a name that ends in -bin is base64.
	Metadata map[string]string `json:"metadata"`
	// Headers and Body are for HTTP, and a WebSocket; the headers of that are those of its handshake.
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"body"`
	// Socket is for a WebSocket.
	Socket *socketSettings `json:"socket"`
}

// readyAnswer is the line that answers a block that waits for its start.
type readyAnswer struct {
	ID    int64 `json:"id"`
	Ready bool  `json:"ready"`
}

// blockAnswer is the line that answers a block, once all record files are written and closed. Times are Unix time.
type blockAnswer struct {
	ID        int64    `json:"id"`
	StartedNs int64    `json:"startedNs"`
	EndedNs   int64    `json:"endedNs"`
	Results   []result `json:"results"`
}

// result is how a load ended: Error is empty if it ran, even if its requests failed.
type result struct {
	Error string `json:"error"`
}

// cpuAnswer is the line that answers a question for CPU times: nanoseconds in the order of the pids, -1 for a process that is
// gone, and those of this program itself; and the time of this machine's clock.
type cpuAnswer struct {
	ID    int64   `json:"id"`
	CPUNs []int64 `json:"cpuNs"`
	OwnNs int64   `json:"ownNs"`
	AtNs  int64   `json:"atNs"`
}

func (l load) check() error {
	switch {
	case l.Kind != "open" && l.Kind != "saturate" && !l.isOfUsers():
		return errors.New("the kind of a load is open, saturate, users or stages")
	case l.Share != nil && (l.Share.Index < 0 || l.Share.Index >= l.Share.Of):
		return errors.New("a share of a load has a place below the number of shares")
	case l.Kind == "open" && l.RatePerSecond < 1:
		return errors.New("an open load has a whole rate of at least 1/s")
	case l.Workers < 1 || l.Seconds <= 0 || l.TimeoutSeconds <= 0:
		return errors.New("a load has at least one worker, and times above 0")
	case l.Weight < 0:
		return errors.New("a load has no weight below 0")
	case l.Target.Stream != nil && l.Target.Stream.Messages < 1:
		return errors.New("a stream has at least one message")
	case l.Network.check() != nil:
		return l.Network.check()
	case l.RequestsPerUser < 0 || l.RampSeconds < 0 || l.ThinkSeconds < 0:
		return errors.New("users have no ramp or think time below 0, and no negative number of requests")
	case len(l.Target.Requests) == 0:
		return errors.New("a load has at least one request")
	case l.Kind == "stages":
		return l.checkStages()
	}
	return nil
}

// isOfUsers says whether the load is of users, each of whom begins and ends at a time of their own.
func (l load) isOfUsers() bool {
	return l.Kind == "users" || l.Kind == "stages"
}

func (l load) timeout() time.Duration {
	return duration(l.TimeoutSeconds)
}

func duration(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}
