// Command hops-nats is the NATS server of the version in go.mod: the same program as a plain process and in a container.
package main

import (
	"context"
	"os"

	"wiregauge/services/hops/go/internal/broker"
	"wiregauge/services/lib/program"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name:     "hops-nats",
		Defaults: program.Settings{"HOST": "127.0.0.1", "PORT": "4222"},
		Work: func(ctx context.Context, settings program.Settings) error {
			port, err := settings.Port("PORT")
			if err != nil {
				return err
			}
			started, err := broker.Start(settings["HOST"], port)
			if err != nil {
				return err
			}
			<-ctx.Done()
			broker.Stop(started)
			return nil
		},
	}))
}
