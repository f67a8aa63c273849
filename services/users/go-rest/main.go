// Command rest-go is the User Service over REST with net/http alone.
package main

import (
	"context"
	"net/http"
	"os"
	"time"

	"wiregauge/services/lib/program"
)

func main() {
	os.Exit(program.Run(program.Program{
		Name: "rest-go",
		Defaults: program.Settings{
			"HOST": "127.0.0.1", "PORT": "5000", "GRACEFUL_SECONDS": "1",
			"USERS_FILE": "services/users/users.json", "OPENAPI_FILE": "services/users/python-rest/src/user_rest/openapi.json",
		},
		Work: serve,
	}))
}

func serve(ctx context.Context, settings program.Settings) error {
	grace, err := settings.Grace()
	if err != nil {
		return err
	}
	users, err := readUsers(settings["USERS_FILE"])
	if err != nil {
		return err
	}
	description, err := os.ReadFile(settings["OPENAPI_FILE"])
	if err != nil {
		return err
	}
	listener, err := settings.Listen("PORT")
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler(users, description),
		IdleTimeout:       75 * time.Second,
		ReadHeaderTimeout: time.Minute,
	}
	return program.ServeHTTPWithin(ctx, grace, listener, server)
}
