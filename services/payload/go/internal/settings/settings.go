package settings

import (
	"net"
	"strconv"
	"time"
)

const (
	mostObjects = 1_000_000
	// gRPC counts the bytes of a message with 31 bits.
	mostMiB = 2_047
)

// Settings are how a service runs; the environment variable of a setting is its name in capitals.
type Settings struct {
	Host string
	Port int
	// CacheCounts are held in the cache; the largest is how many objects there are.
	CacheCounts []int
	// Gzip has answers compressed for the clients that take that: COMPRESSION=gzip.
	Gzip bool
	// MaxAnswerMiB is what a larger answer is refused by; 0: no bound.
	MaxAnswerMiB int
	// KeepAlive is how long a connection may be idle; 0: one answer each (HTTP), for ever (gRPC).
	KeepAlive time.Duration
	// Reflection is for gRPC only.
	Reflection bool
	// Graceful is how long requests in flight may go on after SIGTERM.
	Graceful time.Duration
	// ExtraWork is how many per cent of its objects an answer serialises once more, on purpose; only with BENCHMARK=1.
	ExtraWork float64
	// Written are the variables that would give the same settings.
	Written map[string]string
}

// OverHTTP reads the settings of a service over HTTP; the error names the first that is wrong.
func OverHTTP(variables func(name string) (string, bool)) (Settings, error) {
	env := &environment{variables: variables, written: map[string]string{}}
	return common(env, "5000"), env.mistake
}

// OverGRPC reads the settings of the service over gRPC; the error names the first that is wrong.
func OverGRPC(variables func(name string) (string, bool)) (Settings, error) {
	env := &environment{variables: variables, written: map[string]string{}}
	read := common(env, "50051")
	read.Reflection = env.isOn("REFLECTION", "on")
	return read, env.mistake
}

func common(env *environment, port string) Settings {
	return Settings{
		Host:         env.text("HOST", "127.0.0.1"),
		Port:         env.whole("PORT", port, bounds{1, 65_535}),
		CacheCounts:  env.ascending("CACHE_COUNTS", "1,100,1000", bounds{1, mostObjects}),
		Gzip:         env.choice("COMPRESSION", "off", "gzip") == "gzip",
		MaxAnswerMiB: env.wholeOrNone("MAX_ANSWER_MIB", bounds{1, mostMiB}),
		KeepAlive:    time.Duration(env.whole("KEEP_ALIVE_SECONDS", "75", bounds{0, 3_600})) * time.Second,
		Graceful:     time.Duration(env.whole("GRACEFUL_SECONDS", "1", bounds{1, 300})) * time.Second,
		ExtraWork:    env.extraWork(),
		Written:      env.written,
	}
}

// MostObjects is how many objects the cache holds.
func (s Settings) MostObjects() int { return s.CacheCounts[len(s.CacheCounts)-1] }

// MaxAnswerBytes is the limit of an answer, or the one given if there is none.
func (s Settings) MaxAnswerBytes(without int) int {
	if s.MaxAnswerMiB == 0 {
		return without
	}
	return s.MaxAnswerMiB << 20
}

// Listen takes the port; the error says what to do.
func (s Settings) Listen() (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
}

// Reachable is where a client on this machine finds the service.
func (s Settings) Reachable() string {
	host := s.Host
	switch host {
	case "0.0.0.0":
		host = "127.0.0.1"
	case "::":
		host = "::1"
	}
	return net.JoinHostPort(host, strconv.Itoa(s.Port))
}
