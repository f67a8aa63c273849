// Command games-database is FerretDB of the version in go.mod with its SQLite backend: a database with the wire protocol of MongoDB that
// is built from its Go module, and so runs on machines that reach no registry of images. It keeps its documents in memory.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "games-database:", err)
		os.Exit(2)
	}
}

// serve answers on HOST and PORT until SIGTERM.
func serve() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	address := net.JoinHostPort(setting("HOST", "127.0.0.1"), setting("PORT", "27017"))
	database, err := ferretdb.New(&ferretdb.Config{
		Listener: ferretdb.ListenerConfig{TCP: address},
		// It writes a line for every connection otherwise.
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		SQLiteURL: "file:./?mode=memory",
	})
	if err != nil {
		return err
	}
	fmt.Println("FerretDB", version(), "listens on", address)
	return database.Run(ctx)
}

func setting(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

// version returns the version of the module that this program was linked with.
func version() string {
	build, _ := debug.ReadBuildInfo()
	for _, module := range build.Deps {
		if module.Path == "github.com/FerretDB/FerretDB" {
			return module.Version
		}
	}
	return "of an unknown version"
}
