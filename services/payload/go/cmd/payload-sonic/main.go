// Command payload-sonic answers with objects as JSON over HTTP, written by sonic instead of encoding/json.
package main

import (
	"os"

	"github.com/bytedance/sonic"

	"wiregauge/services/payload/go/internal/jsonform"
	"wiregauge/services/payload/go/internal/overhttp"
	"wiregauge/services/payload/go/internal/program"
	"wiregauge/services/payload/go/internal/settings"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name: "payload-sonic",
		Read: settings.OverHTTP,
		New: func(read settings.Settings) program.Service {
			return overhttp.New(jsonform.New(read.MostObjects(), sonic.Marshal), read)
		},
		IsHealthy: overhttp.IsHealthy,
	}))
}
