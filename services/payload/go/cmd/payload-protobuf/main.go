// Command payload-protobuf answers with objects as protobuf over HTTP.
package main

import (
	"os"

	"wiregauge/services/payload/go/internal/overhttp"
	"wiregauge/services/payload/go/internal/program"
	"wiregauge/services/payload/go/internal/protobufform"
	"wiregauge/services/payload/go/internal/settings"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name: "payload-protobuf",
		Read: settings.OverHTTP,
		New: func(read settings.Settings) program.Service {
			return overhttp.New(protobufform.New(read.MostObjects()).Form(), read)
		},
		IsHealthy: overhttp.IsHealthy,
	}))
}
