// Package program has common parts of the programs of several modules: settings from variables, serving, and a clean
// shutdown.
package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

// Settings are texts by the names of their variables.
type Settings map[string]string

// Program is a program for the command line.
type Program struct {
	Name string
	// Defaults are all of its settings; PORT is the port of its health check.
	Defaults Settings
	// Work continues until the context is done.
	Work func(ctx context.Context, settings Settings) error
}

const healthLimit = 2 * time.Second

var errUnhealthy = errors.New("its port takes no connection")

// Run runs the command line and returns the exit code: 0, 1 if it is not healthy, 2 for a wrong setting or a port that is taken.
func Run(program Program) int {
	err := run(program, settingsOf(program.Defaults, os.LookupEnv), os.Args[1:])
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

func settingsOf(defaults Settings, lookup func(name string) (string, bool)) Settings {
	settings := Settings{}
	for name, value := range defaults {
		if given, found := lookup(name); found {
			value = given
		}
		settings[name] = value
	}
	return settings
}

func run(program Program, settings Settings, arguments []string) error {
	switch {
	case len(arguments) == 0:
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		return program.Work(ctx, settings)
	case len(arguments) == 1 && arguments[0] == "--settings":
		return json.NewEncoder(os.Stdout).Encode(settings)
	case len(arguments) == 1 && arguments[0] == "--health":
		return settings.health()
	default:
		return fmt.Errorf("unknown argument %q: give none to serve until SIGTERM, --settings to print every effective setting as JSON, "+
			"--health to ask the running program whether it is healthy", arguments[0])
	}
}

func (settings Settings) health() error {
	host := settings["HOST"]
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	connection, err := net.DialTimeout("tcp", net.JoinHostPort(host, settings["PORT"]), healthLimit)
	if err != nil {
		return errUnhealthy
	}
	return connection.Close()
}

// Number is the whole number of a setting, within limits.
func (settings Settings) Number(name string, lowest, highest int) (int, error) {
	number, err := strconv.Atoi(settings[name])
	if err != nil || number < lowest || number > highest {
		return 0, fmt.Errorf("%s is %q, and must be a number from %d to %d", name, settings[name], lowest, highest)
	}
	return number, nil
}

// Port is the number of a port that a setting names.
func (settings Settings) Port(name string) (int, error) { return settings.Number(name, 1, 65_535) }

// Listen takes the port that a setting names.
func (settings Settings) Listen(name string) (net.Listener, error) {
	port, err := settings.Port(name)
	if err != nil {
		return nil, err
	}
	address := net.JoinHostPort(settings["HOST"], strconv.Itoa(port))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another HOST or %s", address, cause(err), name)
	}
	return listener, nil
}

// cause is the kernel's message, without the address, which the error already has.
func cause(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}
