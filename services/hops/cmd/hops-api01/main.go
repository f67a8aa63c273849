// Command hops-api01 has the products.
package main

import (
	"context"
	"os"

	"wiregauge/services/hops/internal/api01"
	"wiregauge/services/hops/internal/program"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name:     "hops-api01",
		Defaults: program.Settings{"HOST": "127.0.0.1", "PORT": "9101", "PORT_GRPC": "9091", "NATS_URL": ""},
		Work: func(ctx context.Context, settings program.Settings) error {
			calls, err := settings.Listen("PORT_GRPC")
			if err != nil {
				return err
			}
			requests, err := settings.Listen("PORT")
			if err != nil {
				return err
			}
			return api01.Serve(ctx, api01.Places{HTTP: requests, GRPC: calls, Messages: settings["NATS_URL"]})
		},
	}))
}
