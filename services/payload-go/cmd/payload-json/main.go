// Command payload-json answers with objects as JSON over HTTP.
package main

import (
	"os"

	"wiregauge/services/payload-go/internal/jsonform"
	"wiregauge/services/payload-go/internal/overhttp"
	"wiregauge/services/payload-go/internal/program"
	"wiregauge/services/payload-go/internal/settings"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name: "payload-json",
		Read: settings.OverHTTP,
		New: func(read settings.Settings) program.Service {
			return overhttp.New(jsonform.New(read.MostObjects()), read)
		},
		IsHealthy: overhttp.IsHealthy,
	}))
}
