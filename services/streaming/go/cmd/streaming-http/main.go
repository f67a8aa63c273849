// Command streaming-http serves users over HTTP, in one answer or as a stream.
package main

import (
	"context"
	"os"

	"wiregauge/services/lib/program"
	"wiregauge/services/streaming/go/internal/overhttp"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name:     "streaming-http",
		Defaults: program.Settings{"HOST": "127.0.0.1", "PORT": "9201"},
		Work: func(ctx context.Context, settings program.Settings) error {
			listener, err := settings.Listen("PORT")
			if err != nil {
				return err
			}
			return program.ServeHTTP(ctx, listener, overhttp.Server())
		},
	}))
}
