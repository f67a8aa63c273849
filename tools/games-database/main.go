// Command games-database is FerretDB of the version in go.mod with its SQLite backend: a database with the wire protocol of MongoDB that is
// built from its Go module, so it also runs on machines without access to an image registry. It stores its documents in an in-memory file
// system.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"

	"wiregauge/tools/games-database/folder"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "games-database:", err)
		os.Exit(2)
	}
}

// serve answers on HOST and PORT until SIGTERM, with its files below FOLDER.
func serve() (failure error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	// SQLite without files has one connection, and for an update FerretDB needs a second one while its search still uses the
	// first.
	own, err := folder.Own(setting("FOLDER", inMemory()))
	if err != nil {
		return err
	}
	defer func() { failure = errors.Join(failure, os.RemoveAll(own)) }()
	address := net.JoinHostPort(setting("HOST", "127.0.0.1"), setting("PORT", "27017"))
	database, err := ferretdb.New(&ferretdb.Config{
		Listener: ferretdb.ListenerConfig{TCP: address},
		// Otherwise it would log every connection.
		Logger:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:   "sqlite",
		SQLiteURL: "file:" + own + "/",
	})
	if err != nil {
		return err
	}
	fmt.Println("FerretDB", version(), "listens on", address)
	return database.Run(ctx)
}

// inMemory is a Linux folder whose files are in memory, or that for temporary files if there is none.
func inMemory() string {
	if about, err := os.Stat("/dev/shm"); err == nil && about.IsDir() {
		return "/dev/shm"
	}
	return os.TempDir()
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
