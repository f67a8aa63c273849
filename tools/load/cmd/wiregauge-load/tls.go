package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// connection is the Connection of src/model/service.ts: HTTP is "1.1", "2" or "h2c"; TLS is nil without encryption.
type connection struct {
	HTTP string       `json:"http"`
	TLS  *tlsSettings `json:"tls"`
	// Connections limits their number; 0: the default of the protocol.
	Connections int `json:"connections"`
	// KeepAlive is nil, or false if each request has a separate connection.
	KeepAlive *bool `json:"keepAlive"`
}

// tlsSettings is the Tls of src/model/service.ts. Empty fields have the defaults: the machine's authorities, the address as the
// name, no client certificate.
type tlsSettings struct {
	CA          string `json:"ca"`
	Insecure    bool   `json:"insecure"`
	ServerName  string `json:"serverName"`
	Certificate string `json:"certificate"`
	Key         string `json:"key"`
}

// connectionKey distinguishes connections that are dialed differently.
type connectionKey struct {
	http        string
	tls         tlsSettings
	connections int
	isKept      bool
}

func (c *connection) key() connectionKey {
	switch {
	case c == nil:
		return connectionKey{}
	case c.TLS == nil:
		return connectionKey{http: c.HTTP, connections: c.Connections, isKept: c.isKept()}
	}
	return connectionKey{c.HTTP, *c.TLS, c.Connections, c.isKept()}
}

// isKept is true if a connection is kept for the next request.
func (c *connection) isKept() bool {
	return c == nil || c.KeepAlive == nil || *c.KeepAlive
}

// most limits the connections for concurrent requests; the default number if unset.
func (c *connection) most(workers, usual int) int {
	if c == nil || c.Connections == 0 {
		return usual
	}
	return min(c.Connections, workers)
}

// tlsConfig is nil for an unencrypted connection.
func (c *connection) tlsConfig() (*tls.Config, error) {
	if c == nil || c.TLS == nil {
		return nil, nil
	}
	config := &tls.Config{ServerName: c.TLS.ServerName, InsecureSkipVerify: c.TLS.Insecure}
	if c.TLS.CA != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(c.TLS.CA)) {
			return nil, errors.New("the authority's certificate (tls.ca) is not PEM")
		}
	}
	if c.TLS.Certificate != "" {
		own, err := tls.X509KeyPair([]byte(c.TLS.Certificate), []byte(c.TLS.Key))
		if err != nil {
			return nil, fmt.Errorf("the client's certificate and key (tls.certificate, tls.key): %w", err)
		}
		config.Certificates = []tls.Certificate{own}
	}
	return config, nil
}
