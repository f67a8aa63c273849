// Command layers-service is the layer in the middle. It checks requests, and calls the repository.
package main

import (
	"maps"
	"os"

	"wiregauge/services/layers/go/internal/layer"
	"wiregauge/services/layers/go/internal/users"
	"wiregauge/services/lib/program"
)

func main() {
	settings := program.Settings{"PORT": "8081", "PORT_GRPC": "9091"}
	maps.Copy(settings, layer.NextDefaults("http://127.0.0.1:8082", "127.0.0.1:9092"))
	os.Exit(layer.Run("layers-service", settings, func(settings program.Settings) (users.Source, func() error, error) {
		next, end, err := layer.Next(settings)
		return users.Checked{Next: next}, end, err
	}))
}
