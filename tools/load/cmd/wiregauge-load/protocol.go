package main

import (
	"errors"
	"time"
)

// request is one line on standard input: a block to run, the start of a waiting one, or processes whose CPU time is requested.
type request struct {
	ID    int64       `json:"id"`
	Loads []blockLoad `json:"loads"`
	// Waits is true if the block is only prepared, until a request with StartNs, which is Unix time by this machine's clock.
	Waits   bool  `json:"waits"`
	StartNs int64 `json:"startNs"`
	// Pids requests the CPU time of these processes; answered at once, even while a block runs.
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
	// RequestsPerUser and RampSeconds are for users; each worker is one. 0 requests: unlimited.
	RequestsPerUser int     `json:"requestsPerUser"`
	RampSeconds     float64 `json:"rampSeconds"`
	// Stages and ThinkSeconds are for users who come and go, and think between a response and their next request.
	Stages       []userStage `json:"stages"`
	ThinkSeconds float64     `json:"thinkSeconds"`
	// Weight is the share of a load in a closed loop that it forms with the others of its block; 0 for a separate load.
	Weight float64 `json:"weight"`
	// Fresh is true if its connections are opened for it alone, and closed when it is over.
	Fresh bool `json:"fresh"`
	// JitterSeed randomizes the requests of an open load; nil for an even schedule.
	JitterSeed *uint32 `json:"jitterSeed"`
	// Share selects the requests that an open load sends; nil for all.
	Share *share `json:"share"`
	// Network is the distance of the service; nil if it is local.
	Network *network `json:"network"`
}

// share is every nth request of a schedule, from an index on: several drivers with different indexes send all of it.
type share struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// place returns the index of a request of the share in the whole schedule.
func (s *share) place(nth uint64) uint64 {
	if s == nil {
		return nth
	}
	return nth*uint64(s.Of) + uint64(s.Index)
}

// target is the destination of a load: its requests are used in turn.
type target struct {
	Address  string        `json:"address"`
	Requests []callRequest `json:"requests"`
	// Method has the streaming sides of gRPC calls; nil for any other protocol.
	Method *methodKind `json:"method"`
	// Connection is nil without encryption.
	Connection *connection `json:"connection"`
	// Checked is "graphql" if an answer with errors, or without data, is a failure.
	Checked string `json:"checked"`
	// Stream is nil if its answers are not streams.
	Stream *streamed `json:"stream"`
	// link is the path to it; nil if it is local.
	link *link
}

// methodKind has the sides of a gRPC call that are streams.
type methodKind struct {
	ClientStreams bool `json:"clientStreams"`
	ServerStreams bool `json:"serverStreams"`
}

// callRequest is "GET /path" for HTTP, "TEXT /path" or "BINARY /path" for a WebSocket, and "package.Service/Method" for gRPC. All bytes are
// those that were used to verify the services.
type callRequest struct {
	Call string `json:"call"`
	// Messages are for gRPC: a single one, or those of a stream.
	Messages [][]byte `json:"messages"`
	// Metadata is for gRPC; the value of a name that ends in -bin is base64.
	Metadata map[string]string `json:"metadata"`
	// Headers and Body are for HTTP and WebSockets, whose headers are those of the handshake.
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

// result is the end of a load: Error is empty if it ran, even if its requests failed.
type result struct {
	Error string `json:"error"`
}

// cpuAnswer is the line that answers a request for CPU times: nanoseconds in the order of the pids, -1 for an ended process,
// and those of this program itself; and the time of this machine's clock.
type cpuAnswer struct {
	ID    int64   `json:"id"`
	CPUNs []int64 `json:"cpuNs"`
	OwnNs int64   `json:"ownNs"`
	AtNs  int64   `json:"atNs"`
}

func (l load) check() error {
	switch {
	case l.Kind != "open" && l.Kind != "saturate" && !l.isOfUsers():
		return errors.New("the kind of a load must be open, saturate, users or stages")
	case l.Share != nil && (l.Share.Index < 0 || l.Share.Index >= l.Share.Of):
		return errors.New("the index of a share must be below the number of shares")
	case l.Kind == "open" && l.RatePerSecond < 1:
		return errors.New("an open load must have a rate of at least 1/s")
	case l.Workers < 1 || l.Seconds <= 0 || l.TimeoutSeconds <= 0:
		return errors.New("a load must have at least one worker, and times above 0")
	case l.Weight < 0:
		return errors.New("the weight of a load must not be negative")
	case l.Target.Stream != nil && l.Target.Stream.Messages < 1:
		return errors.New("a stream must have at least one message")
	case l.Network.check() != nil:
		return l.Network.check()
	case l.RequestsPerUser < 0 || l.RampSeconds < 0 || l.ThinkSeconds < 0:
		return errors.New("ramp, think time and number of requests of users must not be negative")
	case len(l.Target.Requests) == 0:
		return errors.New("a load must have at least one request")
	case l.Kind == "stages":
		return l.checkStages()
	}
	return nil
}

// isOfUsers returns true for a load of users, each of whom begins and ends at a separate time.
func (l load) isOfUsers() bool {
	return l.Kind == "users" || l.Kind == "stages"
}

func (l load) timeout() time.Duration {
	return duration(l.TimeoutSeconds)
}

func duration(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}
