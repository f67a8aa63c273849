// Command hops-api02 requests the products from hops-api01.
package main

import (
	"context"
	"os"

	"wiregauge/services/hops/go/internal/api02"
	"wiregauge/services/hops/go/internal/serving"
	"wiregauge/services/lib/program"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name:     "hops-api02",
		Defaults: program.Settings{"HOST": "127.0.0.1", "PORT": "9102", "WAY": "http2", "API01_URL": "", "API01_TARGET": "", "NATS_URL": ""},
		Work: func(ctx context.Context, settings program.Settings) error {
			ways, err := api02.Open(api02.Addresses{
				URL: settings["API01_URL"], Target: settings["API01_TARGET"], Messages: settings["NATS_URL"],
			})
			if err != nil {
				return err
			}
			defer ways.Close()
			handler, err := ways.Handler(settings["WAY"])
			if err != nil {
				return err
			}
			listener, err := settings.Listen("PORT")
			if err != nil {
				return err
			}
			return program.ServeHTTP(ctx, listener, serving.Server(handler))
		},
	}))
}
