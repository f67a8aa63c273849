// Command hops-api01 has the products.
package main

import (
	"context"
	"os"
	"time"

	"wiregauge/services/hops/go/internal/api01"
	"wiregauge/services/lib/program"
)

// mostMilliseconds is the longest additional time of a message.
const mostMilliseconds = 1000

func main() {
	os.Exit(program.Run(program.Program{
		Name: "hops-api01",
		Defaults: program.Settings{
			"HOST": "127.0.0.1", "PORT": "9101", "PORT_GRPC": "9091", "PORT_TLS": "", "NATS_URL": "", "QUEUE": "", "WAIT_MS": "0",
		},
		Work: func(ctx context.Context, settings program.Settings) error {
			at, err := places(settings)
			if err != nil {
				return err
			}
			return api01.Serve(ctx, at)
		},
	}))
}

func places(settings program.Settings) (api01.Places, error) {
	at := api01.Places{Messages: settings["NATS_URL"], Group: settings["QUEUE"]}
	wait, err := settings.Number("WAIT_MS", 0, mostMilliseconds)
	if err != nil {
		return at, err
	}
	at.Wait = time.Duration(wait) * time.Millisecond
	if at.GRPC, err = settings.Listen("PORT_GRPC"); err != nil {
		return at, err
	}
	if settings["PORT_TLS"] != "" {
		if at.TLS, err = settings.Listen("PORT_TLS"); err != nil {
			return at, err
		}
	}
	at.HTTP, err = settings.Listen("PORT")
	return at, err
}
