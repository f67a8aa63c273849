// Package starting has the common start of both programs.
package starting

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"wiregauge/services/games/go/internal/games"
	"wiregauge/services/lib/program"
)

// Program is a service that listens on a port by default, with the handler that is made for it.
func Program(name, port string, handler func(ctx context.Context, database games.Database) http.Handler) program.Program {
	return program.Program{
		Name: name,
		Defaults: program.Settings{
			"HOST": "127.0.0.1", "PORT": port, "DATABASE_URL": "mongodb://127.0.0.1:27017", "POOL_SIZE": "10", "DATABASE_TIMEOUT_SECONDS": "5",
		},
		Work: func(ctx context.Context, settings program.Settings) error {
			database, err := open(ctx, settings)
			if err != nil {
				return err
			}
			// The port comes last: once it accepts connections, the service is ready.
			listener, err := settings.Listen("PORT")
			if err != nil {
				return err
			}
			return program.ServeHTTP(ctx, listener, &http.Server{Handler: handler(ctx, database), ReadHeaderTimeout: time.Minute})
		},
	}
}

func open(ctx context.Context, settings program.Settings) (games.Database, error) {
	connections, err := settings.Number("POOL_SIZE", 1, 1_000)
	seconds, wrong := settings.Number("DATABASE_TIMEOUT_SECONDS", 1, 60)
	if err = errors.Join(err, wrong); err != nil {
		return games.Database{}, err
	}
	database, err := games.Open(ctx, settings["DATABASE_URL"], connections, time.Duration(seconds)*time.Second)
	if err != nil {
		return games.Database{}, fmt.Errorf("DATABASE_URL: %w", err)
	}
	return database, nil
}
