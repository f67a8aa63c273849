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

// Settings of a service; the environment variable of a setting is its name in capitals.
type Settings struct {
	Host string
	Port int
	// CacheCounts are held in the cache; the largest is the number of objects.
	CacheCounts []int
	// Gzip compresses answers for clients that accept it: COMPRESSION=gzip.
	Gzip bool
	// MaxAnswerMiB is the limit above which an answer is refused; 0: no limit.
	MaxAnswerMiB int
	// KeepAlive is the idle time of a connection; 0: one answer each (HTTP), unlimited (gRPC).
	KeepAlive time.Duration
	// Reflection is for gRPC only.
	Reflection bool
	// Graceful is the time for requests in flight after SIGTERM.
	Graceful time.Duration
	// ExtraWork is the percentage of its objects that an answer serializes again, on purpose; only with BENCHMARK=1.
	ExtraWork float64
	// Written has the variables that give the same settings.
	Written map[string]string
}

// OverHTTP reads the settings of a service over HTTP; the error names the first invalid one.
func OverHTTP(variables func(name string) (string, bool)) (Settings, error) {
	env := &environment{variables: variables, written: map[string]string{}}
	return common(env, "5000"), env.mistake
}

// OverGRPC reads the settings of the service over gRPC; the error names the first invalid one.
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

// MostObjects is the number of objects in the cache.
func (s Settings) MostObjects() int { return s.CacheCounts[len(s.CacheCounts)-1] }

// MaxAnswerBytes is the limit of an answer, or the given one if there is none.
func (s Settings) MaxAnswerBytes(without int) int {
	if s.MaxAnswerMiB == 0 {
		return without
	}
	return s.MaxAnswerMiB << 20
}

// Listen binds the port; the error has the fix.
func (s Settings) Listen() (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
}

// Reachable is the address of the service for a client on this machine.
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
