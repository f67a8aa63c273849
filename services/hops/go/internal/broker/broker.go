// Package broker is the NATS server of the version in go.mod, with its own defaults: no JetStream, no TLS, no log.
package broker

import (
	"errors"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const startLimit = 10 * time.Second

// Start returns a server that accepts connections; port -1 is any free one. The caller stops it.
func Start(host string, port int) (*server.Server, error) {
	broker, err := server.NewServer(&server.Options{Host: host, Port: port, NoSigs: true})
	if err != nil {
		return nil, err
	}
	broker.Start()
	if !broker.ReadyForConnections(startLimit) {
		Stop(broker)
		return nil, errors.New("the NATS server takes no connections")
	}
	return broker, nil
}

// Stop ends a server, and returns when it has ended.
func Stop(broker *server.Server) {
	broker.Shutdown()
	broker.WaitForShutdown()
}
