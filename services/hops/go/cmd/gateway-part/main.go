// Command gateway-part has some parts of all profiles.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"wiregauge/services/hops/go/internal/part"
	"wiregauge/services/hops/go/internal/profiles"
	"wiregauge/services/lib/program"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name:     "gateway-part",
		Defaults: program.Settings{"HOST": "127.0.0.1", "PORT": "9201", "PARTS": strings.Join(profiles.Names(), ",")},
		Work: func(ctx context.Context, settings program.Settings) error {
			store, err := profiles.NewStore(strings.Split(settings["PARTS"], ","))
			if err != nil {
				return fmt.Errorf("PARTS: %w", err)
			}
			listener, err := settings.Listen("PORT")
			if err != nil {
				return err
			}
			return part.Serve(ctx, listener, store)
		},
	}))
}
