// Command payload-json answers with objects as JSON over HTTP.
package main

import (
	"encoding/json"
	"os"

	"wiregauge/services/payload/go/internal/jsonform"
	"wiregauge/services/payload/go/internal/overhttp"
	"wiregauge/services/payload/go/internal/program"
	"wiregauge/services/payload/go/internal/settings"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name: "payload-json",
		Read: settings.OverHTTP,
		New: func(read settings.Settings) program.Service {
			return overhttp.New(jsonform.New(read.MostObjects(), json.Marshal), read)
		},
		IsHealthy: overhttp.IsHealthy,
	}))
}
