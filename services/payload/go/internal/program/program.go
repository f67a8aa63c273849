// Package program is the common command line of the services.
package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"wiregauge/services/payload/go/internal/settings"
)

// Program is a service for the command line.
type Program struct {
	Name string
	Read func(variables func(name string) (string, bool)) (settings.Settings, error)
	// New makes the service, with its cache filled.
	New       func(read settings.Settings) Service
	IsHealthy func(ctx context.Context, address string) bool
}

// Service answers on a listener until the context is done, and then lets requests in flight finish.
type Service interface {
	Serve(ctx context.Context, listener net.Listener) error
}

const healthLimit = 2 * time.Second

// Run runs the command line and returns the exit code: 0, 1 if not healthy, 2 for a wrong setting or a port that is taken.
func Run(program Program) int {
	read, err := program.Read(os.LookupEnv)
	if err == nil {
		err = run(program, read, os.Args[1:])
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUnhealthy):
		return 1
	default:
		fmt.Fprintf(os.Stderr, "%s: %v\n", program.Name, err)
		return 2
	}
}

var errUnhealthy = errors.New("not healthy")

func run(program Program, read settings.Settings, arguments []string) error {
	asked := ""
	if len(arguments) > 0 {
		asked = arguments[0]
	}
	switch {
	case len(arguments) == 0:
		return serve(program, read)
	case len(arguments) == 1 && asked == "--settings":
		return json.NewEncoder(os.Stdout).Encode(read.Written)
	case len(arguments) == 1 && asked == "--health":
		ctx, cancel := context.WithTimeout(context.Background(), healthLimit)
		defer cancel()
		if !program.IsHealthy(ctx, read.Reachable()) {
			return errUnhealthy
		}
		return nil
	default:
		return fmt.Errorf("unknown argument %q: give none to serve until SIGTERM, --settings to print every effective setting as JSON, "+
			"--health to ask the running service whether it is healthy", asked)
	}
}

func serve(program Program, read settings.Settings) error {
	// The port comes last: once it accepts connections, the service is ready.
	service := program.New(read)
	listener, err := read.Listen()
	if err != nil {
		return fmt.Errorf("cannot listen on %s:%d: %w; choose another HOST or PORT", read.Host, read.Port, cause(err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return service.Serve(ctx, listener)
}

// cause is the kernel's message, without the address, which the error already has.
func cause(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}
