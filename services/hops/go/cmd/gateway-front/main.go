// Command gateway-front combines profiles from the parts of its members.
package main

import (
	"context"
	"os"
	"strings"
	"time"

	"wiregauge/services/hops/go/internal/gateway"
	"wiregauge/services/lib/program"
)

// mostMilliseconds is the longest wait for members.
const mostMilliseconds = 60_000

func main() {
	os.Exit(program.Run(program.Program{
		Name:     "gateway-front",
		Defaults: program.Settings{"HOST": "127.0.0.1", "PORT": "9200", "WAY": "grpc", "MEMBERS": "127.0.0.1:9201", "LIMIT_MS": "5000"},
		Work: func(ctx context.Context, settings program.Settings) error {
			limit, err := settings.Number("LIMIT_MS", 1, mostMilliseconds)
			if err != nil {
				return err
			}
			listener, err := settings.Listen("PORT")
			if err != nil {
				return err
			}
			return gateway.Serve(ctx, listener, gateway.Settings{
				Members: strings.Split(settings["MEMBERS"], ","), Way: settings["WAY"], Limit: time.Duration(limit) * time.Millisecond,
			})
		},
	}))
}
