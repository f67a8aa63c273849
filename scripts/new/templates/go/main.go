// Command sample-name is a service that answers with a greeting over HTTP.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sample-name:", err)
		os.Exit(2)
	}
}

func run(arguments []string) error {
	read, err := readSettings()
	if err != nil {
		return err
	}
	switch {
	case len(arguments) == 0:
		return serve(read)
	case len(arguments) == 1 && arguments[0] == "--health":
		return healthy(read.address)
	default:
		return fmt.Errorf("unknown arguments %q: give none to serve until SIGTERM, --health to ask the running service", arguments)
	}
}

func serve(read settings) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	listener, err := net.Listen("tcp", read.address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler(read.greeting), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), read.graceful)
	defer cancel()
	err = server.Shutdown(end)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}

func healthy(address string) error {
	client := http.Client{Timeout: 2 * time.Second}
	answer, err := client.Get("http://" + address + "/health")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("not healthy: answered %d", answer.StatusCode)
	}
	return nil
}

func handler(greeting string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /greeting/{name}", func(answer http.ResponseWriter, request *http.Request) {
		write(answer, map[string]string{"text": greeting + ", " + request.PathValue("name") + "!"})
	})
	mux.HandleFunc("GET /health", func(answer http.ResponseWriter, _ *http.Request) {
		write(answer, map[string]string{"status": "ok"})
	})
	return mux
}

func write(answer http.ResponseWriter, value any) {
	answer.Header().Set("Content-Type", "application/json")
	// Nobody is left to receive an error about sending.
	_ = json.NewEncoder(answer).Encode(value)
}
