// Command payload-grpc answers with objects as messages over gRPC.
package main

import (
	"os"

	"wiregauge/services/payload/go/internal/overgrpc"
	"wiregauge/services/payload/go/internal/program"
	"wiregauge/services/payload/go/internal/protobufform"
	"wiregauge/services/payload/go/internal/settings"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name: "payload-grpc",
		Read: settings.OverGRPC,
		New: func(read settings.Settings) program.Service {
			return overgrpc.New(protobufform.New(read.MostObjects()), read)
		},
		IsHealthy: overgrpc.IsHealthy,
	}))
}
