// Command layers-repository is the layer that has the users.
package main

import (
	"os"

	"wiregauge/services/layers/go/internal/layer"
	"wiregauge/services/layers/go/internal/users"
	"wiregauge/services/lib/program"
)

const mostUsers = 100_000

func main() {
	settings := program.Settings{"PORT": "8082", "PORT_GRPC": "9092", "USERS": "100"}
	os.Exit(layer.Run("layers-repository", settings, func(settings program.Settings) (users.Source, func() error, error) {
		count, err := settings.Number("USERS", 1, mostUsers)
		return users.Made(count), func() error { return nil }, err
	}))
}
