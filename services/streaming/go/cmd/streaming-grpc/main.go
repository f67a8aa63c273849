// Command streaming-grpc serves users over gRPC, in one answer, as a stream, and one for each id that a stream
// requests.
package main

import (
	"context"
	"os"

	"wiregauge/services/lib/program"
	"wiregauge/services/streaming/go/internal/overgrpc"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name:     "streaming-grpc",
		Defaults: program.Settings{"HOST": "127.0.0.1", "PORT": "9202"},
		Work: func(ctx context.Context, settings program.Settings) error {
			listener, err := settings.Listen("PORT")
			if err != nil {
				return err
			}
			return program.ServeGRPC(ctx, listener, overgrpc.Server())
		},
	}))
}
