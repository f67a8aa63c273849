// Command layers-controller is the layer that gets the requests of clients. It parses them, and calls the service.
package main

import (
	"maps"
	"os"

	"wiregauge/services/layers/go/internal/layer"
	"wiregauge/services/lib/program"
)

func main() {
	settings := program.Settings{"PORT": "8080", "PORT_GRPC": "9090"}
	maps.Copy(settings, layer.NextDefaults("http://127.0.0.1:8081", "127.0.0.1:9091"))
	os.Exit(layer.Run("layers-controller", settings, layer.Next))
}
