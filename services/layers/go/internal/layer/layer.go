// Package layer has the common parts of the three programs: their listeners, and their calls to the next one.
package layer

import (
	"context"
	"fmt"
	"maps"

	"wiregauge/services/layers/go/internal/answering"
	"wiregauge/services/layers/go/internal/asking"
	"wiregauge/services/layers/go/internal/users"
	"wiregauge/services/lib/program"
)

// Open returns the source of a layer's answers. The caller closes it.
type Open func(settings program.Settings) (source users.Source, end func() error, err error)

// Run serves a layer by its settings and returns the exit code.
func Run(name string, own program.Settings, open Open) int {
	defaults := program.Settings{"HOST": "127.0.0.1"}
	maps.Copy(defaults, own)
	return program.Run(program.Program{
		Name:     name,
		Defaults: defaults,
		Work: func(ctx context.Context, settings program.Settings) (err error) {
			source, end, err := open(settings)
			if err != nil {
				return err
			}
			defer func() { _ = end() }()
			calls, err := settings.Listen("PORT_GRPC")
			if err != nil {
				return err
			}
			requests, err := settings.Listen("PORT")
			if err != nil {
				return err
			}
			return answering.Serve(ctx, answering.Places{HTTP: requests, GRPC: calls}, source)
		},
	})
}

// mostIdle exceeds the number of connections that one address has ports for.
const mostIdle = 65_535

// NextDefaults returns the settings of a layer that calls another.
func NextDefaults(url, target string) program.Settings {
	return program.Settings{"WAY": "grpc", "NEXT_URL": url, "NEXT_TARGET": target, "IDLE_CONNECTIONS": "1000"}
}

// Next returns the next layer over the protocol in the settings.
func Next(settings program.Settings) (users.Source, func() error, error) {
	switch way := settings["WAY"]; way {
	case "grpc":
		return asking.OverGRPC(settings["NEXT_TARGET"])
	case "http":
		idle, err := settings.Number("IDLE_CONNECTIONS", 1, mostIdle)
		return asking.OverHTTP(settings["NEXT_URL"], idle), func() error { return nil }, err
	default:
		return nil, nil, fmt.Errorf("WAY is %q, and must be grpc or http", way)
	}
}
